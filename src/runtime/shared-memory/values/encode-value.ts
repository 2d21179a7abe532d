// Writes a value into shared memory: what structured clone would make of it, or nothing.
//
// The rule for everything that is not written here: encode() refuses it and the value travels by message, where the
// platform's structured clone decides. So a value is only taken when the reader's copy cannot be told from a clone: an
// object that is met twice is refused (a clone keeps it one object), and so is an array with properties beside its items. One
// exception: a buffer on shared memory is the same object in several calls (known-buffers.ts).

import { types } from 'node:util'
import { hasOnlyItems } from '../../wire/array-keys.js'
import { classes } from '../../task/register-class.js'
import type { Memory } from './memory.js'
import { shapeOf, writeShape, type Shape } from './object-shapes.js'
import * as tag from './tags.js'
import { typedArrays } from './tags.js'
import { writeText } from './write-text.js'

/** The value is not for shared memory: it must travel by message. */
export const UNFIT = -1
/** It did not fit between `from` and `to`; it may with more room. */
export const TOO_LONG = -2

/** Deeper values are rare, and recursion must end. */
const MAX_DEPTH = 32

/** Objects that are remembered one by one to find one that is met twice; values with more go by message. */
const MAX_OBJECTS = 512

/** The largest value of fixed size: its tag and eight bytes. */
const FIXED = 9
/** A view of shared memory: tag, which, its buffer, byte offset, length. */
const SHARED_VIEW = 23
/** The property may be hidden by one of the view's own. */
const ownLength = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'length')!

const typedArrayIndex = new Map<unknown, number>(typedArrays.map((type, index) => [type.prototype, index]))
typedArrayIndex.set(Buffer.prototype, typedArrays.indexOf(Uint8Array)) // as structured clone has it

// Where the value that is being written goes. State of the module: what each function would have to pass along.
let target!: Memory
let bytes!: Buffer
let view!: DataView
let at = 0
let end = 0
let isBusy = false
let isTooLong = false
const seen = new Array<object | undefined>(MAX_OBJECTS)
let seenCount = 0
/** By depth: the shape of the last object, which is likely to be that of the next one. */
const lastShapes: (Shape | undefined)[] = []

/** Writes `value` from byte `from`, before `to`. Returns where it ends, UNFIT or TOO_LONG. */
export function encode(memory: Memory, from: number, to: number, value: unknown): number {
  if (isBusy) return UNFIT // a getter of the value that is being written has made a call
  target = memory
  bytes = memory.bytes
  view = memory.view
  at = from
  end = to
  isBusy = true
  isTooLong = false
  try {
    if (put(value, 0)) return at
    return isTooLong ? TOO_LONG : UNFIT
  } catch {
    return UNFIT // a getter has thrown; by message it throws again, and the caller learns of it
  } finally {
    isBusy = false
    while (seenCount > 0) seen[--seenCount] = undefined
  }
}

function put(value: unknown, depth: number): boolean {
  if (at + FIXED > end) return tooLong()
  switch (typeof value) {
    case 'number':
      return putNumber(value)
    case 'string':
      return putText(value)
    case 'boolean':
      return putTag(value ? tag.TRUE : tag.FALSE)
    case 'undefined':
      return putTag(tag.UNDEFINED)
    case 'object':
      return value === null ? putTag(tag.NULL) : putObject(value, depth)
    case 'bigint':
      return putBigint(value)
    default:
      return false
  }
}

function tooLong(): false {
  isTooLong = true
  return false
}

function putTag(which: number): true {
  bytes[at++] = which
  return true
}

function putNumber(value: number): true {
  if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
    bytes[at] = tag.INT32
    view.setInt32(at + 1, value, true)
    at += 5
  } else {
    putDouble(tag.FLOAT64, value)
  }
  return true
}

function putDouble(which: number, value: number): true {
  bytes[at] = which
  view.setFloat64(at + 1, value, true)
  at += FIXED
  return true
}

function putBigint(value: bigint): boolean {
  if (BigInt.asIntN(64, value) !== value) {
    bytes[at++] = tag.BIGINT
    return putText(value < 0n ? `-${(-value).toString(16)}` : value.toString(16))
  }
  bytes[at] = tag.INT64
  view.setBigInt64(at + 1, value, true)
  at += FIXED
  return true
}

function putText(text: string): boolean {
  const next = writeText(target, at, end, text)
  if (next < 0) return tooLong()
  at = next
  return true
}

