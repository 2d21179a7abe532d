// Places in the user's source, of what V8 ran and of what the parser found.

import type { Node } from 'acorn'
import type { AppScript } from './app-script.js'
import type { UserFiles } from './find-script.js'
import { pathOf, shortPath } from './original-place.js'
import type { ParsedScript } from './script-functions.js'

export interface SourcePlace {
  readonly file: string
  /** From 1. */
  readonly line: number
}

export interface Places {
  /** Where a node begins. */
  of(script: ParsedScript, node: Node): SourcePlace
  /** The script that V8 ran under an address. */
  scriptAt(url: string): AppScript | undefined
}

export function createPlaces(scripts: readonly AppScript[], files: UserFiles): Places {
  const byParsed = new Map(scripts.map((script) => [script.parsed, script]))
  const byPath = new Map(scripts.map((script) => [pathOf(script.url), script])) // stacks name CommonJS by paths
  return {
    scriptAt: (url) => byPath.get(pathOf(url)),
    of(script, node) {
      const { line, column } = script.placeOf(node.start)
      const found = byParsed.get(script)?.placeOf(line, column)
      return found
        ? { file: shortPath(found.file), line: found.line }
        : { file: shortPath(files.pathOf(script)), line: line + 1 }
    },
  }
}

/** "lib/work.js:7" */
export function placeText({ file, line }: SourcePlace): string {
  return `${file}:${line}`
}
