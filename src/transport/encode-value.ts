// Writes a value into shared memory: what structured clone would make of it, or nothing.
//
// The rule for everything that is not written here: encode() refuses it and the value travels by message, where the
// platform's structured clone decides. So a value is only taken when the reader's copy cannot be told from a clone: an
// object that is met twice is refused (a clone keeps it one object), and so is an array with properties beside its items.

import { types } from 'node:util'
import type { Memory } from './memory.js'
import { writeShape } from './object-shapes.js'
import * as tag from './tags.js'
import { typedArrays } from './tags.js'

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

/** Longer strings are cheaper in native code than byte by byte. */
const SHORT_STRING = 24

const typedArrayIndex = new Map<unknown, number>(typedArrays.map((type, index) => [type.prototype, index]))
typedArrayIndex.set(Buffer.prototype, typedArrays.indexOf(Uint8Array)) // as structured clone has it

// Where the value that is being written goes. State of the module: passing it along costs a quarter of the speed.
let bytes!: Buffer
let view!: DataView
let at = 0
let end = 0
let isBusy = false
let isTooLong = false
const seen: object[] = []

/** Writes `value` from byte `from`, before `to`. Returns where it ends, UNFIT or TOO_LONG. */
export function encode(memory: Memory, from: number, to: number, value: unknown): number {
  if (isBusy) return UNFIT // a getter of the value that is being written has made a call
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
    seen.length = 0
  }
}

function put(value: unknown, depth: number): boolean {
  if (at + FIXED > end) return tooLong()
  switch (typeof value) {
    case 'number':
      return putNumber(value)
    case 'string':
      return putString(value)
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
    at++
    if (!putString(value < 0n ? `-${(-value).toString(16)}` : value.toString(16), at - 1)) return false
    return true
  }
  bytes[at] = tag.INT64
  view.setBigInt64(at + 1, value, true)
  at += FIXED
  return true
}

/** `bigintAt`: the string stands for a bigint, whose tag goes there. */
function putString(text: string, bigintAt = -1): boolean {
  if (bigintAt >= 0) bytes[bigintAt] = tag.BIGINT
  if (text.length < SHORT_STRING && putShort(text)) return true
  // UTF-8 takes at most three bytes for each of JavaScript's characters.
  const room = end - at - 5
  if (text.length > room || (text.length * 3 > room && Buffer.byteLength(text) > room)) return tooLong()
  if (!text.isWellFormed()) return putUtf16(text)
  const length = bytes.write(text, at + 5, 'utf8')
  bytes[at] = length === text.length ? tag.ASCII : tag.UTF8
  view.setUint32(at + 1, length, true)
  at += 5 + length
  return true
}

function putShort(text: string): boolean {
  const { length } = text
  const start = at + 2
  if (start + length > end) return false
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code > 255) return false
    bytes[start + i] = code
  }
  bytes[at] = tag.SHORT
  bytes[at + 1] = length
  at = start + length
  return true
}

/** UTF-8 would replace lone surrogates. */
function putUtf16(text: string): boolean {
  const length = text.length * 2
  if (at + 5 + length > end) return tooLong()
  bytes[at] = tag.UTF16
  view.setUint32(at + 1, length, true)
  bytes.write(text, at + 5, 'utf16le')
  at += 5 + length
  return true
}

function putObject(value: object, depth: number): boolean {
  if (depth === MAX_DEPTH || types.isProxy(value) || !isNew(value)) return false
  if (Array.isArray(value)) return putArray(value, depth)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype) return putPlain(value as Record<string, unknown>, depth)
  if (ArrayBuffer.isView(value)) return putTyped(value, typedArrayIndex.get(prototype))
  if (types.isDate(value)) return putDouble(tag.DATE, Date.prototype.getTime.call(value))
  return prototype === ArrayBuffer.prototype && putBuffer(value as ArrayBuffer)
}

/** Notes an object; false when it was met before. */
function isNew(value: object): boolean {
  if (seen.length >= MAX_OBJECTS) return false
  for (let i = seen.length - 1; i >= 0; i--) if (seen[i] === value) return false
  seen.push(value)
  return true
}

function putPlain(value: Record<string, unknown>, depth: number): boolean {
  const keys = Object.keys(value)
  const next = writeShape(bytes, at, end, keys)
  if (next < 0) return next === TOO_LONG ? tooLong() : false
  at = next
  for (let i = 0; i < keys.length; i++) if (!put(value[keys[i] as string], depth + 1)) return false
  return true
}

function putArray(value: readonly unknown[], depth: number): boolean {
  const { length } = value
  if (length > (end - at) >> 0 || !isDense(value)) return length > end - at ? tooLong() : false
  bytes[at] = tag.ARRAY
  view.setUint32(at + 1, length, true)
  at += 5
  for (let i = 0; i < length; i++) if (!put(value[i], depth + 1)) return false
  return true
}

/** No holes, and no other properties: index keys come first, in order, so the last key tells of all. */
function isDense(value: readonly unknown[]): boolean {
  const keys = Object.keys(value)
  return (
    keys.length === value.length && (keys.length === 0 || keys[keys.length - 1] === String(keys.length - 1))
  )
}

/** Only a view of a whole buffer: a clone of any other brings the rest of the buffer along. */
function putTyped(value: ArrayBufferView, index: number | undefined): boolean {
  const { buffer, byteOffset, byteLength } = value
  if (index === undefined || byteOffset !== 0 || byteLength !== buffer.byteLength) return false
  if (Object.getPrototypeOf(buffer) !== ArrayBuffer.prototype || !isNew(buffer)) return false
  if (!isPlainBuffer(buffer as ArrayBuffer)) return false
  if (at + 6 + byteLength > end) return tooLong()
  bytes[at] = tag.TYPED
  bytes[at + 1] = index
  at += 2
  return putBytes(buffer as ArrayBuffer)
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
