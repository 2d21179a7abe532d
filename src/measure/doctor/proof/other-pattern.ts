// A regular expression of the same form with other words.

import type { OtherWords } from './other-words.js'

/** What says how to look, and not for what: classes, ranges of the alphabet, numbers of repetitions, the heads of groups. */
const KEPT = /\\[dDwWsSbBntr]|\\[^\p{L}\p{N}]|a-z|A-Z|0-9|\{\d{0,4}(?:,\d{0,4})?\}|\(\?(?:<?[=!]|:)/gu

/** Where other words would be no pattern any more, it is one that finds everything. */
export function otherPattern(pattern: RegExp, { words }: OtherWords): RegExp {
  let source = ''
  let from = 0
  // What is escaped by its number or its name is data too: without the sign before it it is a word.
  const replace = (text: string) => words(text.replaceAll('\\', ''))
  for (const { 0: kept, index } of pattern.source.matchAll(KEPT)) {
    source += replace(pattern.source.slice(from, index)) + kept
    from = index + kept.length
  }
  source += replace(pattern.source.slice(from))
  try {
    return new RegExp(source, pattern.flags)
  } catch {
    return new RegExp('(?:)', pattern.flags)
  }
}
