// Makes real arguments harmless: other words of the same length and kind, other numbers about as large, the same always for the same. Their
// shape, and so the time of a call, stays.
//
// What is kept is a list, and all else is replaced or left out: short whole numbers, words that the code compares with, names of fields
// that the code names, true and false, null, spaces and punctuation. Nothing of that is kept under a name that looks secret.

import { randomBytes } from 'node:crypto'
import { types } from 'node:util'
import { isSecretName, isSecretText } from './secret-names.js'
import { otherBytes, otherNumber, otherNumbers } from './other-numbers.js'
import { createOtherWords, type OtherWords } from './other-words.js'
import { otherPattern } from './other-pattern.js'

export interface RedactOptions {
  /** Only what stands under a name that looks secret, or looks so itself. */
  readonly isRaw: boolean
  /** Whether the app's own code names a field so: then that name is no data. */
  readonly isName: (word: string) => boolean
  /** Whether the app's own code compares something with this text: then it is one of few. */
  readonly isChoice: (text: string) => boolean
}

interface Redaction extends RedactOptions {
  readonly other: OtherWords
  readonly copies: Map<object, unknown>
}

/** @param names of the parameters, where the value is a list of arguments */
export type Redact = (value: unknown, names?: readonly (string | null)[]) => unknown

/** Gives a copy. The words of two redactors differ. */
export function createRedactor(options: RedactOptions): Redact {
  const other = createOtherWords()
  return (value, names) => {
    const redaction = { ...options, other, copies: new Map<object, unknown>() }
    if (names === undefined || !Array.isArray(value)) return redact(value, false, redaction)
    return value.map((each, at) => redact(each, isSecretName(names[at] ?? ''), redaction))
  }
}

function redact(value: unknown, isSecret: boolean, redaction: Redaction): unknown {
  const { isRaw, other } = redaction
  if (typeof value === 'string') return redactText(value, isSecret, redaction)
  if (typeof value === 'number' || typeof value === 'bigint')
    return isRaw && !isSecret ? value : otherNumber(value, isSecret, other)
  if (typeof value === 'boolean' || value === null || value === undefined) return value
  if (typeof value !== 'object') return undefined // a function, or a symbol: none comes here
  const { copies } = redaction
  if (!copies.has(value)) copyObject(value, isSecret, redaction)
  return copies.get(value)
}

function redactText(text: string, isSecret: boolean, { isRaw, isChoice, other }: Redaction): string {
  if (isSecret || (isRaw && isSecretText(text))) return other.whole(text)
  return isRaw || isChoice(text) ? text : other.words(text)
}

/** The copy is known before what it holds, which may hold it again. */
function copyObject(value: object, isSecret: boolean, redaction: Redaction): void {
  const { copies } = redaction
  const whole = copyWhole(value, isSecret, redaction)
  if (whole !== null) return void copies.set(value, whole)
  const hides = isSecret || namesSecret(value)
  const inner = (each: unknown, key?: unknown) =>
    redact(each, hides || (typeof key === 'string' && isSecretName(key)), redaction)
  if (Array.isArray(value)) return copyList(value as unknown[], hides, { inner, redaction })
  if (types.isSet(value)) {
    const copy = new Set<unknown>()
    copies.set(value, copy)
    for (const each of value) copy.add(inner(each))
  } else if (types.isMap(value)) {
    const copy = new Map<unknown, unknown>()
    copies.set(value, copy)
    for (const [key, each] of value)
      copy.set(typeof key === 'string' ? keyFor(key, hides, redaction) : inner(key), inner(each, key))
  } else {
    const copy: Record<string, unknown> = {}
    copies.set(value, copy)
    for (const [key, each] of Object.entries(value))
      setOwn(copy, keyFor(key, hides, redaction), inner(each, key))
  }
}

interface Inner {
  readonly inner: (each: unknown, key?: unknown) => unknown
  readonly redaction: Redaction
}

function copyList(value: readonly unknown[], isSecret: boolean, { inner, redaction }: Inner): void {
  const copy: unknown[] = []
  redaction.copies.set(value, copy)
  const isNumbers = value.length > 0 && value.every((each) => typeof each === 'number')
  const codes =
    isNumbers && !(redaction.isRaw && !isSecret) ? otherNumbers(value, isSecret, redaction.other) : null
  for (let at = 0; at < value.length; at++) copy.push(codes ? codes(at) : inner(value[at]))
}

/** `{ name: 'pin', value: 4711 }` and `['pin', 4711]`. */
function namesSecret(value: object): boolean {
  const held = Array.isArray(value) ? value : Object.values(value)
  return (
    held.length <= 4 &&
    held.some((each) => typeof each === 'string' && each.length <= 24 && isSecretName(each))
  )
}

/** Short numbers are places in a list. */
function keyFor(key: string, isSecret: boolean, { isRaw, isName, other }: Redaction): string {
  return (isRaw && !isSecret) || /^\d{1,4}$/.test(key) || isName(key) ? key : other.words(key)
}

/** A key may be "__proto__". */
function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Of what holds no values of its own; null: it does. */
function copyWhole(value: object, isSecret: boolean, { isRaw, other }: Redaction): object | null {
  const isKept = isRaw && !isSecret
  if (types.isDate(value)) return isKept ? value : dateNear(value)
  if (types.isRegExp(value)) return isKept && !isSecretText(value.source) ? value : otherPattern(value, other)
  if (types.isNativeError(value)) return new Error(isKept ? value.message : other.words(value.message))
  if (ArrayBuffer.isView(value))
    return isKept && !hidesSecret(value) ? value : viewLike(value, isSecret, other)
  if (!types.isAnyArrayBuffer(value)) return null
  const bytes = Buffer.from(value)
  return isKept && !isSecretText(bytes.toString('latin1'))
    ? value
    : alone(otherBytes(bytes, isSecret, other)).buffer
}

const bytesOf = (view: ArrayBufferView) => Buffer.from(view.buffer, view.byteOffset, view.byteLength)

function hidesSecret(view: ArrayBufferView): boolean {
  return isSecretText(bytesOf(view).toString('latin1'))
}

/** In a buffer of their own: that of a small Buffer is shared with others. */
function alone(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes)
}

type NumberArray = Uint16Array<ArrayBuffer>
type Constructor = new (buffer: ArrayBuffer) => ArrayBufferView

function viewLike(view: ArrayBufferView, isSecret: boolean, other: OtherWords): ArrayBufferView {
  if (Buffer.isBuffer(view)) return Buffer.from(alone(otherBytes(view, isSecret, other)).buffer)
  const isBytes = types.isDataView(view) || (view as Uint8Array).BYTES_PER_ELEMENT === 1
  const kind = view.constructor as Constructor
  if (isBytes) return new kind(alone(otherBytes(bytesOf(view), isSecret, other)).buffer)
  const values = view as NumberArray
  const copy = new kind(new ArrayBuffer(view.byteLength)) as NumberArray
  const codes = otherNumbers(values, isSecret, other)
  for (let at = 0; at < values.length; at++)
    copy[at] = (codes ? codes(at) : otherNumber(values[at]!, isSecret, other)) as number
  return copy
}

function dateNear(date: Date): Date {
  const yearMs = 365 * 24 * 3_600_000
  return new Date(date.getTime() - (randomBytes(4).readUInt32LE() / 2 ** 32) * yearMs)
}
