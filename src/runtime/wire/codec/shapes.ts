// The shapes of objects: their keys, in order. A message holds each shape once, whatever number of objects has it.
//
// Writing: the keys of an object are a walk through a tree. At the end of the walk stands the shape, with its bytes.
//
//      (root) --id--> o --name--> o --price--> o  shape { id, name, price }
//                        \-email-> o  shape { id, email }
//
// Keys may be data, as in an index by user id. So a node has few branches and a shape has few keys; what goes beyond is written as
// text with each object, and so are long keys. The tree itself is dropped when it is large, with all that junk has left in it.

import { hashOf } from '../../../primitives/hash.js'
import { isOneByte } from './text.js'

const MAX_KEYS = 128
/** Characters of a key. So the names of a shape, of which there are MAX_KEYS, take less than 64 KB. */
const MAX_KEY_LENGTH = 128
const MAX_BRANCHES = 48
/** Programs have many kinds of objects, so more begin at the root. */
const MAX_ROOT_BRANCHES = 512
const MAX_NODES = 16_384
/** Shapes that a reader remembers. */
const MAX_READ = 1024
/** Uses after which a reader gets a function of its own. To make one takes 0.2 ms, and saves 0.1 us for each object. */
const HOT = 500
/** Larger functions gain little, and take long to compile. */
const MAX_COMPILED_KEYS = 64

const HEADER = 8
const TWO_BYTE = 0x8000

export interface Shape {
  readonly bytes: Buffer
  /** The message in which it was used last, and its number there. */
  stamp: number
  number: number
}

export class ShapeNode {
  readonly parent: ShapeNode | null
  readonly own: string
  readonly depth: number
  /** The branch that was taken last, which is likely to be the next one. */
  key: string | null = null
  next: ShapeNode | null = null
  branches: Map<string, ShapeNode> | null = null
  shape: Shape | null = null

  constructor(parent: ShapeNode | null, own: string, depth = 0) {
    this.parent = parent
    this.own = own
    this.depth = depth
  }
}

let root = new ShapeNode(null, '')
let nodes = 0

/** Has no branches: all keys are written with their object. */
export const shapeless = new ShapeNode(null, '', MAX_KEYS)

export function shapeRoot(): ShapeNode {
  return root
}

/** The node behind a key that is not `node.key`. Null: keys seem to be data here. */
export function branch(node: ShapeNode, key: string): ShapeNode | null {
  if (node.depth >= MAX_KEYS || key.length > MAX_KEY_LENGTH) return null
  if (node.key === null) {
    node.key = key
    return (node.next = createNode(node, key))
  }
  node.branches ??= new Map([[node.key, node.next!]])
  let next = node.branches.get(key)
  if (next === undefined) {
    if (node.branches.size >= (node === root ? MAX_ROOT_BRANCHES : MAX_BRANCHES)) return null
    node.branches.set(key, (next = createNode(node, key)))
  }
  node.key = key
  node.next = next
  return next
}

/** A walk that is under way goes on in the old tree. */
function createNode(parent: ShapeNode, key: string): ShapeNode {
  if (++nodes > MAX_NODES) {
    root = new ShapeNode(null, '')
    nodes = 0
  }
  return new ShapeNode(parent, key, parent.depth + 1)
}

export function shapeOf(node: ShapeNode): Shape {
  return (node.shape ??= { bytes: shapeBytes(node), stamp: 0, number: 0 })
}

function shapeBytes(node: ShapeNode): Buffer {
  const keys: Buffer[] = []
  for (let at = node; at.parent !== null; at = at.parent) keys.unshift(keyBytes(at.own))
  const text = Buffer.concat(keys)
  const bytes = Buffer.alloc(HEADER + text.length)
  bytes.writeInt32LE(hashOf(text.latin1Slice(0, text.length)) | 0, 0)
  bytes.writeUInt16LE(text.length, 4)
  bytes.writeUInt16LE(keys.length, 6)
  bytes.set(text, HEADER)
  return bytes
}

function keyBytes(key: string): Buffer {
  const isNarrow = isOneByte(key)
  const bytes = Buffer.alloc(2 + key.length * (isNarrow ? 1 : 2))
  bytes.writeUInt16LE(isNarrow ? key.length : key.length | TWO_BYTE, 0)
  bytes.write(key, 2, isNarrow ? 'latin1' : 'utf16le')
  return bytes
}

/** Reads the values of an object; null: nobody has made a function for this shape. */
export type ReadObject = (() => object) | null

export interface ReadShape {
  readonly keys: readonly string[]
  readonly bytes: Buffer
  /** A key would be an accessor, or frozen, on Object.prototype: it cannot be assigned. */
  readonly isDelicate: boolean
  uses: number
  read: ReadObject
}

let readShapes = new Map<number, ReadShape>()

/** The shape whose bytes begin at `at`, before `end`; undefined: there is none. */
export function readShape(bytes: Buffer, at: number, end: number): ReadShape | undefined {
  if (at + HEADER > end) return undefined
  const size = HEADER + (bytes[at + 4]! | (bytes[at + 5]! << 8))
  if (at + size > end) return undefined
  const hash = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
  const known = readShapes.get(hash)
  if (known !== undefined && isSame(known.bytes, bytes, at)) return known
  return parseShape(Buffer.from(bytes.subarray(at, at + size)), hash)
}

function isSame(known: Buffer, bytes: Buffer, at: number): boolean {
  for (let i = 0; i < known.length; i++) if (known[i] !== bytes[at + i]) return false
  return true
}

function parseShape(bytes: Buffer, hash: number): ReadShape | undefined {
  const count = bytes.readUInt16LE(6)
  const keys: string[] = []
  let at = HEADER
  for (let i = 0; i < count; i++) {
    if (at + 2 > bytes.length) return undefined
    const head = bytes.readUInt16LE(at)
    const isWide = (head & TWO_BYTE) !== 0
    const end = at + 2 + (head & ~TWO_BYTE) * (isWide ? 2 : 1)
    if (end > bytes.length) return undefined
    keys.push(asName(bytes.toString(isWide ? 'utf16le' : 'latin1', at + 2, end)))
    at = end
  }
  if (readShapes.size >= MAX_READ) readShapes = new Map()
  const shape = { keys, bytes, isDelicate: keys.some(isDelicate), uses: 0, read: null }
  readShapes.set(hash, shape)
  return shape
}

/** As V8 keeps the names of fields: it need not look it up for each object. */
function asName(key: string): string {
  return Object.keys({ [key]: 0 })[0]!
}

const delicate = new Set(Object.getOwnPropertyNames(Object.prototype))

export function isDelicate(key: string): boolean {
  return key.length <= 20 && delicate.has(key)
}

/** As a computed name only where a plain one would set the prototype: V8 makes objects of those more slowly. */
function nameInLiteral(key: string): string {
  return key === '__proto__' ? '["__proto__"]' : JSON.stringify(key)
}

let mayCompile = true

/** Counts a use, and makes a function for a shape that is used much, where the program may make any. `get` reads the next value. */
export function countUse(shape: ReadShape, get: () => unknown): void {
  if (++shape.uses <= HOT || !mayCompile) return
  shape.uses = -Infinity
  if (shape.keys.length > MAX_COMPILED_KEYS) return
  const fields = shape.keys.map((key) => `${nameInLiteral(key)}:get()`)
  try {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the text is made of quoted names alone
    const compile = new Function('get', `return () => ({${fields.join(',')}})`)
    shape.read = (compile as (get: () => unknown) => () => object)(get)
  } catch {
    mayCompile = false // as under --disallow-code-generation-from-strings
  }
}
