// The files of the app as their user wrote them: what a change may touch, and where a function may be used.

import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Node } from 'acorn'
import type { AppScript } from '../source/app-script.js'
import type { FindScript } from '../source/imports.js'
import { pathOf } from '../source/original-place.js'
import { part, parts, word } from '../source/ast.js'
import { nodesOf, type FunctionNode, type ParsedScript } from '../source/script-functions.js'
import { createOriginals, type Original } from '../written/original-scripts.js'
import type { ChangePlace } from './refused.js'

/** More than so many are hardly one app. */
const MAX_FILES = 3000
const SOURCE = /(?<!\.d)\.[cm]?[jt]sx?$/
const NOT_SOURCE = /^(node_modules|\..*|dist|build|out|coverage|public)$/
export interface AppFiles {
  /** The folder that a patch is relative to. */
  readonly root: string
  /** Those that ran, and all that they import. */
  readonly scripts: readonly ParsedScript[]
  /** Others, such as tests and programs beside the app: they are told of, and not changed. */
  readonly outside: readonly ParsedScript[]
  readonly find: FindScript
  /** Absolute. */
  readonly pathOf: (script: ParsedScript) => string
  /** Relative to the root, with forward slashes. */
  readonly nameOf: (script: ParsedScript) => string
  readonly at: (script: ParsedScript, node: Node) => ChangePlace
  readonly original: (script: AppScript, node: FunctionNode) => Original | null
}

/**
 * @param ran scripts of the app, as V8 ran them
 * @param entries paths of files that start it: V8 forgets one in which no function is left
 */
export function createAppFiles(
  root: string,
  ran: readonly AppScript[],
  entries: readonly string[] = [],
): AppFiles {
  const { files, scriptOf, functionOf } = createOriginals()
  const compiled = new Set(ran.flatMap(({ url, sourceMap }) => (sourceMap === '' ? [] : pathOf(url))))
  const own = [
    ...ran.flatMap((each) => (each.parsed && scriptOf(each)) ?? []),
    ...entries.flatMap((path) => (compiled.has(path) ? [] : (files.at(path) ?? []))),
  ]
  const listed = filesIn(root).flatMap((path) => files.at(path) ?? [])
  const all = [...new Set([...own, ...listed])].filter((each) => isBelow(root, files.pathOf(each)))
  const nameOf = (script: ParsedScript) => relative(root, files.pathOf(script)).split(sep).join('/')
  const loaded = withImports(own, files.find)
  return {
    root,
    nameOf,
    find: files.find,
    pathOf: files.pathOf,
    original: functionOf,
    scripts: all.filter((each) => loaded.has(each)),
    outside: all.filter((each) => !loaded.has(each)),
    at: (script, { start }) => ({ file: nameOf(script), line: script.placeOf(start).line + 1 }),
  }
}

function withImports(own: readonly ParsedScript[], find: FindScript): Set<ParsedScript> {
  const found = new Set<ParsedScript>()
  const visit = (script: ParsedScript) => {
    if (found.has(script)) return
    found.add(script)
    for (const node of nodesOf(script)) {
      const other = loadOf(node)
      const loaded = other === null ? null : find(script, other)
      if (loaded) visit(loaded)
    }
  }
  own.forEach(visit)
  return found
}

/** What an import, in whatever way, names. */
export function loadOf(node: Node): string | null {
  const textOf = (each: Node | null | undefined) => (each?.type === 'Literal' ? word(each, 'value') : null)
  if (/^(Import(Declaration|Expression)|Export(All|Named)Declaration)$/.test(node.type))
    return textOf(part(node, 'source'))
  const isRequire = node.type === 'CallExpression' && word(part(node, 'callee'), 'name') === 'require'
  return isRequire ? textOf(parts(node, 'arguments')[0]) : null
}

function filesIn(root: string): string[] {
  const found: string[] = []
  const visit = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (found.length > MAX_FILES || NOT_SOURCE.test(entry.name)) continue
      if (entry.isDirectory()) visit(join(folder, entry.name))
      else if (entry.isFile() && SOURCE.test(entry.name)) found.push(join(folder, entry.name))
    }
  }
  visit(root)
  return found
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path)
  return !way.startsWith('..') && !way.split(sep).includes('node_modules')
}
