// The file of the user that another one imports.

import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AppScript } from './find-functions.js'
import type { FindScript } from './source/imports.js'
import { pathOf } from './source/original-place.js'

/** What may be left out, or be written otherwise for TypeScript. */
const ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.mts', '.cts', '.tsx', '/index.js', '/index.ts', '/index.cjs', '/index.mjs'] // prettier-ignore

export function findScriptIn(scripts: readonly AppScript[]): FindScript {
  const byPath = new Map(scripts.map((script) => [pathOf(script.url), script]))
  const pathOfParsed = new Map(scripts.map((script) => [script.parsed, pathOf(script.url)]))
  return (from, specifier) => {
    const base = pathOfParsed.get(from)
    if (base === undefined) return null
    const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : resolve(dirname(base), specifier)
    const stems = [path, path.replace(/\.([cm]?)js$/, '.$1ts')]
    const found = stems.flatMap((stem) => ENDINGS.map((ending) => byPath.get(stem + ending)))
    return found.find((each) => each !== undefined)?.parsed ?? null
  }
}
