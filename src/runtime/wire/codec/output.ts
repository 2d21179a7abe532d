// The bytes of a value that is being written: values, text, shapes, and what goes beside them; tags.ts says how they are laid out.
//
// Nothing is read twice and nothing is written twice, but for what a mark is set before: what cannot travel within an error is rolled back,
// and its text stands in its place.

import { KnownObjects } from './known-objects.js'
import { NotSendable } from './not-sendable.js'
import { shapeless, shapeOf, shapeRoot, type Shape, type ShapeNode } from './shapes.js'
import * as tag from './tags.js'
import { isOneByte } from './text.js'
import { copy, TextPart, type TextMark } from './text-part.js'

const FIRST_BYTES = 1 << 16
/** Of larger memory nothing is kept for the next message. */
const MAX_KEPT_BYTES = 1 << 24
/** No value is longer: lengths and positions have 32 bits, and Node's buffers end near here. */
const MAX_BYTES = 2 ** 31 - 1
/** Up to here a loop is faster than a call into native code. */
const LOOP_BYTES = 64
/** Their numbers have 16 bits. Objects that have begun before, one in another, may each take one more. */
const MAX_SHAPES = 60_000

/** What may go beside the bytes, and from which size on buffers do. */
export interface Carrier {
  /** Objects that only a message can carry. False: nothing but ArrayBuffers. */
  readonly objects: boolean
  /** Bytes from which on a buffer is copied into one of its own, and goes beside. */
  readonly besideFrom: number
  /** They are ours: nobody changes them meanwhile, so they need no copy. */
  readonly isOwned?: boolean
}

let stamps = 0

/** Of an object by its fields: it has the prototype of a plain one; there may be inherited fields; it is known to be no other kind. */
export const FAST = 0
export const CAREFUL = 1
export const KNOWN = 2
export type PlainKind = typeof FAST | typeof CAREFUL | typeof KNOWN

/** Those of write-value.ts, for the writers of single kinds. */
export interface Writers {
  readonly put: (out: Output, value: unknown, depth: number) => void
  /** Of an object that was not met before, and has its number. */
  readonly putNew: (out: Output, value: object, depth: number) => void
  readonly putPlain: (out: Output, value: Record<string, unknown>, depth: number, how: PlainKind) => void
  readonly putList: (out: Output, list: readonly unknown[], depth: number) => void
  readonly within: (error: unknown, step: string | number) => unknown
}

/** How much was written. */
export interface Mark {
  readonly at: number
  readonly text: TextMark
  readonly shapes: number
  readonly objects: number
  readonly beside: number
  readonly moved: number
  readonly making: number
  readonly hasRefs: boolean
}

/** The objects that are moved instead of copied. */
export interface MovedObjects {
  has(value: object): boolean
}

export class Output {
  bytes!: Buffer
  view!: DataView
  at = 0
  limit = 0
  carrier!: Carrier
  /** What goes beside the bytes, and what of it is to be moved. */
  beside: object[] = []
  moved: object[] = []
  /** Objects that the caller moves instead of having them copied. */
  transfer: MovedObjects | undefined
  /** Inherited fields are told from own ones, and lists with other fields than items. Set where somebody has extended Object.prototype. */
  isCareful = false
  /** What is written is within an error: what cannot travel becomes text. See prune.ts, which knows the type of the other. */
  isPruning = false
  pruning: unknown
  /** Instances whose toData() has been called, and whose data is being written. */
  readonly making: { readonly instance: object; readonly name: string }[] = []
  readonly #text = new TextPart()
  /** Of this message, among those of all outputs: shapes are theirs together. */
  #stamp = 0
  /** Those of this message come first. Never shortened, which takes V8 longer than to write a small object. */
  readonly #shapes: Shape[] = []
  #shapeCount = 0
  #shapeBytes = 0
  #hasRefs = false
  readonly #objects = new KnownObjects()

  readonly writers: Writers

  constructor(writers: Writers) {
    this.writers = writers
    this.#take(new ArrayBuffer(FIRST_BYTES))
  }

  begin(): void {
    this.at = tag.HEADER
    this.#text.begin()
    this.#shapeCount = this.#shapeBytes = 0
    this.#stamp = ++stamps
    this.#hasRefs = false
    if (this.beside.length > 0) this.beside = []
    if (this.moved.length > 0) this.moved = []
    this.#objects.begin()
  }

  /** From here on no object counts as met before. */
  forget(): void {
    this.#objects.forget()
  }

  /** From here on what is written can be rolled back. */
  log(): void {
    this.#objects.log ??= []
  }

  mark(): Mark {
    return {
      at: this.at,
      text: this.#text.mark(),
      shapes: this.#shapeCount,
      objects: this.#objects.count,
      beside: this.beside.length,
      moved: this.moved.length,
      making: this.making.length,
      hasRefs: this.#hasRefs,
    }
  }

  /** What was written since is not part of the message any more. */
  rollBack(mark: Mark): void {
    this.at = mark.at
    this.#text.rollBack(mark.text)
    this.#objects.rollBack(mark.objects)
    for (; this.#shapeCount > mark.shapes; this.#shapeCount--) {
      const shape = this.#shapes[this.#shapeCount - 1]!
      shape.stamp = 0
      this.#shapeBytes -= shape.bytes.length
    }
    this.beside.length = mark.beside
    this.moved.length = mark.moved
    this.making.length = mark.making
    this.#hasRefs = mark.hasRefs
  }

  /** Nothing of the value is kept alive, nor memory that one large value needed. */
  end(): void {
    this.#text.end()
    this.pruning = this.transfer = undefined
    this.isPruning = false
    if (this.making.length > 0) this.making.length = 0
    this.#objects.begin()
    if (this.limit > MAX_KEPT_BYTES) this.#take(new ArrayBuffer(FIRST_BYTES))
  }

