// Whether structured clone alone brings all of a large value as it is: then the value itself is sent, and this thread does not copy it first.
//
// Plain objects, lists, Map, Set, texts and numbers, and what a browser clones whole. All else (an instance, an error, a URL, what cannot travel)
// is for the copy, which knows better: here it only has to be recognised, for a part of what the clone costs.

import { builtInName } from '../../../primitives/platform-class.js'
import { classes } from '../../task/register-class.js'

/** Of classes of the platform: structured clone keeps all that there is of them. */
const WHOLE =
  /^(Date|RegExp|Image(Bitmap|Data)|Blob|File|VideoFrame|AudioData|CryptoKey|DOM[MPQR]\w+|\w+(\d|Clamped)Array|DataView)$/
/** Bytes of a buffer from which on a copy of it is moved: below, that takes longer than to copy it again. */
export const MOVED_FROM = 16 * 1024
/** Deeper ones may be circles. */
const MAX_DEPTH = 64
/** Objects: an object may be in a value many times over. */
const MAX_OBJECTS = 4_000_000
/** Characters of all texts: browsers refuse a message of more, or the whole page fails. */
export const MAX_TEXT = 2 ** 30

const { getPrototypeOf, keys, prototype: plain } = Object
const { isArray } = Array
const { prototype: list } = Array
const { prototype: bytes } = ArrayBuffer

const isWholeByPrototype = new WeakMap<object, boolean>()

/** Of the look that goes on: fields of an object would cost half as much as all the rest. */
let objectsLeft = 0
let textLeft = 0
let isHasty = false

/**
 * `hasty`: fields that lists have beside their items are not looked at. To ask each list for them takes as long as all the rest, three times as long in
 * Firefox, and leaves megabytes of indexes to be collected: a page would wait for that.
 */
export function looksPlain(value: unknown, hasty: boolean): boolean {
  isHasty = hasty
  objectsLeft = MAX_OBJECTS
  textLeft = MAX_TEXT
  return isPlain(value, 0)
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return (textLeft -= value.length) >= 0
  if (typeof value !== 'object') return typeof value !== 'function' && typeof value !== 'symbol'
  if (value === null) return true
  if (depth > MAX_DEPTH || --objectsLeft < 0) return false
  const prototype = getPrototypeOf(value) as object | null
  if (prototype === plain || prototype === null)
    return plain.toString.call(value) === '[object Object]' && areFieldsPlain(value, depth)
  if (classes.count > 0 && classes.byPrototype.has(prototype)) return false
  if (prototype === list) return isArray(value) && isListPlain(value, depth)
  return isOtherWhole(value, prototype, depth)
}

function areFieldsPlain(value: object, depth: number): boolean {
  let isEmpty = true
  // Not keys(), which makes a list. What is inherited is looked at for nothing.
  for (const key in value) {
    isEmpty = false
    const field = (value as Record<string, unknown>)[key]
    if (typeof field === 'number' || typeof field === 'boolean') continue // a call for each would take as long again
    if (!isPlain(field, depth + 1)) return false
  }
  return !isEmpty || Reflect.ownKeys(value).length === 0 // with fields that do not travel it is refused
}

/** Without holes or fields beside its items: with as many of both, keys() alone would not tell. */
function isListPlain(value: readonly unknown[], depth: number): boolean {
  const { length } = value
  for (let i = 0; i < length; i++) {
    const item = value[i]
    if (typeof item === 'number' || typeof item === 'boolean') continue
    if (!(i in value && isPlain(item, depth + 1))) return false
  }
  return isHasty || keys(value).length === length
}

function isOtherWhole(value: object, prototype: object, depth: number): boolean {
  if (ArrayBuffer.isView(value)) return isSmall(value) && isWhole(prototype)
  for (const key in value)
    if (Object.hasOwn(value, key) && !(key === 'data' && isPicture(value))) return false
  const isMap = prototype === Map.prototype
  if (!isMap && prototype !== Set.prototype) return isWhole(prototype)
  let isSo = true
  const look = (item: unknown, key: unknown) =>
    void (isSo &&= isPlain(item, depth + 1) && isPlain(key, depth + 1))
  if (isMap) Map.prototype.forEach.call(value as Map<unknown, unknown>, look)
  else Set.prototype.forEach.call(value as Set<unknown>, look)
  return isSo
}

/** Of such a class, of which one clone is all that a page can afford. An ImageData of Chromium has its `data` as a field of its own. */
export function isPicture(value: object): boolean {
  return /^(Aud|Ima|Vid)/.test(builtInName((getPrototypeOf(value) as object | null) ?? value) ?? '')
}

function isWhole(prototype: object): boolean {
  let known = isWholeByPrototype.get(prototype)
  if (known === undefined) {
    known = WHOLE.test(builtInName(prototype) ?? '')
    isWholeByPrototype.set(prototype, known)
  }
  return known
}

/** Its memory, which the clone takes along as a whole. A DataCloneError tells of one that was moved before. */
function isSmall({ buffer }: ArrayBufferView): boolean {
  return getPrototypeOf(buffer) === bytes && buffer.byteLength > 0 && buffer.byteLength < MOVED_FROM
}
