// The bytes of a value that is being written: values, text, shapes, and what goes beside them; tags.ts says how they are laid out.
//
// Two things make it fast. Short texts are joined, and written by one call into native code: each such call takes as long as ten
// texts; only the first few of a message are written letter by letter, as a small value has no others. And nothing is written twice,
// but for the first message with a short text of two-byte characters among many: then the walk begins again.

import { NotSendable } from './not-sendable.js'
import { shapeOf, type Shape, type ShapeNode } from './shapes.js'
import * as tag from './tags.js'
import { isOneByte } from './text.js'

const FIRST_BYTES = 1 << 16
/** Of larger memory nothing is kept for the next message. */
const MAX_KEPT_BYTES = 1 << 24
/** No value is longer: lengths and positions have 32 bits, and Node's buffers end near here. */
const MAX_BYTES = 2 ** 31 - 1
/** Joined text is written when it is so long, so that V8 need not join all of it in one go. */
const FLUSH_TEXT = 8192
/** Characters of a message that are written letter by letter. */
const FIRST_TEXTS = 256
/** Up to here a loop is faster than a call into native code. */
const LOOP_BYTES = 64
/** Objects up to which a list is searched for one that is met again; then a Map. */
const FEW_OBJECTS = 16

/** The walk begins again, since something is known now that would have had to be known before. */
export const RESTART: unique symbol = Symbol('restart')

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
  readonly putPlain: (out: Output, value: Record<string, unknown>, depth: number, how: PlainKind) => void
  readonly putList: (out: Output, list: readonly unknown[], depth: number) => void
  readonly within: (error: unknown, step: string | number) => unknown
}

/** The objects that are moved instead of copied. */
export interface Moved {
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
  transfer: Moved | undefined
  /** A text was met that is not of one-byte characters: from now on each is looked at. */
  isMixed = false
  /** Inherited fields are told from own ones, and lists with other fields than items. Set where somebody has extended Object.prototype. */
  isCareful = false
  /** What errors hold without what cannot travel: see prune.ts, which knows the type. */
  pruning: unknown
  /** Instances whose toData() has been called, and whose data is being written. */
  readonly making: { readonly instance: object; readonly name: string }[] = []
  readonly #first = Buffer.alloc(FIRST_TEXTS)
  #firstLength = 0
  /** There was no room for a text in #first: all that follow are joined. */
  #isJoining = false
  #text = ''
  #textLength = 0
  #written: Buffer | undefined
  #writtenLength = 0
  /** Of this message, among those of all outputs: shapes are theirs together. */
  #stamp = 0
  /** Those of this message come first. Never shortened, which takes V8 longer than to write a small object. */
  readonly #shapes: Shape[] = []
  #shapeCount = 0
  #shapeBytes = 0
  #hasRefs = false
  readonly #few = new Array<object | undefined>(FEW_OBJECTS)
  #many: Map<object, number> | undefined
  /** Objects that were met, and those of them that do not count any more. */
  #count = 0
  #forgotten = 0

  readonly writers: Writers

  constructor(writers: Writers) {
    this.writers = writers
    this.#take(new ArrayBuffer(FIRST_BYTES))
  }

  begin(): void {
    this.at = tag.HEADER
    this.#text = ''
    this.#textLength = this.#firstLength = this.#writtenLength = this.#shapeCount = this.#shapeBytes = 0
    this.#isJoining = false
    this.#stamp = ++stamps
    this.#hasRefs = false
    if (this.beside.length > 0) this.beside = []
    if (this.moved.length > 0) this.moved = []
    this.forget()
    this.#count = this.#forgotten = 0
  }

