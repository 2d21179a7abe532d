// The file of the user that another one imports.

import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AppScript } from './find-functions.js'
import type { FindScript } from './source/imports.js'
import { pathOf } from './source/original-place.js'
import { parseScript, type ParsedScript } from './source/script-functions.js'

/** What may be left out, or be written otherwise for TypeScript. */
const ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.mts', '.cts', '.tsx', '/index.js', '/index.ts', '/index.cjs', '/index.mjs'] // prettier-ignore

export interface UserFiles {
  readonly find: FindScript
  /** Of a script that was given, or found. */
  readonly pathOf: (script: ParsedScript) => string
}

export function userFiles(scripts: readonly AppScript[]): UserFiles {
  const parsed = scripts.flatMap((script) => (script.parsed ? [[script.parsed, pathOf(script.url)] as const] : [])) // prettier-ignore
  const paths = new Map<ParsedScript, string>(parsed)
  const byPath = new Map<string, ParsedScript | null>(parsed.map(([script, path]) => [path, script]))
  const scriptAt = (path: string) => {
    if (!byPath.has(path)) byPath.set(path, readScript(path))
    const script = byPath.get(path) ?? null
    if (script) paths.set(script, path)
    return script
  }
  return {
    pathOf: (script) => paths.get(script)!,
    find(from, specifier) {
      const base = paths.get(from)
      if (base === undefined) return null
      const path = specifier.startsWith('file:')
        ? fileURLToPath(specifier)
        : resolve(dirname(base), specifier)
      const stems = [path, path.replace(/\.([cm]?)js$/, '.$1ts')]
      const all = stems.flatMap((stem) => ENDINGS.map((ending) => stem + ending))
      const loaded = all.find((each) => byPath.get(each)) ?? all.find((each) => scriptAt(each) !== null)
      return loaded === undefined ? null : scriptAt(loaded)
    },
  }
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
