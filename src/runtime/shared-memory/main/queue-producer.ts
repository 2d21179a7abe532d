// The main thread's side of the request queue: puts calls in, takes them back, and finds what a dead worker held.

import { marked } from '../../task/move.js'
import { types } from 'node:util'
import { apart } from '../../wire/codec/apart.js'
import type { Output } from '../../wire/codec/output.js'
import { BY_MESSAGE, packOutput, type Carriage } from '../../wire/codec/packet.js'
import { WORD } from '../../wire/codec/tags.js'
import { writeValue, type WriteOptions } from '../../wire/codec/write-value.js'
import { copyInto } from '../layout/memory.js'
import * as layout from '../layout/queue-layout.js'
import { SLOTS, slotWord } from '../layout/queue-layout.js'
import type { QueueViews } from '../layout/queue-memory.js'

/** There is no room now. */
export const FULL = -2
/** The arguments hold what must go by message. */
export const UNFIT = -1
/** The arguments are too long for the queue: the call must go by message. */
export const LARGE = -3

/** Of the number of a buffer, behind the arguments that hold it. */
const NUMBER_BYTES = 4

/** How buffers on shared memory are named. */
export interface BufferNumbers {
  numberOf(buffer: SharedArrayBuffer): number
}

const BY_QUEUE: WriteOptions = { carrier: BY_MESSAGE }

export interface Claimed {
  readonly id: number
  readonly position: number
}

export class QueueProducer {
  readonly #views: QueueViews
  #tail = 0
  /** HEAD as last seen: it may have moved on. */
  #head = 0
  /** Positions before this one have given their payload back. */
  #reclaimed = 0
  #payloadTail = 0
  #payloadHead = 0
  /** Of the arguments that were written last: where they are, and where #payloadTail is once their call is in the queue. */
  #writtenAt = 0
  #writtenEnd = 0
  #writtenLength = 0
  #writtenBuffers = 0
  /** Of arguments that must go by message, or found no room: they are written already. */
  carriage: Carriage | undefined
  readonly #buffers: BufferNumbers
  /** Where the payload of each slot ends. */
  readonly #payloadEnds = new Int32Array(SLOTS)

  constructor(views: QueueViews, buffers: BufferNumbers) {
    this.#views = views
    this.#buffers = buffers
  }

  /** Position of the next call. */
  get tail(): number {
    return this.#tail
  }

