// Edits of the files of an app, which leave all else as it was written.

import MagicString from 'magic-string'
import type { ParsedScript } from '../source/script-functions.js'

interface Range {
  readonly start: number
  readonly end: number
}

interface Wrap extends Range {
  readonly before: string
  readonly after: string
}

export interface Edits {
  /** Puts texts around a part. Of those around the same part the later one is the outer one. */
  wrap(script: ParsedScript, part: Range, before: string, after: string): void
  replace(script: ParsedScript, part: Range, text: string): void
  remove(script: ParsedScript, part: Range): void
  insert(script: ParsedScript, at: number, text: string): void
  /** With all edits. */
  texts(): Map<ParsedScript, string>
}

export function createEdits(): Edits {
  const files = new Map<ParsedScript, { text: MagicString; wraps: Wrap[] }>()
  const fileOf = (script: ParsedScript) => {
    const known = files.get(script) ?? { text: new MagicString(script.text), wraps: [] }
    files.set(script, known)
    return known
  }
  return {
    wrap: (script, { start, end }, before, after) =>
      void fileOf(script).wraps.push({ start, end, before, after }),
    replace: (script, { start, end }, text) => void fileOf(script).text.update(start, end, text),
    remove: (script, { start, end }) => void fileOf(script).text.remove(start, end),
    insert: (script, at, text) => void fileOf(script).text.appendLeft(at, text),
    texts: () =>
      new Map([...files].map(([script, { text, wraps }]) => [script, wrapped(text.clone(), wraps)])),
  }
}

/** The inner parts first, so that what is around them comes around their texts, too. */
function wrapped(text: MagicString, wraps: readonly Wrap[]): string {
  for (const { start, end, before, after } of wraps.toSorted((a, b) => a.end - a.start - (b.end - b.start))) {
    if (before !== '') text.prependLeft(start, before)
    if (after !== '') text.appendRight(end, after)
  }
  return text.toString()
}
