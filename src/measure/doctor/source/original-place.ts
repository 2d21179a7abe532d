// Where the user wrote a function: the script's own place, or by its source map that of TypeScript or of a bundled file.

import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ScriptText } from '../agent/messages.js'
import { isUserFile } from '../agent/user-file.js'

export interface OriginalPlace {
  /** Absolute. */
  file: string
  /** From 1. */
  line: number
  /** From 0. */
  column: number
  isUsers: boolean
}

/** Lines and columns of V8, from 0. */
export type PlaceOf = (line: number, column: number) => OriginalPlace

export function placesOf(script: Pick<ScriptText, 'url' | 'sourceMap'>): PlaceOf {
  const own = pathOf(script.url)
  const map = readMap(script.sourceMap, own)
  return (line, column) => {
    const found = map && originalPositionFor(map, { line: line + 1, column })
    if (!found?.source) return { file: own, line: line + 1, column, isUsers: true }
    const file = found.source.startsWith('file:') ? pathOf(found.source) : resolve(found.source)
    return {
      file,
      line: found.line,
      column: found.column,
      isUsers: isUserFile(pathToFileURL(file).href) && !found.source.includes('webpack/'),
    }
  }
}

/** Relative to the working directory where the file lies below that. */
export function shortPath(file: string): string {
  const short = relative('', file)
  return short.startsWith('..') ? file : short
}

/** Of the name that V8 gives to a script: a path or a URL, to which loaders may add a query. */
export function pathOf(url: string): string {
  if (!url.startsWith('file:')) return url.replace(/\?.*$/, '')
  const bare = new URL(url)
  return fileURLToPath(new URL(bare.pathname, 'file:///'))
}

/** A map that cannot be read is as good as none. */
function readMap(address: string, script: string): TraceMap | null {
  if (address === '') return null
  try {
    const inline = /^data:application\/json[^,]*?(;base64)?,(.*)$/s.exec(address)
    if (inline) return new TraceMap(inlineText(inline), pathToFileURL(script).href)
    const url = new URL(address, pathToFileURL(script))
    return new TraceMap(readFileSync(url, 'utf8'), url.href)
  } catch {
    return null
  }
}

function inlineText([, isBase64, data]: RegExpExecArray): string {
  return isBase64 ? Buffer.from(data!, 'base64').toString() : decodeURIComponent(data!)
}
