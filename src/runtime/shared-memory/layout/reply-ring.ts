// The ring of one worker's replies: the worker writes, the main thread reads, nobody else touches it.
//
//   record:  id i32 | kind, form << 8 | number f64, or bytes of the record and of the value | the value, to a multiple of 16 bytes
//
// A record is never cut: the last one may reach beyond the end of the ring (worker-layout.ts), and the next one begins at byte 0.

import { marked } from '../../task/move.js'
import { Malformed, type ValueOrigin } from '../../wire/codec/input.js'
import type { Output } from '../../wire/codec/output.js'
import { BY_MESSAGE, packOutput, type Carriage } from '../../wire/codec/packet.js'
import { readValue } from '../../wire/codec/read-value.js'
import { asSmallInteger } from '../../wire/codec/small-integer.js'
import { writeValue, type WriteOptions } from '../../wire/codec/write-value.js'
import { REPLY_ERROR, REPLY_UNREADABLE } from '../../wire/messages.js'
import { HEAD, MAX_VALUE_BYTES, RING_BYTES, TAIL } from './worker-layout.js'
import { copyInto } from './memory.js'
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
/** There is no room now: the reply is kept. */
export const FULL = -2
/** This value must go by message. */
export const UNFIT = -1

const PLAIN: WriteOptions = { carrier: BY_MESSAGE }

/** A reply for which there was no room. A value is written already: nobody looks at it twice. */
export interface KeptReply {
  readonly kind: number
  readonly id: number
  readonly content: number | undefined | Buffer
}

export class ReplyWriter {
  readonly #views: WorkerViews
  #tail = 0
  /** Where the last reply begins. */
  #lastAt = 0
  /** HEAD as last seen: it may have moved on. */
  #head = 0
  /** Of a value that must go by message: it is written already. */
  carriage: Carriage | undefined
  /** The last one for which there was no room. */
  kept: KeptReply | undefined
  #id = 0
  #kind = 0

  constructor(views: WorkerViews) {
    this.#views = views
  }

  /**
   * Writes a reply and shows it to the main thread. Returns WRITTEN; FULL, with `kept`; or UNFIT, with `carriage`.
   *
   * @throws NotSendable
   */
  write(kind: number, id: number, value: unknown): number {
    // Long before it must: what V8 sees for the first time after it has compiled this makes it throw the code away.
    if (this.#room() < RING_BYTES - READ_BYTES) this.#head = Atomics.load(this.#views.control, HEAD)
    if (typeof value === 'number' || value === undefined) return this.#writeSmall(kind, id, value)
    this.#id = id
    this.#kind = kind
    const transfer = marked()
    return writeValue(value, transfer ? { carrier: BY_MESSAGE, transfer } : PLAIN, this.#useValue)
  }

  /** Writes one for which there was no room before. False: there is none now. */
  writeKept({ kind, id, content }: KeptReply): boolean {
    this.#head = Atomics.load(this.#views.control, HEAD)
    if (typeof content !== 'object') return this.#writeSmall(kind, id, content) === WRITTEN
    this.#id = id
    this.#kind = kind
    return this.#place(content, content.length)
  }

  #writeSmall(kind: number, id: number, value: number | undefined): number {
    if (this.#room() < HEADER) return this.#keep(kind, id, value)
    const at = this.#tail & MASK
    if (value === undefined) return this.#finish(at, id, kind | (UNDEFINED << 8), HEADER)
    this.#views.ring.doubles[(at >> 3) + 1] = value
    return this.#finish(at, id, kind | (NUMBER << 8), HEADER)
  }

  #keep(kind: number, id: number, content: KeptReply['content']): number {
    this.kept = { kind, id, content }
    return FULL
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

  readonly #useValue = (out: Output, length: number): number => {
    if (length > MAX_VALUE_BYTES || out.beside.length > 0) {
      this.carriage = packOutput(out, length, BY_MESSAGE)
      return UNFIT
    }
    if (this.#place(out.bytes, length)) return WRITTEN
    return this.#keep(this.#kind, this.#id, Buffer.from(out.bytes.subarray(0, length)))
  }

  /** Copies what was written to where main reads it. False: there is no room. */
  #place(bytes: Buffer, length: number): boolean {
    const at = this.#tail & MASK
    const whole = Math.min(aligned(HEADER + length), RING_BYTES - at) // the last one may reach beyond the end
    if (this.#room() < whole) this.#head = Atomics.load(this.#views.control, HEAD)
    if (this.#room() < whole) return false
    const { ring } = this.#views
    copyInto(ring.bytes, at + HEADER, { bytes, length })
    ring.words[(at >> 2) + 3] = length
    this.#finish(at, this.#id, this.#kind | (VALUE << 8), whole)
    return true
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
  /** The call whose reply is being read. */
  #id = 0
  readonly #origin: ValueOrigin

  /** `taskOf`: the name of a call's function, for the error that says why its result cannot be read. */
  constructor(views: WorkerViews, taskOf: (id: number) => string) {
    this.#views = views
    const idOf = () => this.#id
    this.#origin = {
      what: 'The result',
      get task() {
        return taskOf(idOf())
      },
      where: "in the caller's thread",
    }
  }

  get isEmpty(): boolean {
    return Atomics.load(this.#views.control, TAIL) === this.#head
  }

  /**
   * Reads what was written before the call. Returns how many replies that was. One that cannot be read comes as REPLY_UNREADABLE.
   *
   * @throws Malformed when no record of ours stands where one should
   */
  drain(onReply: OnReply): number {
    const { control, ring } = this.#views
    const tail = Atomics.load(control, TAIL)
    if (((tail - this.#head) | 0) < 0 || ((tail - this.#head) | 0) > RING_BYTES)
      throw new Malformed('a ring of replies is damaged')
    let replies = 0
    while (this.#head !== tail) {
      const at = this.#head & MASK
      const id = ring.words[at >> 2] as number
      const meta = ring.words[(at >> 2) + 1] as number
      const form = meta >> 8
      const length = form === VALUE ? (ring.words[(at >> 2) + 2] as number) : HEADER
      if (length < HEADER || length > ((tail - this.#head) | 0))
        throw new Malformed('a ring of replies is damaged')
      this.#head = (this.#head + length) | 0 // first: whatever is wrong with a record must not stop those behind it
      replies++
      if (form === VALUE) this.#readValue(at, meta & 0xff, onReply)
      else
        onReply(
          id,
          meta & 0xff,
          form === NUMBER ? asSmallInteger(ring.doubles[(at >> 3) + 1] as number) : undefined,
        )
    }
    Atomics.store(control, HEAD, tail)
    return replies
  }

  #readValue(at: number, kind: number, onReply: OnReply): void {
    const { ring } = this.#views
    const id = ring.words[at >> 2] as number
    this.#id = id
    const from = at + HEADER
    let value: unknown
    try {
      value = readValue(
        ring,
        { from, to: from + (ring.words[(at >> 2) + 3] as number) },
        NOTHING,
        kind === REPLY_ERROR ? undefined : this.#origin,
      )
    } catch (error) {
      return onReply(id, REPLY_UNREADABLE, error)
    }
    onReply(id, kind, value)
  }
}

const NOTHING: readonly unknown[] = []

function aligned(end: number): number {
  return (end + HEADER - 1) & ~(HEADER - 1)
}
