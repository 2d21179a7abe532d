// Large buffers that travel by copy are copied here, and the copy is moved.
//
// Structured clone copies them twice: into the message, and out of it. Of 1 MB in each direction between two bare threads
// 1840 went through in a second; with one copy that is moved, 2270 on Node 24, and on Node 20 3300 instead of 1660.
//
// Only what certainly comes out as structured clone has it is copied; everything else goes to structured clone as it is.

import { types } from 'node:util'
import type { Copied } from '../wire/message-parts.js'

/** Bytes in all. Below 128 KiB one way is as fast as the other, and small values go another way anyhow. */
const LARGE = 128 * 1024
/** Objects, with the buffers of views; a value with more goes as it is. */
const MAX_PARTS = 128

/** A copy in the making: by original. The bytes come last, when it is known that all of it can be copied. */
type Copies = Map<object, object>

/**
 * Undefined: it holds no large buffers, or something else than primitives, plain objects, arrays, whole typed arrays and
 * ArrayBuffers. What occurs twice in the value does so in the copy.
 */
export function copyBuffers(value: unknown): Copied | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const copies: Copies = new Map()
  try {
    const copy = copyOf(value, copies)
    const sources = [...copies.keys()].filter(types.isArrayBuffer)
    const bytes = sources.reduce((sum, source) => sum + bytesOf(source), 0)
    if (copy === REFUSED || bytes < LARGE) return undefined
    const buffers = sources.map((source) => fill(copies.get(source) as ArrayBuffer, source))
    return { value: copy, buffers }
  } catch {
    return undefined // a getter that throws, or no memory: structured clone tells
  }
}

const REFUSED = Symbol('refused')

function copyOf(value: unknown, copies: Copies): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return REFUSED
  if (typeof value !== 'object' || value === null) return value
  const known = copies.get(value)
  if (known) return known
  if (copies.size >= MAX_PARTS) return REFUSED
  if (types.isArrayBuffer(value)) return emptyLike(value, copies)
  if (types.isTypedArray(value)) return viewLike(value, copies)
  if (Array.isArray(value) ? !isDense(value) : !isPlain(value)) return REFUSED
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
  copies.set(value, copy)
  for (const [key, part] of Object.entries(value)) {
    const own = copyOf(part, copies)
    if (own === REFUSED) return REFUSED
    ;(copy as Record<string, unknown>)[key] = own
  }
  return copy
}

/** Nothing is missing in it, and it has no further properties. */
function isDense(items: readonly unknown[]): boolean {
  if (types.isProxy(items) || Object.getPrototypeOf(items) !== Array.prototype) return false
  if (items.length > MAX_PARTS) return false
  const keys = Object.keys(items)
  return keys.length === items.length && keys.every((key, i) => key === String(i))
}

function isPlain(value: object): boolean {
  if (types.isProxy(value) || Object.getPrototypeOf(value) !== Object.prototype) return false
  // Others may have been given this prototype: their content is not in their fields.
  if (Object.prototype.toString.call(value) !== '[object Object]' || types.isMap(value) || types.isSet(value))
    return false
  return !Object.hasOwn(value, '__proto__')
}

/** Of a typed array that shows all of its buffer. A clone of any other view brings the rest of the buffer along. */
function viewLike(view: NodeJS.TypedArray, copies: Copies): unknown {
  const buffer = bufferOf(view)
  if (!types.isArrayBuffer(buffer) || viewBytesOf(view) !== bytesOf(buffer)) return REFUSED
  const copy = copies.get(buffer) ?? emptyLike(buffer, copies)
  if (copy === REFUSED) return REFUSED
  const kinds = globalThis as unknown as Record<string, new (buffer: ArrayBuffer) => object>
  const own = new kinds[kindOf(view)]!(copy as ArrayBuffer)
  copies.set(view, own)
  return own
}

/** Not slice(): that fills its memory with zeros first. */
function emptyLike(buffer: ArrayBuffer, copies: Copies): unknown {
  if (bytesOf(buffer) === 0 || isResizable(buffer)) return REFUSED
  const copy = Buffer.allocUnsafeSlow(bytesOf(buffer)).buffer
  copies.set(buffer, copy)
  return copy
}

function fill(copy: ArrayBuffer, source: ArrayBuffer): ArrayBuffer {
  new Uint8Array(copy).set(new Uint8Array(source))
  return copy
}

// As structured clone reads them, whatever a class or an object says of itself.
const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object
const kindOf = getter<string>(typedArray, Symbol.toStringTag)
const bufferOf = getter<ArrayBufferLike>(typedArray, 'buffer')
const viewBytesOf = getter<number>(typedArray, 'byteLength')
const bytesOf = getter<number>(ArrayBuffer.prototype, 'byteLength')
const isResizable = getter<boolean>(ArrayBuffer.prototype, 'resizable')

function getter<T>(prototype: object, key: PropertyKey): (object: object) => T {
  const property = Object.getOwnPropertyDescriptor(prototype, key)!
  return (object) => property.get!.call(object) as T
}