  /** From here on no object counts as met before. */
  forget(): void {
    this.#many = undefined
    for (let i = Math.min(this.#count - this.#forgotten, FEW_OBJECTS) - 1; i >= 0; i--)
      this.#few[i] = undefined
    this.#forgotten = this.#count
  }

  /** Nothing of the value is kept alive, nor memory that one large value needed. */
  end(): void {
    this.#text = ''
    this.pruning = this.transfer = undefined
    if (this.making.length > 0) this.making.length = 0
    this.forget()
    if (this.limit > MAX_KEPT_BYTES) this.#take(new ArrayBuffer(FIRST_BYTES))
    if (this.#written && this.#written.length > MAX_KEPT_BYTES) this.#written = undefined
  }

  /** Puts text and shapes behind the values. Returns the number of bytes. */
  finish(): number {
    const valuesEnd = this.at
    this.ensure(this.#firstLength + this.#writtenLength + this.#textLength + this.#shapeBytes)
    this.#putCopy(this.#first, this.#firstLength)
    if (this.#writtenLength > 0) {
      this.bytes.set(this.#written!.subarray(0, this.#writtenLength), this.at)
      this.at += this.#writtenLength
    }
    if (this.#textLength > 0) this.#putJoined()
    const { view } = this
    view.setUint32(0, this.#shapeCount | (this.#hasRefs ? tag.HAS_REFS << 16 : 0), true)
    view.setUint32(4, valuesEnd, true)
    view.setUint32(8, this.at, true)
    for (let i = 0; i < this.#shapeCount; i++)
      this.#putCopy(this.#shapes[i]!.bytes, this.#shapes[i]!.bytes.length)
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
    if (length > tag.MAX_JOINED_TEXT || !this.#join(text, length)) return this.#putAlone(text)
    if (length < tag.SHORT_TEXTS) this.bytes[this.at++] = tag.SHORT_TEXTS + length
    else {
      this.bytes[this.at] = tag.TEXT
      this.bytes[this.at + 1] = length
      this.at += 2
    }
    if (this.#textLength > FLUSH_TEXT) this.#flushText()
  }

  /** True, and it is written, if the object was met before. */
  putKnown(value: object): boolean {
    const first = this.#numberOf(value)
    if (first < 0) return false
    const made = this.making.find(({ instance }) => instance === value)
    if (made)
      throw new NotSendable(`a circle: what toData() of class ${made.name} gives holds the instance itself`)
    this.#hasRefs = true
    this.putCount(tag.REF, first)
    return true
  }

  shapeNumber(node: ShapeNode): number {
    const shape = node.shape ?? shapeOf(node)
    if (shape.stamp !== this.#stamp) {
      if (this.#shapeCount === 0xffff) throw new NotSendable('made of more than 65535 kinds of objects')
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

  /** The number of the object; -1: it is new, and has one now. */
  #numberOf(value: object): number {
    const forgotten = this.#forgotten
    const count = this.#count - forgotten
    if (this.#many === undefined) {
      for (let i = 0; i < count; i++) if (this.#few[i] === value) return forgotten + i
      if (count < FEW_OBJECTS) this.#few[count] = value
      else this.#many = new Map(this.#few.map((each, i) => [each!, forgotten + i])).set(value, this.#count)
    } else {
      const known = this.#many.get(value)
      if (known !== undefined) return known
      this.#many.set(value, this.#count)
    }
    this.#count++
    return -1
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

  /** False: it must stand alone. */
  #join(text: string, length: number): boolean {
    if (!this.#isJoining) {
      const at = this.#firstLength
      if (at + length <= FIRST_TEXTS) {
        let all = 0
        for (let i = 0; i < length; i++) {
          const code = text.charCodeAt(i)
          all |= code
          this.#first[at + i] = code
        }
        if (all > 0xff) return false
        this.#firstLength = at + length
        return true
      }
      this.#isJoining = true
    }
    if (this.isMixed && !isOneByte(text)) return false
    this.#text += text
    this.#textLength += length
    return true
  }

  #checkText(): void {
    if (this.isMixed || isOneByte(this.#text)) return
    this.isMixed = true
    throw RESTART
  }

  #putJoined(): void {
    this.#checkText()
    this.bytes.latin1Write(this.#text, this.at, this.#textLength)
    this.at += this.#textLength
  }

  #flushText(): void {
    this.#checkText()
    const end = this.#writtenLength + this.#textLength
    if (this.#written === undefined || end > this.#written.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * end))
      if (this.#written) larger.set(this.#written.subarray(0, this.#writtenLength))
      this.#written = larger
    }
    this.#written.latin1Write(this.#text, this.#writtenLength, this.#textLength)
    this.#writtenLength = end
    this.#text = ''
    this.#textLength = 0
  }

  #putCopy(source: Buffer, length: number): void {
    const { bytes, at } = this
    if (length > LOOP_BYTES) bytes.set(length === source.length ? source : source.subarray(0, length), at)
    else for (let i = 0; i < length; i++) bytes[at + i] = source[i]!
    this.at += length
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

declare global {
  interface Buffer {
    latin1Write(text: string, offset: number, length: number): number
    ucs2Write(text: string, offset: number, length: number): number
    latin1Slice(start: number, end: number): string
    ucs2Slice(start: number, end: number): string
  }
}
