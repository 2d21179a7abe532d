// Makes real arguments harmless: other words of the same length and kind, other numbers about as large, the same always for the same. Their
// shape, and so the time of a call, stays.
//
// What is kept is a list, and all else is replaced or left out: short whole numbers, words that the code compares with, names of fields
// that the code names, true and false, null, spaces and punctuation. Nothing of that is kept under a name that looks secret.

import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { types } from 'node:util'
import { isSecretName } from './secret-names.js'
import { isSecretText, replaceNamed } from './secret-texts.js'
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

function redactText(text: string, isSecret: boolean, redaction: Redaction): string {
  const { isRaw, isChoice, other } = redaction
  if (isSecret) return other.whole(text)
  if (!isRaw) return isChoice(text) ? text : other.words(text)
  return (
    redactJson(text, redaction) ?? (isSecretText(text) ? other.whole(text) : replaceNamed(text, other.whole))
  )
}

/** As the value that it means, so that it can be read as before. Null: it is no JSON. */
function redactJson(text: string, redaction: Redaction): string | null {
  if (!/^\s*["{[]/.test(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    const [, indent] = /^\s*[{[]\n([ \t]+)/.exec(text) ?? []
    const replaced = JSON.stringify(redact(value, false, redaction), null, indent)
    return replaced === JSON.stringify(value, null, indent) ? text : replaced
  } catch {
    return null
  }
}

/** The copy is known before what it holds, which may hold it again. */
function copyObject(value: object, isSecret: boolean, redaction: Redaction): void {
  const { copies } = redaction
  const whole = copyWhole(value, isSecret, redaction)
  if (whole !== null) return void copies.set(value, whole)
  const hides = isSecret || namesSecret(value)
  const isNamed = namedWithin(value, redaction)
  const inner = (each: unknown, key?: unknown) =>
    redact(each, hides || isNamed(key) || (typeof key === 'string' && isSecretName(key)), redaction)
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
  for (let at = 0; at < value.length; at++) copy.push(codes ? codes(at) : inner(value[at], at))
}

/** `{ name: 'pin', value: 4711 }` and `['pin', 4711]`. */
function namesSecret(value: object): boolean {
  const held = Array.isArray(value) ? value : Object.values(value)
  return (
    held.length <= 4 &&
    held.some((each) => typeof each === 'string' && each.length <= 24 && isSecretName(each))
  )
}

const NAME_FIELD = /^(k|key|name|field|header|param|parameter|option|setting|variable|property|attribute)$/i
const VALUE_FIELD = /^(v|val|value|values|data|content|default)$/i
const FLAT_NAME = /^[\p{L}_][\p{L}\d_. -]{0,40}$/u

/** Where more is held: `{ key: 'pin', value: 4711, ... }`, and names and values by turns, as in the raw headers of a request. */
function namedWithin(value: object, { isName, isChoice }: Redaction): (key: unknown) => boolean {
  if (!Array.isArray(value)) {
    const isSecret = Object.entries(value).some(
      ([field, name]) => NAME_FIELD.test(field) && typeof name === 'string' && isSecretName(name),
    )
    return (key) => isSecret && typeof key === 'string' && VALUE_FIELD.test(key)
  }
  const list = value as readonly unknown[]
  const isFlat = list.length % 2 === 0 && isEach(list, (each, at) => at % 2 === 1 || isNameLike(each))
  // A list of names alone, such as those of columns, is none of pairs: the code knows what follows.
  const isKnown = (each: unknown) => typeof each === 'string' && (isName(each) || isChoice(each))
  return (at) =>
    isFlat &&
    Number(at) % 2 === 1 &&
    isSecretName(list[Number(at) - 1] as string) &&
    !isKnown(list[Number(at)])
}

const isNameLike = (each: unknown) => typeof each === 'string' && FLAT_NAME.test(each)

/** Holes too, which every() passes over. */
function isEach(list: readonly unknown[], holds: (each: unknown, at: number) => boolean): boolean {
  for (let at = 0; at < list.length; at++) if (!holds(list[at], at)) return false
  return true
}

/** Short numbers are places in a list. */
function keyFor(key: string, isSecret: boolean, { isRaw, isName, other }: Redaction): string {
  if (/^\d{1,4}$/.test(key) || isName(key)) return key
  if (isSecret || !isRaw) return other.words(key)
  return isSecretText(key) ? other.whole(key) : key
}

/** A key may be "__proto__". */
function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Of what holds no values of its own; null: it does. */
function copyWhole(value: object, isSecret: boolean, redaction: Redaction): object | null {
  const { isRaw, other } = redaction
  const isKept = isRaw && !isSecret
  if (types.isDate(value)) return isKept ? value : dateNear(value)
  if (types.isRegExp(value)) return isKept && !isSecretText(value.source) ? value : otherPattern(value, other)
  if (types.isNativeError(value))
    return new Error(isKept ? redactText(value.message, false, redaction) : other.words(value.message))
  if (ArrayBuffer.isView(value)) return isKept ? rawView(value, redaction) : viewLike(value, isSecret, other)
  if (!types.isAnyArrayBuffer(value)) return null
  const bytes = Buffer.from(value)
  if (!isKept) return alone(otherBytes(bytes, isSecret, other)).buffer
  const replaced = rawBytes(bytes, redaction)
  return replaced === null ? value : alone(replaced).buffer
}

const bytesOf = (view: ArrayBufferView) => Buffer.from(view.buffer, view.byteOffset, view.byteLength)

function rawView(view: ArrayBufferView, redaction: Redaction): ArrayBufferView {
  const replaced = rawBytes(bytesOf(view), redaction)
  if (replaced === null) return view
  const { buffer } = alone(replaced)
  return Buffer.isBuffer(view) ? Buffer.from(buffer) : new (view.constructor as Constructor)(buffer)
}

/** As many. Null: nothing in them looks secret. */
function rawBytes(bytes: Buffer, redaction: Redaction): Buffer | null {
  const { other } = redaction
  if (!isUtf8(bytes)) return isSecretText(bytes.toString('latin1')) ? otherBytes(bytes, false, other) : null
  const text = bytes.toString()
  const replaced = redactText(text, false, redaction)
  if (replaced === text) return null
  return Buffer.byteLength(replaced) === bytes.length
    ? Buffer.from(replaced)
    : otherBytes(bytes, false, other)
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
