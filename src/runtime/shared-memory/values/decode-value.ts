// Reads what encode-value.ts has written. The two files are one format: tags.ts.

import { listOfOne } from '../../wire/small-integer.js'
import type { Memory } from './memory.js'
import { readShape, shapeLength } from './object-shapes.js'
import * as tag from './tags.js'
import { typedArrays } from './tags.js'

// Where the value that is being read lies; see encode-value.ts.
let bytes!: Buffer
let view!: DataView
let bufferOf: Memory['bufferOf']
let at = 0

/** Up to here a loop is faster than a call into native code. */
const LOOP_LENGTH = 20

/** The value at byte `from`. Copies everything: the memory may be used again at once. */
export function decode(memory: Memory, from: number): unknown {
  bytes = memory.bytes
  view = memory.view
  bufferOf = memory.bufferOf
  at = from
  return get()
}

/** By tag. A table, and not a switch: V8 would compile all of these functions into get(), and that once more into each that calls it. */
const readers: (() => unknown)[] = []
readers[tag.UNDEFINED] = () => undefined
readers[tag.NULL] = () => null
readers[tag.TRUE] = () => true
readers[tag.FALSE] = () => false
readers[tag.INT32] = getInt32
readers[tag.FLOAT64] = getFloat64
readers[tag.INT64] = getInt64
readers[tag.BIGINT] = getBigint
readers[tag.SHORT] = getShort
readers[tag.LATIN1] = () => getText('latin1')
readers[tag.UTF8] = () => getText('utf8')
readers[tag.UTF16] = () => getText('utf16le')
readers[tag.DATE] = () => new Date(getFloat64())
readers[tag.ARRAY] = getArray
readers[tag.OBJECT] = getObject
readers[tag.BUFFER] = getBuffer
readers[tag.TYPED] = getTyped
readers[tag.INT32S] = getInt32s
readers[tag.FLOAT64S] = getFloat64s
readers[tag.SHARED] = getShared
readers[tag.SHARED_VIEW] = getSharedView

function get(): unknown {
  const which = bytes[at++] as number
  return (readers[which] ?? unknown)()
}

function unknown(): never {
  throw new Error(`shared memory holds the unknown tag ${bytes[at - 1]} at byte ${at - 1}`)
}

function getInt32(): number {
  at += 4
  return view.getInt32(at - 4, true)
}

function getFloat64(): number {
  at += 8
  return view.getFloat64(at - 8, true)
}

function getInt64(): bigint {
  at += 8
  return view.getBigInt64(at - 8, true)
}

function getShort(): string {
  const length = bytes[at++] as number
  const start = at
  at += length
  if (length > LOOP_LENGTH) return bytes.toString('latin1', start, at)
  let text = ''
  let i = start
  // Four at a time: each += makes a string.
  for (; i + 4 <= at; i += 4)
    text += String.fromCharCode(bytes[i]!, bytes[i + 1]!, bytes[i + 2]!, bytes[i + 3]!)
  for (; i < at; i++) text += String.fromCharCode(bytes[i]!)
  return text
}

function getText(encoding: BufferEncoding): string {
  const start = at + 4
  at = start + view.getUint32(at, true)
  return bytes.toString(encoding, start, at)
}

function getBigint(): bigint {
  const text = get() as string
  return text.startsWith('-') ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`)
}

function getArray(): unknown[] {
  const length = view.getUint32(at, true)
  at += 4
  if (length === 0) return []
  const items = listOfOne(get())
  for (let i = 1; i < length; i++) items.push(get())
  return items
}

function getInt32s(): number[] {
  const start = at + 4
  at = start + 4 * view.getUint32(at, true)
  const items: number[] = []
  for (let i = start; i < at; i += 4) items.push(view.getInt32(i, true))
  return items
}

function getFloat64s(): number[] {
  const start = at + 4
  at = start + 8 * view.getUint32(at, true)
  const items: number[] = []
  for (let i = start; i < at; i += 8) items.push(view.getFloat64(i, true))
  return items
}

function getObject(): object {
  const start = at - 1
  const length = shapeLength(view, start)
  const { keys, isDelicate } = readShape(bytes, start, length)
  at = start + length
  const object: Record<string, unknown> = {}
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string
    if (isDelicate) define(object, key, get())
    else object[key] = get()
  }
  return object
}

/** Assigning to `__proto__` would change the prototype, and to `toString` fail where Object.prototype is frozen. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
}

function getBuffer(): ArrayBuffer {
  const length = view.getUint32(at, true)
  const start = at + 4
  at = start + length
  const buffer = new ArrayBuffer(length)
  new Uint8Array(buffer).set(bytes.subarray(start, at))
  return buffer
}

function getShared(): SharedArrayBuffer {
  at += 4
  return bufferOf!(view.getUint32(at - 4, true))
}

function getSharedView(): ArrayBufferView {
  const TypedArray = typedArrays[bytes[at++] as number]!
  at++ // the tag
  const buffer = getShared()
  at += 16
  return new TypedArray(buffer, view.getFloat64(at - 16, true), view.getFloat64(at - 8, true))
}

function getTyped(): ArrayBufferView {
  const TypedArray = typedArrays[bytes[at++] as number]!
  return new TypedArray(getBuffer())
}
