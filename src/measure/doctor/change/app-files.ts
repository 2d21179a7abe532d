// The files of the app as their user wrote them: what a change may touch, and where a function may be used.

import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Node } from 'acorn'
import type { AppScript } from '../source/app-script.js'
import type { FindScript } from '../source/imports.js'
import type { FunctionNode, ParsedScript } from '../source/script-functions.js'
import { createOriginals, type Original } from '../written/original-scripts.js'
import type { ChangePlace } from './refused.js'

/** More than so many are hardly one app. */
const MAX_FILES = 3000
const SOURCE = /(?<!\.d)\.[cm]?[jt]sx?$/
const NOT_SOURCE = /^(node_modules|\..*|dist|build|out|coverage|public)$/
/** They may call what they like: they are told, and not changed. */
const OUTSIDE = /(^|\/)(tests?|__tests__|spec|bench|benchmarks?|e2e)\/|\.(test|spec|bench)\.[^/]+$/

export interface AppFiles {
  /** The folder that a patch is relative to. */
  readonly root: string
  readonly scripts: readonly ParsedScript[]
  /** Tests and the like. */
  readonly outside: readonly ParsedScript[]
  readonly find: FindScript
  /** Absolute. */
  pathOf(script: ParsedScript): string
  /** Relative to the root, with forward slashes. */
  nameOf(script: ParsedScript): string
  at(script: ParsedScript, node: Node): ChangePlace
  original(script: AppScript, node: FunctionNode): Original | null
}

/** @param ran scripts of the app, as V8 ran them */
export function createAppFiles(root: string, ran: readonly AppScript[]): AppFiles {
  const { files, scriptOf, functionOf } = createOriginals()
  const own = ran.flatMap((each) => (each.parsed && scriptOf(each)) ?? [])
  const listed = filesIn(root).flatMap((path) => files.at(path) ?? [])
  const all = [...new Set([...own, ...listed])].filter((each) => isBelow(root, files.pathOf(each)))
  const nameOf = (script: ParsedScript) => relative(root, files.pathOf(script)).split(sep).join('/')
  const isOutside = (script: ParsedScript) => !own.includes(script) && OUTSIDE.test(nameOf(script))
  return {
    ...{ root, nameOf, find: files.find, pathOf: files.pathOf, original: functionOf },
    scripts: all.filter((each) => !isOutside(each)),
    outside: all.filter(isOutside),
    at: (script, { start }) => ({ file: nameOf(script), line: script.placeOf(start).line + 1 }),
  }
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
