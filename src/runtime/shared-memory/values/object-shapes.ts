// The lists of keys of plain objects: written and read once, and copied or compared as bytes from then on.
//
//   OBJECT  u32 hash  u16 bytes  u16 count | key key key ...        a key: SHORT u8 latin1, or UTF8 u32 bytes
//
// Most programs send objects of few shapes. Both caches are direct-mapped and of fixed size: a collision costs time only.

import { hashOf } from '../../../primitives/hash.js'
import { LATIN1, OBJECT, SHAPE_HEADER, SHORT, UTF8 } from './tags.js'

export interface Shape {
  readonly keys: readonly string[]
  /** Some keys are names of Object.prototype, where an assignment does something else than to add a property. */
  readonly isDelicate: boolean
  /** All of it, from the tag on. */
  readonly bytes: Buffer
}

const CACHE_SIZE = 256
const MAX_KEYS = 1024
/** Longer lists of keys are written and read each time. */
const MAX_CACHED_BYTES = 2048
/** Up to here a loop is faster than a call into native code. */
const LOOP_BYTES = 64

const written = new Array<Shape | undefined>(CACHE_SIZE)
const known = new Array<Shape | undefined>(CACHE_SIZE)

/** The shape with these keys; undefined when it is none that can be written. */
export function shapeOf(keys: readonly string[]): Shape | undefined {
  const place = placeOf(keys)
  const known = written[place]
  if (known !== undefined && isSame(known.keys, keys)) return known
  const shape = createShape(keys)
  if (shape && shape.bytes.length <= MAX_CACHED_BYTES) written[place] = shape
  return shape
}

/** Returns where the shape ends, -1 when it does not fit. */
export function writeShape(bytes: Buffer, at: number, end: number, shape: Shape): number {
  const source = shape.bytes
  const { length } = source
  if (at + length > end) return -1
  if (length > LOOP_BYTES) bytes.set(source, at)
  else for (let i = 0; i < length; i++) bytes[at + i] = source[i] as number
  return at + length
}

/** The shape at `at`, which is `shapeLength(bytes, at)` bytes long. */
export function readShape(bytes: Buffer, at: number, length: number): Shape {
  const place = (bytes[at + 1] as number) & (CACHE_SIZE - 1)
  const shape = known[place]
  if (shape !== undefined && isSameBytes(shape.bytes, bytes, at, length)) return shape
  const own = Buffer.from(bytes.subarray(at, at + length)) // a copy: the memory is used again
  const keys = parseKeys(own)
  const parsed = { keys, bytes: own, isDelicate: keys.some((key) => key in Object.prototype) }
  if (length <= MAX_CACHED_BYTES) known[place] = parsed
  return parsed
}

export function shapeLength(view: DataView, at: number): number {
  return SHAPE_HEADER + view.getUint16(at + 5, true)
}

function placeOf(keys: readonly string[]): number {
  const { length } = keys
  if (length === 0) return 0
  const first = keys[0] as string
  const last = keys[length - 1] as string
  return (
    (length * 31 + first.length * 7 + last.length * 3 + first.charCodeAt(0) + last.charCodeAt(0)) &
    (CACHE_SIZE - 1)
  )
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function isSameBytes(shape: Buffer, bytes: Buffer, at: number, length: number): boolean {
  if (shape.length !== length) return false
  for (let i = 0; i < length; i++) if (shape[i] !== bytes[at + i]) return false
  return true
}

function createShape(keys: readonly string[]): Shape | undefined {
  if (keys.length > MAX_KEYS) return undefined
  const parts = keys.map(encodeKey)
  if (parts.includes(undefined)) return undefined
  const text = Buffer.concat(parts as Buffer[])
  if (text.length > 0xffff) return undefined
  const header = Buffer.alloc(SHAPE_HEADER)
  header[0] = OBJECT
  header.writeUInt32LE(hashOf(text.toString('latin1')), 1)
  header.writeUInt16LE(text.length, 5)
  header.writeUInt16LE(keys.length, 7)
  return { keys: [...keys], bytes: Buffer.concat([header, text]), isDelicate: false }
}

/** Undefined for a key with lone surrogates, which UTF-8 cannot hold. */
function encodeKey(key: string): Buffer | undefined {
  if (!key.isWellFormed()) return undefined
  const text = Buffer.from(key, 'utf8')
  const isShort = text.length === key.length && text.length < 256
  if (isShort) return Buffer.concat([Buffer.of(SHORT, text.length), text])
  const head = Buffer.alloc(5)
  head[0] = text.length === key.length ? LATIN1 : UTF8
  head.writeUInt32LE(text.length, 1)
  return Buffer.concat([head, text])
}

function parseKeys(shape: Buffer): string[] {
  const count = shape.readUInt16LE(7)
  const keys: string[] = []
  let at = SHAPE_HEADER
  for (let i = 0; i < count; i++) {
    const isShort = shape[at] === SHORT
    const length = isShort ? (shape[at + 1] as number) : shape.readUInt32LE(at + 1)
    at += isShort ? 2 : 5
    keys.push(internalized(shape.toString('utf8', at, at + length)))
    at += length
  }
  return keys
}

/** The same text as V8 keeps it for names of properties: with any other, each access would look that one up. */
function internalized(key: string): string {
  const holder = Object.create(null) as Record<string, unknown>
  holder[key] = undefined
  return Object.keys(holder)[0] as string
}
