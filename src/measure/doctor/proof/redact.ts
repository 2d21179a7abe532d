// Makes real arguments harmless: other words of the same length and kind, the same word always the same. Their shape, and so the time of a
// call, stays.

import { createHmac, randomBytes } from 'node:crypto'
import { types } from 'node:util'

/** What they hold is replaced whatever it is, also where inputs are to stay as they are. */
const SECRET_KEY =
  /pass(word|wd|phrase)?|secret|token|api.?key|auth|cookie|session|credential|private|signature|card|iban|ssn|cvv|\bpin\b/i
/** Of whole numbers: a shorter one hardly names anybody. */
const MIN_DIGITS = 7

export interface RedactOptions {
  /** Only what stands under a key that looks secret. */
  readonly isRaw: boolean
  /** Whether the app's own code uses a word, so that as a key it is no data. */
  readonly isOfCode: (word: string) => boolean
}

interface Redaction {
  readonly words: (text: string) => string
  readonly keyOf: (key: string) => string
  readonly isRaw: boolean
  readonly copies: Map<object, unknown>
}

/** Gives a copy. The words of two redactors differ. */
export function createRedactor({ isRaw, isOfCode }: RedactOptions): (value: unknown) => unknown {
  const words = createWords()
  const keyOf = (key: string) => (isRaw || /^\d+$/.test(key) || isOfCode(key) ? key : words(key))
  return (value) => redact(value, false, { words, keyOf, isRaw, copies: new Map() })
}

function redact(value: unknown, isSecret: boolean, redaction: Redaction): unknown {
  const isKept = redaction.isRaw && !isSecret
  if (typeof value === 'string') return isKept ? value : redaction.words(value)
  if (typeof value === 'number' || typeof value === 'bigint')
    return isKept ? value : numberFor(value, isSecret, redaction)
  if (typeof value !== 'object' || value === null) return value
  const { copies } = redaction
  if (!copies.has(value)) copyObject(value, isSecret, redaction)
  return copies.get(value)
}

/** Before what it holds, which may hold it again. */
function copyObject(value: object, isSecret: boolean, redaction: Redaction): void {
  const { copies, keyOf } = redaction
  const inner = (each: unknown, key?: unknown) =>
    redact(each, isSecret || (typeof key === 'string' && SECRET_KEY.test(key)), redaction)
  const copy = emptyLike(value, isSecret, redaction)
  copies.set(value, copy)
  if (Array.isArray(value)) for (const each of value as unknown[]) (copy as unknown[]).push(inner(each))
  else if (types.isSet(value)) for (const each of value) (copy as Set<unknown>).add(inner(each))
  else if (types.isMap(value))
    for (const [key, each] of value)
      (copy as Map<unknown, unknown>).set(typeof key === 'string' ? keyOf(key) : inner(key), inner(each, key))
  else if (copy !== value && !types.isDate(value) && !ArrayBuffer.isView(value))
    for (const [key, each] of Object.entries(value))
      (copy as Record<string, unknown>)[keyOf(key)] = inner(each, key)
}

/** What holds no values of its own is whole. */
function emptyLike(value: object, isSecret: boolean, { isRaw, words }: Redaction): object {
  const isKept = isRaw && !isSecret
  if (Array.isArray(value)) return []
  if (types.isSet(value)) return new Set()
  if (types.isMap(value)) return new Map()
  if (types.isDate(value)) return isKept ? value : dateNear(value)
  if (value instanceof Uint8Array && !isKept)
    return Buffer.from(words(Buffer.from(value).toString('latin1')), 'latin1')
  const isWhole = ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value) || types.isRegExp(value)
  return isWhole ? value : {}
}

/** Letters for letters and digits for digits, by a key that nobody keeps. */
function createWords(): (text: string) => string {
  const key = randomBytes(32)
  const known = new Map<string, string>()
  const wordFor = (word: string) => {
    let other = known.get(word)
    if (other === undefined) known.set(word, (other = replace(word, key)))
    return other
  }
  return (text) => text.replace(/[\p{L}\p{N}]+/gu, wordFor)
}

function replace(word: string, key: Buffer): string {
  for (let round = 0; ; round++) {
    const bytes = createHmac('sha512', key).update(`${round} ${word}`).digest()
    const other = [...word].map((letter, at) => characterFor(letter, bytes[at % bytes.length]!, at)).join('')
    if (other !== word || !/[\p{L}2-9]/u.test(word)) return other
  }
}

/** Of the same length in UTF-16, and of ASCII where it was that. */
function characterFor(letter: string, byte: number, at: number): string {
  if (/[0-9]/.test(letter))
    return at === 0 ? (letter === '0' ? '0' : String(1 + (byte % 9))) : String(byte % 10)
  const isUpper = letter !== letter.toLowerCase()
  const base = letter.charCodeAt(0) < 128 ? 97 : 0xe0 // among the letters of Latin-1
  const other = String.fromCharCode(base + (byte % (base === 97 ? 26 : 22)))
  const cased = isUpper ? other.toUpperCase() : other
  return cased.padEnd(letter.length, 'x')
}

/** About as large, and for the same number always the same. */
function numberFor<Kind extends number | bigint>(value: Kind, isSecret: boolean, { words }: Redaction): Kind {
  const text = String(value)
  const isLong = /^-?\d+$/.test(text) && text.replace('-', '').length >= MIN_DIGITS
  if (!isSecret && !isLong) return value
  const digits = isSecret ? words(text) : text.slice(0, 3) + words(text.slice(3))
  return (typeof value === 'bigint' ? BigInt(digits) : Number(digits) || 0) as Kind // 1e21 has a letter
}

function dateNear(date: Date): Date {
  const yearMs = 365 * 24 * 3_600_000
  return new Date(date.getTime() - (randomBytes(4).readUInt32LE() / 2 ** 32) * yearMs)
}
