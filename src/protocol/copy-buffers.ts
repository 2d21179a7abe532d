// Large buffers that travel by copy are copied here, and the copy is moved.
//
// Structured clone copies them twice: into the message, and out of it. Of 1 MB in each direction between two bare threads
// 1840 went through in a second; with one copy that is moved, 2270 on Node 24, and on Node 20 3300 instead of 1660.

/** Bytes in all. Below 128 KiB one way is as fast as the other, and small values go another way anyhow. */
const LARGE = 128 * 1024
/** Objects that are looked into; a value with more goes as it is. */
const MAX_OBJECTS = 64

/** A value in which all buffers are copies, and these: as a transfer list. */
export interface Copied {
  readonly value: unknown
  readonly buffers: readonly ArrayBuffer[]
}

/**
 * Undefined: it holds no large buffers, or something else than primitives, plain objects, arrays, whole typed arrays and
 * ArrayBuffers. What occurs twice in the value does so in the copy.
 */
export function copyBuffers(value: unknown): Copied | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    if (!(bytesIn(value, new Set()) >= LARGE)) return undefined // NaN too
    const copies = new Map<object, object>()
    return { value: copyOf(value, copies), buffers: [...copies.values()].filter(isArrayBuffer) }
  } catch {
    return undefined // a getter that throws, or no memory: the message tells
  }
}

/** NaN: something else is in it. */
function bytesIn(value: unknown, seen: Set<object>): number {
  if (typeof value === 'function' || typeof value === 'symbol') return NaN
  if (typeof value !== 'object' || value === null || seen.has(value)) return 0
  if (seen.size === MAX_OBJECTS) return NaN
  seen.add(value)
  const buffer = wholeBuffer(value)
  if (buffer) {
    const isCounted = buffer !== value && seen.has(buffer)
    seen.add(buffer)
    return isCounted ? 0 : buffer.byteLength
  }
  let bytes = 0
  for (const part of partsOf(value)) bytes += bytesIn(part, seen)
  return bytes
}

const unknownPart = [() => {}]

function partsOf(value: object): readonly unknown[] {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Array.prototype) return isDense(value as unknown[]) ? (value as unknown[]) : unknownPart
  return prototype === Object.prototype && !Object.hasOwn(value, '__proto__')
    ? Object.values(value)
    : unknownPart
}

/** Nothing is missing in it, and it has no further properties. */
function isDense(items: readonly unknown[]): boolean {
  if (items.length > MAX_OBJECTS) return false
  const keys = Object.keys(items)
  return keys.length === items.length && keys.every((key, i) => key === String(i))
}

function copyOf(value: unknown, copies: Map<object, object>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const known = copies.get(value)
  if (known) return known
  const buffer = wholeBuffer(value)
  if (buffer) {
    const copy = copies.get(buffer) ?? copyBytes(buffer)
    const own = buffer === value ? copy : viewLike(value, copy as ArrayBuffer)
    copies.set(buffer, copy).set(value, own)
    return own
  }
  const own: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
  copies.set(value, own)
  for (const [key, part] of Object.entries(value))
    (own as Record<string, unknown>)[key] = copyOf(part, copies)
  return own
}

/** Not slice(): that fills its memory with zeros first, and so does a browser anyway. */
function copyBytes(source: ArrayBuffer): ArrayBuffer {
  const { byteLength } = source
  const bytes = typeof Buffer === 'function' ? Buffer.allocUnsafeSlow(byteLength) : new Uint8Array(byteLength)
  bytes.set(new Uint8Array(source))
  return bytes.buffer
}

/** Of a typed array that shows all of it, or of itself. A clone of any other view brings the rest of its buffer along. */
function wholeBuffer(value: object): ArrayBuffer | undefined {
  if (isArrayBuffer(value)) return isFixed(value) ? value : undefined
  if (kindOf(value) === undefined) return undefined
  const { buffer, byteLength } = value as ArrayBufferView
  return isArrayBuffer(buffer) && buffer.byteLength === byteLength && isFixed(buffer) ? buffer : undefined
}

function isArrayBuffer(value: object): value is ArrayBuffer {
  return value instanceof ArrayBuffer
}

function isFixed(buffer: ArrayBuffer & { readonly resizable?: boolean }): boolean {
  return buffer.byteLength > 0 && buffer.resizable !== true
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object
const tag = Object.getOwnPropertyDescriptor(typedArray, Symbol.toStringTag)!

/** 'Float64Array' and the like, as structured clone sees it: by what the array is, whatever its class says. */
function kindOf(value: object): string | undefined {
  return tag.get!.call(value) as string | undefined
}

function viewLike(view: object, buffer: ArrayBuffer): object {
  const kinds = globalThis as unknown as Record<string, new (buffer: ArrayBuffer) => object>
  return new kinds[kindOf(view)!]!(buffer)
}