  /** Puts text and shapes behind the values. Returns the number of bytes. */
  finish(): number {
    const valuesEnd = this.at
    const textLength = this.#text.finish()
    this.ensure(textLength + this.#shapeBytes)
    this.#text.copyTo(this.bytes, this.at)
    this.at += textLength
    const { view } = this
    const { wideFrom, wideTo } = this.#text
    if (wideTo > 0) {
      view.setUint32(this.at, wideFrom, true)
      view.setUint32(this.at + 4, wideTo, true)
      this.at += tag.WIDE_BYTES
    }
    const flags = (this.#hasRefs ? tag.HAS_REFS : 0) | (wideTo > 0 ? tag.HAS_WIDE : 0)
    view.setUint32(0, this.#shapeCount | (flags << 16), true)
    view.setUint32(4, valuesEnd, true)
    view.setUint32(8, this.at, true)
    for (let i = 0; i < this.#shapeCount; i++) {
      const { bytes } = this.#shapes[i]!
      copy(bytes, bytes.length, this.bytes, this.at)
      this.at += bytes.length
    }
    return this.at
  }

  /** Gives the memory away, to be moved, and goes on with another. */
  giveMemory(next: ArrayBuffer | undefined): ArrayBuffer {
    const given = this.view.buffer as ArrayBuffer
    this.#take(next ?? Buffer.allocUnsafeSlow(FIRST_BYTES).buffer)
    return given
  }

  /** Makes room for `more` bytes and a tag with its numbers. */
  ensure(more: number): void {
    const needed = this.at + more + 32
    if (needed > this.limit) this.#grow(needed)
  }

  putTag(which: number): void {
    this.bytes[this.at++] = which
  }

  /** A tag and 32 bits. */
  putCount(which: number, count: number): void {
    this.bytes[this.at] = which
    this.view.setUint32(this.at + 1, count, true)
    this.at += 5
  }

  putF64(value: number): void {
    this.view.setFloat64(this.at, value, true)
    this.at += 8
  }

  putString(text: string): void {
    const { length } = text
    this.ensure(0)
    if (length > tag.MAX_JOINED_TEXT || !this.#text.join(text, length)) return this.#putAlone(text)
    if (length < tag.SHORT_TEXTS) this.bytes[this.at++] = tag.SHORT_TEXTS + length
    else {
      this.bytes[this.at] = tag.TEXT
      this.bytes[this.at + 1] = length
      this.at += 2
    }
  }

  /** True, and it is written, if the object was met before. */
  putKnown(value: object): boolean {
    const first = this.#objects.numberOf(value)
    if (first < 0) return false
    const made = this.making.find(({ instance }) => instance === value)
    if (made)
      throw new NotSendable(`a circle: what toData() of class ${made.name} gives holds the instance itself`)
    this.#hasRefs = true
    this.putCount(tag.REF, first)
    return true
  }

  /** Where the keys of the next object begin their walk. */
  shapeRoot(): ShapeNode {
    return this.#shapeCount < MAX_SHAPES ? shapeRoot() : shapeless
  }

  shapeNumber(node: ShapeNode): number {
    const shape = node.shape ?? shapeOf(node)
    if (shape.stamp !== this.#stamp) {
      shape.stamp = this.#stamp
      shape.number = this.#shapeCount
      this.#shapes[this.#shapeCount++] = shape
      this.#shapeBytes += shape.bytes.length
    }
    return shape.number
  }

  putBeside(value: object): void {
    this.putCount(tag.BESIDE, this.beside.length)
    this.beside.push(value)
  }

  /** It goes beside the bytes, and this side loses it. */
  putMoved(value: object): void {
    this.moved.push(value)
    this.putBeside(value)
  }

  /** The same for a copy of ours, which takes a number as each object does. */
  putNumbered(copy: object, isMoved: boolean): void {
    this.putKnown(copy)
    if (isMoved) this.putMoved(copy)
    else this.putBeside(copy)
  }

  isTransferred(value: object): boolean {
    return this.transfer?.has(value) === true
  }

  /** A tag, the number of these bytes, and the bytes. `length`: what the source has, whatever it says of itself. */
  putBytes(which: number, source: Uint8Array, length: number): void {
    this.ensure(5 + length)
    if (length > LOOP_BYTES) this.#pad(tag.WORD)
    this.putCount(which, length)
    this.bytes.set(source, this.at)
    this.at += length
  }

  /** What follows the next tag and its count begins at a multiple of so many bytes. */
  #pad(multiple: number): void {
    while ((this.at + 5) % multiple !== 0) this.putTag(tag.PAD)
  }

  #putAlone(text: string): void {
    const isNarrow = isOneByte(text)
    const size = isNarrow ? text.length : text.length * 2
    this.ensure(size + 6)
    if (!isNarrow) this.#pad(2)
    this.putCount(isNarrow ? tag.LATIN1 : tag.UTF16, size)
    if (isNarrow) this.bytes.latin1Write(text, this.at, size)
    else this.bytes.ucs2Write(text, this.at, size)
    this.at += size
  }

  #take(memory: ArrayBuffer): void {
    this.bytes = Buffer.from(memory)
    this.view = new DataView(memory)
    this.limit = memory.byteLength
  }

  #grow(needed: number): void {
    if (needed > MAX_BYTES) throw new NotSendable('larger than 2 GB')
    let size = this.limit
    while (size < needed) size *= 2
    const before = this.bytes
    // Not filled with zeros first: for a megabyte that takes as long as to write it.
    this.#take(Buffer.allocUnsafeSlow(Math.min(size, MAX_BYTES)).buffer)
    this.bytes.set(before.subarray(0, this.at))
  }
}
