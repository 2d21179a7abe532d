// Other words of the same length and kind, the same word always the same, by a key that nobody keeps.

import { createHmac, randomBytes } from 'node:crypto'

/** What is no word stays: spaces and punctuation. All else belongs to one: letters and digits of every script, signs, pictures, control characters. */
// eslint-disable-next-line no-control-regex -- these too may hold data
const WORDS = /(?:[A-Za-z0-9\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[^\p{ASCII}\p{P}\p{Z}])+/gu

export interface OtherWords {
  /** Spaces and punctuation stay. */
  readonly words: (text: string) => string
  /** Nothing stays but the length and the kinds of characters. */
  readonly whole: (text: string) => string
  /** So many bytes, the same for the same text. */
  readonly bytesFor: (text: string, length: number) => Buffer
}

export function createOtherWords(): OtherWords {
  const key = randomBytes(32)
  const known = new Map<string, string>()
  const bytesFor = (text: string, length: number) => {
    const parts: Buffer[] = []
    for (let at = 0; at * 64 < length; at++)
      parts.push(createHmac('sha512', key).update(`${at} ${text}`).digest())
    return Buffer.concat(parts).subarray(0, length)
  }
  const whole = (word: string) => {
    let other = known.get(word)
    if (other === undefined) known.set(word, (other = replace(word, bytesFor)))
    return other
  }
  return { bytesFor, whole, words: (text) => text.replace(WORDS, whole) }
}

function replace(word: string, bytesFor: OtherWords['bytesFor']): string {
  const letters = [...word]
  for (let round = 0; ; round++) {
    const bytes = bytesFor(`${round} ${word}`, 2 * letters.length)
    const other = letters.map((letter, at) => characterFor(letter, bytes.readUInt16LE(2 * at), at)).join('')
    if (other !== word || !/[\p{L}2-9]/u.test(word)) return other
  }
}

/** As long as the letter in UTF-8 and in UTF-16, so that a text has the same size in both. */
function characterFor(letter: string, random: number, at: number): string {
  if (/[0-9]/.test(letter))
    return at === 0 ? (letter === '0' ? '0' : String(1 + (random % 9))) : String(random % 10)
  const code = letter.codePointAt(0)!
  if (code < 0x80) {
    const other = String.fromCharCode(97 + (random % 26))
    return letter === letter.toLowerCase() ? other : other.toUpperCase()
  }
  if (code < 0x800)
    return String.fromCharCode(letter === letter.toLowerCase() ? 0xe0 + (random % 22) : 0xc0 + (random % 22))
  return String.fromCodePoint(code < 0x10000 ? 0x4e00 + (random % 0x5000) : 0x20000 + (random % 0xa000)) // ideographs
}
