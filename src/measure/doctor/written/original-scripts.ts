// The files of the app as their user wrote them: by their source maps, or as they lie on the disk where Node.js itself takes the types away.

import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Node } from 'acorn'
import type { AppScript } from '../source/app-script.js'
import { findFiles, type UserFiles } from '../source/find-script.js'
import { pathOf } from '../source/original-place.js'
import { parseScript, type FunctionNode, type ParsedScript } from '../source/script-functions.js'

export interface Original {
  readonly script: ParsedScript
  readonly node: FunctionNode
}

export interface Originals {
  readonly files: UserFiles
  /** The file that a script is of, or the first one of a bundle. */
  readonly scriptOf: (script: AppScript) => ParsedScript | null
  /** A function of a script; null: it is not found there. */
  readonly functionOf: (script: AppScript, node: FunctionNode) => Original | null
  /** A statement of a script. */
  statementOf(script: AppScript, node: Node): { script: ParsedScript; node: Node } | null
}

export function createOriginals(): Originals {
  const files = findFiles([], readOriginal)
  const at = ({ parsed, placeOf }: AppScript, offset: number) => {
    const { line, column } = parsed!.placeOf(offset)
    const place = placeOf(line, column)
    const script = files.at(place.file)
    return script && { script, offset: script.offsetOf(place.line - 1, place.column) }
  }
  return {
    files,
    scriptOf(script) {
      const { body, functions } = script.parsed!
      const compiled = pathOf(script.url)
      // What a compiler adds at the top, such as "use strict", is of no file.
      if (script.sourceMap !== '')
        for (const { start } of [...body, ...functions.map(({ node }) => node)]) {
          const found = at(script, start)
          if (found && files.pathOf(found.script) !== compiled) return found.script
        }
      return files.at(compiled)
    },
    functionOf(script, node) {
      // Compilers name where a function begins, or where its name or its first parameter does.
      for (const offset of [node.start, node.body.start, node.body.start + 1]) {
        const found = at(script, offset)
        const inner = found?.script.functions.findLast(
          ({ node: each }) => each.start <= found.offset && found.offset < each.end,
        )
        if (
          found &&
          inner &&
          inner.node.params.length === node.params.length &&
          inner.node.async === node.async
        )
          return { script: found.script, node: inner.node }
      }
      return null
    },
    statementOf(script, node) {
      const found = at(script, node.start)
      const statement = found?.script.body.find(
        ({ start, end }) => start <= found.offset && found.offset < end,
      )
      return found && statement ? { script: found.script, node: statement } : null
    },
  }
}

/** Null: it cannot be read. */
function readOriginal(path: string): ParsedScript | null {
  const ending = extname(path)
  if (!/^\.[cm]?[jt]sx?$/.test(ending)) return null
  try {
    return parseScript(readFileSync(path, 'utf8'), languageOf(ending))
  } catch {
    return null
  }
}

function languageOf(ending: string) {
  return ending.endsWith('x') ? 'TSX' : ending.includes('ts') ? 'TypeScript' : 'JavaScript'
}
