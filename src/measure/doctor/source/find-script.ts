// The file of the user that another one imports.

import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AppScript } from './app-script.js'
import { isOfUser, type FindScript } from './imports.js'
import { pathOf, shortPath } from './original-place.js'
import { ownPaths } from './own-packages.js'
import { parseScript, type ParsedScript } from './script-functions.js'

/** What may be left out, or be written otherwise for TypeScript. */
const ENDINGS = [
  '',
  '.js',
  '.cjs',
  '.mjs',
  '.ts',
  '.mts',
  '.cts',
  '.tsx',
  '/index.js',
  '/index.ts',
  '/index.cjs',
  '/index.mjs',
]

export interface UserFiles {
  readonly find: FindScript
  /** Of a file; null: it cannot be read. */
  readonly at: (path: string) => ParsedScript | null
  /** Of a script that was given, or found. */
  readonly pathOf: (script: ParsedScript) => string
}

const filesOf = new WeakMap<readonly AppScript[], UserFiles>()

/** The same for the same scripts. */
export function userFiles(scripts: readonly AppScript[]): UserFiles {
  const files = filesOf.get(scripts) ?? findFiles(scripts)
  filesOf.set(scripts, files)
  return files
}

/** @param read what was not given */
export function findFiles(scripts: readonly AppScript[], read = readScript): UserFiles {
  const parsed = scripts.flatMap((script) =>
    script.parsed ? [[script.parsed, pathOf(script.url)] as const] : [],
  )
  const paths = new Map<ParsedScript, string>(parsed)
  const byPath = new Map<string, ParsedScript | null>(parsed.map(([script, path]) => [path, script]))
  const scriptAt = (path: string) => {
    if (!byPath.has(path)) byPath.set(path, read(path))
    const script = byPath.get(path) ?? null
    if (script) paths.set(script, path)
    return script
  }
  const known = new Map<string, ParsedScript | null>()
  const findOnce = (base: string, specifier: string) => {
    const stems = pathsOf(base, specifier).flatMap((path) => [path, path.replace(/\.([cm]?)js$/, '.$1ts')])
    const all = stems.flatMap((stem) => ENDINGS.map((ending) => stem + ending))
    const loaded = all.find((each) => byPath.get(each)) ?? all.find((each) => scriptAt(each) !== null)
    return loaded === undefined ? null : scriptAt(loaded)
  }
  const find = (from: ParsedScript, specifier: string) => {
    const base = paths.get(from)
    if (base === undefined) return null
    const key = `${base}\0${specifier}`
    if (!known.has(key)) known.set(key, findOnce(base, specifier))
    return known.get(key)!
  }
  const more = {
    all: () => [...paths.keys()],
    fileOf: (script: ParsedScript) => shortPath(paths.get(script)!),
  }
  return { at: scriptAt, pathOf: (script) => paths.get(script)!, find: Object.assign(find, more) }
}

function pathsOf(from: string, specifier: string): string[] {
  if (specifier.startsWith('file:')) return [fileURLToPath(specifier)]
  return isOfUser(specifier) ? [resolve(dirname(from), specifier)] : ownPaths(from, specifier)
}

/** V8 forgets the script of a file in which no function is left, such as one of constants. */
function readScript(path: string): ParsedScript | null {
  if (!/\.[cm]?js$/.test(path)) return null
  try {
    return parseScript(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
