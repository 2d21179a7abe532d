// The ring of one worker's replies: the worker writes, the main thread reads, nobody else touches it.
//
//   record:  id i32 | kind, form << 8 | number f64, or nothing | the encoded value, to a multiple of 16 bytes
//
// A record is never cut: the last one may reach beyond the end of the ring (worker-layout.ts), and the next one begins at byte 0.

import { asSmallInteger } from '../../wire/small-integer.js'
import { decode } from '../values/decode-value.js'
import { encode, TOO_LONG, UNFIT } from '../values/encode-value.js'
import { HEAD, MAX_VALUE_BYTES, RING_BYTES, TAIL } from './worker-layout.js'
import type { WorkerViews } from './worker-memory.js'

const HEADER = 16
/** Replies that may lie unread, as far as is known, before the writer looks how far main has read. */
const READ_BYTES = 8 * 1024
/** More than this lies unread: results of 1 KB from calls of 10 µs fill the ring in 2.6 ms. */
const FILLING_BYTES = RING_BYTES / 4
const MASK = RING_BYTES - 1

const NUMBER = 0
const UNDEFINED = 1
const VALUE = 2

export const WRITTEN = 0
/** There is no room now. */
export const FULL = -2
/** This value must go by message. */
export { UNFIT }

export class ReplyWriter {
  readonly #views: WorkerViews
  #tail = 0
  /** Where the last reply begins. */
  #lastAt = 0
  /** HEAD as last seen: it may have moved on. */
  #head = 0

  constructor(views: WorkerViews) {
    this.#views = views
  }

  /** Writes a reply and shows it to the main thread. Returns WRITTEN, FULL or UNFIT. */
  write(kind: number, id: number, value: unknown): number {
    // Long before it must: what V8 sees for the first time after it has compiled this makes it throw the code away.
    if (this.#room() < RING_BYTES - READ_BYTES) this.#head = Atomics.load(this.#views.control, HEAD)
    if (this.#room() < HEADER) return FULL
    const at = this.#tail & MASK
    if (typeof value === 'number') {
      this.#views.ring.doubles[(at >> 3) + 1] = value
      return this.#finish(at, id, kind | (NUMBER << 8), HEADER)
    }
    if (value === undefined) return this.#finish(at, id, kind | (UNDEFINED << 8), HEADER)
    return this.#writeValue(at, kind, id, value)
  }

  /** Main has read all replies but the last one. */
  get isRead(): boolean {
    return Atomics.load(this.#views.control, HEAD) === this.#lastAt
  }

  /** So much lies unread that the ring may be full before long. */
  get isFilling(): boolean {
    return this.#room() < RING_BYTES - FILLING_BYTES
  }

  #room(): number {
    return RING_BYTES - ((this.#tail - this.#head) | 0)
  }

  #writeValue(at: number, kind: number, id: number, value: unknown): number {
    const most = Math.min(this.#room(), HEADER + MAX_VALUE_BYTES)
    const end = encode(this.#views.ring, at + HEADER, at + most, value)
    if (end >= 0) return this.#finish(at, id, kind | (VALUE << 8), Math.min(aligned(end), RING_BYTES) - at)
    return end === TOO_LONG && most < HEADER + MAX_VALUE_BYTES ? FULL : UNFIT
  }

  #finish(at: number, id: number, meta: number, length: number): number {
    const { control, ring } = this.#views
    const word = at >> 2
    ring.words[word] = id
    ring.words[word + 1] = meta
    if (meta >> 8 === VALUE) ring.words[word + 2] = length // elsewhere the number is
    this.#lastAt = this.#tail
    this.#tail = (this.#tail + length) | 0
    Atomics.store(control, TAIL, this.#tail) // all plain writes above become visible with it
    return WRITTEN
  }
}

export type OnReply = (id: number, kind: number, value: unknown) => void

export class ReplyReader {
  readonly #views: WorkerViews
  #head = 0

  constructor(views: WorkerViews) {
    this.#views = views
  }

  get isEmpty(): boolean {
    return Atomics.load(this.#views.control, TAIL) === this.#head
  }

  /** Reads what was written before the call. Returns how many replies that was. */
  drain(onReply: OnReply): number {
    const { control, ring } = this.#views
    const tail = Atomics.load(control, TAIL)
    let replies = 0
    while (this.#head !== tail) {
      const at = this.#head & MASK
      const id = ring.words[at >> 2] as number
      const meta = ring.words[(at >> 2) + 1] as number
      const form = meta >> 8
      const length = form === VALUE ? (ring.words[(at >> 2) + 2] as number) : HEADER
      this.#head = (this.#head + length) | 0 // first: whatever is wrong with a record must not stop those behind it
      const value =
        form === NUMBER
          ? asSmallInteger(ring.doubles[(at >> 3) + 1] as number)
          : form === VALUE
            ? decode(ring, at + HEADER)
            : undefined
      replies++
      onReply(id, meta & 0xff, value)
    }
    Atomics.store(control, HEAD, tail)
    return replies
  }
}

function aligned(end: number): number {
  return (end + HEADER - 1) & ~(HEADER - 1)
}