function putObject(value: object, depth: number): boolean {
  if (depth === MAX_DEPTH || types.isProxy(value) || !isNew(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype) return putPlain(value as Record<string, unknown>, depth)
  if (classes.count > 0 && classes.byPrototype.has(prototype)) return false // a Date may be one
  if (Array.isArray(value)) return putArray(value, depth)
  if (ArrayBuffer.isView(value)) return putTyped(value, typedArrayIndex.get(prototype))
  if (types.isDate(value)) return putDouble(tag.DATE, Date.prototype.getTime.call(value))
  if (prototype === ArrayBuffer.prototype) return putBuffer(value as ArrayBuffer)
  return types.isSharedArrayBuffer(value) && prototype === SharedArrayBuffer.prototype && putShared(value)
}

/** Notes an object; false when it was met before. */
function isNew(value: object): boolean {
  if (seenCount === MAX_OBJECTS) return false
  for (let i = seenCount - 1; i >= 0; i--) if (seen[i] === value) return false
  seen[seenCount++] = value
  return true
}

function putPlain(value: Record<string, unknown>, depth: number): boolean {
  let shape = lastShapes[depth]
  if (shape === undefined || !isOfShape(value, shape.keys)) {
    shape = shapeOf(Object.keys(value))
    if (shape === undefined) return false
    lastShapes[depth] = shape
  }
  if (mayBeNoPlain(shape.keys) && Object.prototype.toString.call(value) !== '[object Object]') return false
  const next = writeShape(bytes, at, end, shape)
  if (next < 0) return tooLong()
  at = next
  return putValues(value, shape.keys.length, depth)
}

/** An `arguments` object, or a date or a boxed text with another prototype. To ask each object would slow down all. */
function mayBeNoPlain(keys: readonly string[]): boolean {
  return keys.length === 0 || keys[0] === '0'
}

/** Whether these are its own enumerable keys, in this order. */
function isOfShape(value: Record<string, unknown>, keys: readonly string[]): boolean {
  let count = 0
  // V8 knows the keys of the last object of this hidden class: no list of them is made, as for Object.keys.
  for (const key in value) if (keys[count++] !== key) return false
  // Inherited keys, if any, come last.
  return count === keys.length && (count === 0 || Object.hasOwn(value, keys[count - 1] as string))
}

/** In a loop over the keys, V8 finds their values without a look-up. */
function putValues(value: Record<string, unknown>, count: number, depth: number): boolean {
  let done = 0
  for (const key in value) {
    if (done++ === count) break // inherited ones follow
    if (!put(value[key], depth + 1)) return false
  }
  return done >= count // a getter may have removed a key
}

function putArray(value: readonly unknown[], depth: number): boolean {
  const { length } = value
  if (length > end - at) return tooLong()
  if (!hasOnlyItems(value)) return false
  const items: unknown[] = []
  for (let i = 0; i < length; i++) {
    const item = value[i] // once: there may be getters
    if (item === undefined && !Object.hasOwn(value, i)) return false // a hole
    items.push(item)
  }
  if (typeof items[0] === 'number') {
    if (at + 5 + 4 * length > end) return tooLong() // not item by item to the end of the room
    if (putInt32s(items) || putFloat64s(items)) return true
  }
  bytes[at] = tag.ARRAY
  view.setUint32(at + 1, length, true)
  at += 5
  for (let i = 0; i < length; i++) if (!put(items[i], depth + 1)) return false
  return true
}

/** False: some item is of another kind. */
function putInt32s(items: readonly unknown[]): boolean {
  const { length } = items
  for (let i = 0; i < length; i++) {
    const item = items[i]
    if (typeof item !== 'number' || (item | 0) !== item || (item === 0 && 1 / item < 0)) return false
    view.setInt32(at + 5 + 4 * i, item, true)
  }
  return finishNumbers(tag.INT32S, length, 4)
}

/** False: some item is of another kind, or there may be room when they are written one by one. */
function putFloat64s(items: readonly unknown[]): boolean {
  const { length } = items
  if (at + 5 + 8 * length > end) return false
  for (let i = 0; i < length; i++) {
    const item = items[i]
    if (typeof item !== 'number') return false
    view.setFloat64(at + 5 + 8 * i, item, true)
  }
  return finishNumbers(tag.FLOAT64S, length, 8)
}

function finishNumbers(which: number, length: number, size: number): true {
  bytes[at] = which
  view.setUint32(at + 1, length, true)
  at += 5 + size * length
  return true
}

/** Only a view of a whole buffer: a clone of any other brings the rest of the buffer along. */
function putTyped(value: ArrayBufferView, index: number | undefined): boolean {
  const { buffer, byteOffset, byteLength } = value
  if (index !== undefined && types.isSharedArrayBuffer(buffer)) return putSharedView(value, index, buffer)
  if (index === undefined || byteOffset !== 0 || byteLength !== buffer.byteLength) return false
  if (Object.getPrototypeOf(buffer) !== ArrayBuffer.prototype || !isNew(buffer)) return false
  if (!isPlainBuffer(buffer as ArrayBuffer)) return false
  if (at + 6 + byteLength > end) return tooLong()
  bytes[at] = tag.TYPED
  bytes[at + 1] = index
  at += 2
  return putBytes(buffer as ArrayBuffer)
}

/** Not one that can grow: a view of it may grow with it. */
function putShared(buffer: SharedArrayBuffer & { readonly growable?: boolean }): boolean {
  if (target.numbers === undefined || buffer.growable === true) return false
  bytes[at] = tag.SHARED
  view.setUint32(at + 1, target.numbers.numberOf(buffer), true)
  at += 5
  return true
}

function putSharedView(value: ArrayBufferView, index: number, buffer: SharedArrayBuffer): boolean {
  if (at + SHARED_VIEW > end) return tooLong()
  bytes[at] = tag.SHARED_VIEW
  bytes[at + 1] = index
  at += 2
  if (!putShared(buffer)) return false
  view.setFloat64(at, value.byteOffset, true)
  view.setFloat64(at + 8, ownLength.get!.call(value) as number, true)
  at += 16
  return true
}

function putBuffer(buffer: ArrayBuffer): boolean {
  if (!isPlainBuffer(buffer)) return false
  if (at + 5 + buffer.byteLength > end) return tooLong()
  bytes[at++] = tag.BUFFER
  return putBytes(buffer)
}

function putBytes(buffer: ArrayBuffer): true {
  const { byteLength } = buffer
  view.setUint32(at, byteLength, true)
  bytes.set(new Uint8Array(buffer), at + 4)
  at += 4 + byteLength
  return true
}

/** One of fixed length; an empty one may be detached, which structured clone refuses. */
function isPlainBuffer(buffer: ArrayBuffer & { readonly resizable?: boolean }): boolean {
  return buffer.byteLength > 0 && buffer.resizable !== true
}