  /** Calls that no worker has claimed; withdrawn ones may be among them. */
  get waiting(): number {
    this.#head = this.#loadHead()
    return (this.#tail - this.#head) | 0
  }

  /** A worker may have damaged it. Too early a position does no harm: whoever finds nothing there moves it on. */
  #loadHead(): number {
    const { control } = this.#views
    const head = Atomics.load(control, layout.HEAD)
    if ((this.#tail - head) >>> 0 <= SLOTS) return head
    return Atomics.store(control, layout.HEAD, (this.#tail - SLOTS) | 0)
  }

  /** Calls that no worker has claimed, exactly. */
  get unclaimed(): number {
    let count = 0
    for (let position = this.#loadHead(); position !== this.#tail; position = (position + 1) | 0)
      if (Atomics.load(this.#views.slots, slotWord(position)) === layout.fullAt(position)) count++
    return count
  }

  /** Shows the workers what was put in. */
  publish(): void {
    Atomics.store(this.#views.control, layout.TAIL, this.#tail) // all plain writes before become visible with it
  }

  /**
   * Writes the arguments of the next call where there is room. Returns their form, to be given to put(); or LARGE, UNFIT or FULL, with
   * `carriage`. `isEach`: they are the arguments of as many calls. `kept`: the same arguments, from a `carriage` after FULL.
   *
   * @throws NotSendable
   */
  write(args: readonly unknown[], isEach: boolean, kept?: Uint8Array): number {
    const position = this.#tail
    if (!this.#isFree(position, slotWord(position))) return FULL
    this.#writtenEnd = this.#payloadTail
    if (args.length === 0) return layout.NO_ARGUMENTS
    const only = args[0]
    if (args.length === 1 && typeof only === 'number') {
      this.#views.numbers[(position & (SLOTS - 1)) * 8 + layout.NUMBER] = only
      return layout.ONE_NUMBER
    }
    const isOne = args.length === 1 && !isEach
    const transfer = marked()
    const options = transfer ? { carrier: BY_MESSAGE, transfer } : BY_QUEUE
    const problem = kept
      ? this.#place(kept as Buffer, kept.length)
      : writeValue(isOne ? only : isEach ? apart(args) : args, options, this.#usePayload)
    if (problem < 0) return problem
    return isOne ? layout.ONE_VALUE : layout.LIST
  }

  /** Puts the call in whose arguments were written last; no worker sees it before publish(). Returns its position (>= 0, mod 2^31). */
  put(id: number, call: number): number {
    const position = this.#tail
    const { slots } = this.#views
    const word = slotWord(position)
    slots[word + layout.TASK_ID] = id
    slots[word + layout.CALL] = call
    slots[word + layout.PAYLOAD_FROM] = this.#writtenAt
    slots[word + layout.PAYLOAD_LENGTH] = this.#writtenLength
    slots[word + layout.BUFFERS] = this.#writtenBuffers
    this.#payloadTail = this.#writtenEnd
    this.#payloadEnds[position & (SLOTS - 1)] = this.#writtenEnd
    slots[word] = layout.fullAt(position)
    this.#tail = (position + 1) | 0
    return position & 0x7fffffff
  }

  /** Takes back the call at this position. False: a worker has it, or had it. */
  withdraw(position: number): boolean {
    const { slots } = this.#views
    const full = layout.fullAt(position)
    return Atomics.compareExchange(slots, slotWord(position), full, layout.freeAfter(position)) === full
  }

  /** The call at this position was taken, and read. */
  hasLeft(position: number): boolean {
    const state = Atomics.load(this.#views.slots, slotWord(position))
    return state !== layout.fullAt(position) && !layout.isClaimed(state, position)
  }

  /** The calls in slots that a worker held when it died: claimed, not yet read. To be asked once it has exited. */
  release(worker: number): Claimed[] {
    const { slots } = this.#views
    const claimed: Claimed[] = []
    for (let back = SLOTS; back > 0; back--) {
      const position = (this.#tail - back) | 0
      const word = slotWord(position)
      if (!layout.isClaimedBy(Atomics.load(slots, word), worker)) continue
      claimed.push({ id: slots[word + layout.TASK_ID] as number, position })
      Atomics.store(slots, word, layout.freeAfter(position))
    }
    Atomics.compareExchange(this.#views.control, layout.SPINNER, worker + 1, 0)
    return claimed
  }

  #isFree(position: number, word: number): boolean {
    // HEAD must have passed the slot too: a withdrawn slot is free before that.
    if (((position - this.#head) | 0) >= SLOTS && this.waiting >= SLOTS && !this.#moveHead()) return false
    if (Atomics.load(this.#views.slots, word) !== layout.freeFor(position)) return false
    if (((position - this.#reclaimed) | 0) >= SLOTS) this.#reclaimOne()
    return true
  }

  /** Returns 0, FULL, LARGE or UNFIT. */
  readonly #usePayload = (out: Output, length: number): number => {
    const { beside } = out
    const isLarge = length + NUMBER_BYTES * beside.length > layout.MAX_VALUE_BYTES
    if (isLarge || (beside.length > 0 && !beside.every(isFixedShared))) {
      this.carriage = packOutput(out, length, BY_MESSAGE)
      return beside.length > 0 ? UNFIT : LARGE
    }
    const problem = this.#place(out.bytes, length, beside as SharedArrayBuffer[])
    if (problem === FULL && beside.length === 0)
      this.carriage = { carried: Buffer.from(out.bytes.subarray(0, length)), transfer: undefined }
    return problem
  }

  /** Copies what was written to where workers read it. Returns 0 or FULL. */
  #place(bytes: Buffer, length: number, beside: readonly SharedArrayBuffer[] = []): number {
    // Up to a whole word: V8 copies to shared memory byte by byte where the other side begins elsewhere in a word.
    const whole = (length + NUMBER_BYTES * beside.length + WORD - 1) & -WORD
    if (this.#payloadRoom() < whole) this.#reclaim()
    if (this.#payloadRoom() < whole) return FULL
    const { payload } = this.#views
    const from = this.#payloadTail & (layout.PAYLOAD_BYTES - 1)
    copyInto(payload.bytes, from, { bytes, length })
    for (let i = 0; i < beside.length; i++)
      payload.view.setUint32(from + length + NUMBER_BYTES * i, this.#buffers.numberOf(beside[i]!), true)
    this.#writtenAt = from
    this.#writtenLength = length
    this.#writtenBuffers = beside.length
    this.#writtenEnd = (this.#payloadTail + Math.min(from + whole, layout.PAYLOAD_BYTES) - from) | 0
    return 0
  }

  #payloadRoom(): number {
    return layout.PAYLOAD_BYTES - ((this.#payloadTail - this.#payloadHead) | 0)
  }

  /** Moves HEAD past slots that nobody will claim: withdrawn ones, while all workers sleep. True if it has moved. */
  #moveHead(): boolean {
    const { control, slots } = this.#views
    this.publish() // HEAD never passes TAIL
    const before = this.#head
    for (let head = this.#loadHead(); head !== this.#tail; head = this.#loadHead()) {
      if (Atomics.load(slots, slotWord(head)) === layout.fullAt(head)) break
      Atomics.compareExchange(control, layout.HEAD, head, (head + 1) | 0)
    }
    this.#head = this.#loadHead()
    return this.#head !== before
  }

  /** Gives back the payload of the oldest slot: it is known to be free. */
  #reclaimOne(): void {
    this.#payloadHead = this.#payloadEnds[this.#reclaimed & (SLOTS - 1)] as number
    this.#reclaimed = (this.#reclaimed + 1) | 0
  }

  /** Workers read a payload as soon as they have claimed it, so slots come free nearly in order. */
  #reclaim(): void {
    const { slots } = this.#views
    let position = this.#reclaimed
    while (position !== this.#tail) {
      if (Atomics.load(slots, slotWord(position)) !== layout.freeAfter(position)) break
      this.#payloadHead = this.#payloadEnds[position & (SLOTS - 1)] as number
      position = (position + 1) | 0
    }
    this.#reclaimed = position
  }
}

/** Not one that can grow: a view of it may grow with it. */
function isFixedShared(value: object): boolean {
  return types.isSharedArrayBuffer(value) && (value as { growable?: boolean }).growable !== true
}
