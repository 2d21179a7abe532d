// Other numbers that are about as large, and other bytes; the same for the same.

import { isUtf8 } from 'node:buffer'
import type { OtherWords } from './other-words.js'

/** Of whole numbers: a shorter one, such as a count or a year, hardly names anybody. */
const LONGEST_KEPT = 4
/** With fewer elements a list of numbers spells nothing. */
const MIN_TEXT = 4

export function otherNumber<Kind extends number | bigint>(
  value: Kind,
  isSecret: boolean,
  other: OtherWords,
): Kind {
  const text = String(value)
  const [, sign, digits, rest] = /^(-?)([\d.]+)(.*)$/s.exec(text) ?? []
  if (digits === undefined) return value // such as NaN
  const isWhole = !digits.includes('.') && rest === ''
  if (!isSecret && isWhole && digits.length <= LONGEST_KEPT) return value
  const significant = digits.replace(/^[0.]+/, '').replace('.', '').length
  const kept = isSecret ? 0 : significant > LONGEST_KEPT ? 2 : 1
  const replaced = `${sign}${otherDigits(digits, kept, other)}${rest}`
  return (typeof value === 'bigint' ? BigInt(replaced.replace('n', '')) : Number(replaced)) as Kind
}

/** The first `kept` that count stay; none becomes the first one that is zero. */
function otherDigits(digits: string, kept: number, { bytesFor }: OtherWords): string {
  for (let round = 0; ; round++) {
    const bytes = bytesFor(`${round} ${kept} ${digits}`, digits.length)
    let seen = 0
    let isReplaced = false
    const other = [...digits].map((digit, at) => {
      if (digit === '.' || (digit === '0' && seen === 0) || seen++ < kept) return digit
      isReplaced = true
      return String(seen === 1 ? 1 + (bytes[at]! % 9) : bytes[at]! % 10)
    })
    if (!isReplaced || other.join('') !== digits) return other.join('')
  }
}

type Numbers = ArrayLike<number | bigint>

/** Of a list, or of an array of any width. Text may be in it, as the codes of its letters. */
export function otherNumbers(
  values: Numbers,
  isSecret: boolean,
  other: OtherWords,
): ((at: number) => number | bigint) | null {
  if (values.length < MIN_TEXT || !isText(values)) return null
  const ascii = other.words(
    Array.from(values, (value) => String.fromCharCode(isAscii(value) ? Number(value) : 0x20)).join(''),
  )
  return (at) => {
    const value = values[at]!
    if (isAscii(value)) return typeof value === 'bigint' ? BigInt(ascii.charCodeAt(at)) : ascii.charCodeAt(at)
    return isSecret ? otherNumber(value, true, other) : nearNumber(value, other)
  }
}

/** Also where it is short. */
function nearNumber(value: number | bigint, other: OtherWords): number | bigint {
  const text = String(value)
  if (!/^\d+$/.test(text)) return otherNumber(value, false, other)
  const near = otherDigits(text, 1, other)
  return typeof value === 'bigint' ? BigInt(near) : Number(near)
}

const isAscii = (value: number | bigint) => value >= 0x20 && value < 0x7f && Number.isInteger(Number(value))

/** Mostly codes of letters. */
function isText(values: Numbers): boolean {
  let letters = 0
  for (let at = 0; at < values.length; at++) {
    const value = Number(values[at])
    if (!Number.isInteger(value) || value < 0 || value > 0x10ffff) return false
    if (isAscii(value) || value >= 0xa0) letters++
  }
  return letters >= 0.6 * values.length
}

/** As many. Of a text in UTF-8 spaces and punctuation stay, so that it can be read as before; of all else nothing. */
export function otherBytes(bytes: Buffer, isSecret: boolean, { words, whole, bytesFor }: OtherWords): Buffer {
  if (isUtf8(bytes) && !hasControls(bytes)) {
    const text = bytes.toString()
    const replaced = Buffer.from(isSecret ? whole(text) : words(text))
    if (replaced.length === bytes.length) return replaced
  }
  return bytesFor(bytes.toString('latin1'), bytes.length)
}

function hasControls(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 9 || (byte > 13 && byte < 32) || byte === 127)
}
