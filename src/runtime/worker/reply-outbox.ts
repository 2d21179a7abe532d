// Collects a worker's replies and posts them as one message.

import { marked, useMarks } from '../task/move.js'
import type { Carrier } from '../wire/codec/output.js'
import { carry, type Carriage, type Carried } from '../wire/codec/packet.js'
import {
  REPLY_ERROR,
  REPLY_SIZE,
  REPLY_UNSENDABLE,
  REPLY_WAITING,
  type ReplyBatch,
} from '../wire/messages.js'
import { carryThrown } from '../wire/thrown.js'
import { unsendableResult } from './unsendable-result.js'

export interface WorkerPort {
  /** Throws a DataCloneError when something beside the bytes of a value cannot be sent. */
  post(replies: ReplyBatch, transfer?: readonly object[]): void
  readonly carrier: Carrier
  /** Runs the callback in the next turn of the event loop, after the microtasks. */
  defer(callback: () => void): void
}

/** Where the replies of a call go. */
export interface Replies {
  push(kind: number, id: number, value: unknown): void
  /** The same for a call that waited on a promise. */
  pushLate(kind: number, id: number, value: unknown): void
  /** Sends what was pushed late, once the other promises of this turn have settled too. */
  flushLater(): void
}

export function createReplyOutbox(port: WorkerPort): ReplyOutbox {
  return new ReplyOutbox(port)
}

export class ReplyOutbox implements Replies {
  readonly #port: WorkerPort
  #replies: ReplyBatch = []
  #transfer: object[] = []
  /** The last reply has something beside its bytes. */
  #isRisky = false
  /** The last reply carries this value itself: it leaves before the task can change it. */
  #itself: { readonly value: unknown } | undefined
  #isFlushPlanned = false
  #hasPromises = false

  constructor(port: WorkerPort) {
    this.#port = port
  }

  /** True if a promise was noted since the last flush. */
  get hasPromises(): boolean {
    return this.#hasPromises
  }

  push(kind: number, id: number, value: unknown): void {
    if (kind === REPLY_WAITING) this.#hasPromises = true
    const { carrier } = this.#port
    try {
      const carriage = carry(value, { carrier, transfer: marked(), large: 'itself' })
      if (carriage.isItself) this.flush()
      this.pushCarried(kind, id, carriage)
      if (carriage.isItself) this.#itself = { value }
    } catch (error) {
      if (kind === REPLY_ERROR) this.pushCarried(kind, id, carryThrown(value, carrier))
      else this.#pushProblem(id, value, error)
    }
  }

  /**
   * One that is written already. What goes beside the bytes of a value may be wrong for the message: it leaves with no other call's reply,
   * and fails none.
   */
  pushCarried(kind: number, id: number, { carried, transfer }: Carriage): void {
    useMarks(transfer)
    const isRisky = Array.isArray(carried)
    if ((isRisky || this.#isRisky) && this.#replies[1] !== id) this.flush()
    this.#isRisky = isRisky
    this.#replies.push(kind, id, carried, 0)
    if (transfer) this.#transfer.push(...transfer)
  }

  pushLate(kind: number, id: number, value: unknown): void {
    this.push(kind, id, value)
    if (this.#itself) this.flush()
  }

  /** Posts replies now, after those that were pushed. Throws a DataCloneError when a value cannot be sent. */
  postNow(replies: ReplyBatch, transfer?: readonly object[]): void {
    this.flush()
    this.#port.post(replies, transfer)
  }

  /** What a part of a call that goes on becomes: progress, or an item. @throws NotSendable */
  carry(value: unknown): Carriage {
    const carriage = carry(value, { carrier: this.#port.carrier, transfer: marked() })
    useMarks(carriage.transfer)
    return carriage
  }

  /** Notes with the newest reply how long its call kept the thread busy. */
  setBusyTime(us: number): void {
    if (this.#replies.length > 0) this.#replies[this.#replies.length - 1] = us
    if (this.#itself) this.flush()
  }

  readonly flush = (): void => {
    this.#isFlushPlanned = false
    this.#hasPromises = false
    if (this.#replies.length === 0) return
    const replies = this.#replies
    const transfer = this.#transfer
    const isRisky = this.#isRisky
    const itself = this.#itself
    this.#itself = undefined
    this.#replies = []
    this.#transfer = []
    this.#isRisky = false
    try {
      this.#port.post(replies, transfer)
    } catch (error) {
      if (itself) return this.#postCopy(replies, itself)
      if (!isRisky) throw error
      this.#port.post(this.#withProblem(replies, error))
    }
  }

  /** It says what cannot travel, and where. */
  #postCopy([kind, id, , us]: ReplyBatch, { value }: { readonly value: unknown }): void {
    try {
      const { carried, transfer } = carry(value, { carrier: this.#port.carrier })
      this.#port.post([kind, id, carried, us], transfer)
    } catch (error) {
      this.#port.post([REPLY_UNSENDABLE, id, this.#problem(value, error), us])
    }
  }

  flushLater(): void {
    if (this.#isFlushPlanned) return
    this.#isFlushPlanned = true
    this.#port.defer(this.flush)
  }

  #pushProblem(id: number, value: unknown, error: unknown): void {
    this.#replies.push(REPLY_UNSENDABLE, id, this.#problem(value, error), 0)
  }

  #problem(value: unknown, error: unknown): Carried {
    const { carrier } = this.#port
    return carry(unsendableResult(value, error, carrier), { carrier }).carried
  }

  /** The last one says why it could not be sent. */
  #withProblem(replies: ReplyBatch, error: unknown): ReplyBatch {
    const [, id, , us] = replies.splice(-REPLY_SIZE)
    return [...replies, REPLY_UNSENDABLE, id, this.#problem(undefined, error), us]
  }
}
