// Collects a worker's replies and posts them as one message.

import { describe } from '../../errors/errors.js'
import { takeMoved } from '../task/move.js'
import { encodeSpecial } from '../wire/encode-special.js'
import {
  PARTS_ENCODED,
  REPLY_ENCODED,
  REPLY_ERROR,
  REPLY_RESULT,
  REPLY_SIZE,
  REPLY_UNSENDABLE,
  REPLY_WAITING,
  type ReplyBatch,
} from '../wire/messages.js'
import { MessageParts, type CopyBuffers, checkTransfer } from '../wire/message-parts.js'
import { describeFields, type EncodedThrown } from '../wire/serialize-error.js'

export interface WorkerPort {
  /** Throws a DataCloneError when a value cannot be sent. */
  post(replies: ReplyBatch, transfer?: readonly object[]): void
  /** Where what is in a transfer list is moved: what moves in place of the buffers of a value. */
  readonly copyBuffers?: CopyBuffers
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

/** By a function, as a thread reads its code only then; see scripts/worker-bundles.mjs. */
export function createReplyOutbox(port: WorkerPort): ReplyOutbox {
  return new ReplyOutbox(port)
}

export class ReplyOutbox implements Replies {
  readonly #port: WorkerPort
  #replies: ReplyBatch = []
  /** Of the only reply in #replies. */
  #transfer: readonly object[] | undefined
  /** No other reply may leave with the newest one. */
  #isAlone = false
  readonly #parts = new MessageParts()
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
    const moved = kind === REPLY_RESULT ? takeMoved(value) : undefined
    // A result with buffers to move leaves by itself, so that whatever is wrong with them fails no other.
    if (moved || this.#isAlone || !this.#parts.add(value)) {
      this.flush()
      this.#isAlone = moved !== undefined || !this.#parts.add(value)
    }
    this.#transfer = moved
    if (this.#isAlone && kind === REPLY_RESULT) this.#pushSpecial(id, value)
    else this.#replies.push(kind, id, value, 0)
  }

  /** A result that may hold what structured clone does not keep. */
  #pushSpecial(id: number, value: unknown): void {
    try {
      checkTransfer(this.#transfer)
      const graph = encodeSpecial(value)
      if (graph) return void this.#replies.push(REPLY_ENCODED, id, graph, 0)
      const copied = this.#transfer ? undefined : this.#port.copyBuffers?.(value)
      this.#transfer ??= copied?.buffers
      this.#replies.push(REPLY_RESULT, id, copied ? copied.value : value, 0)
    } catch (error) {
      this.#transfer = undefined
      this.#replies.push(REPLY_UNSENDABLE, id, describe(error), 0)
    }
  }

  pushLate(kind: number, id: number, value: unknown): void {
    this.push(kind, id, value)
  }

  /** Posts replies now, after those that were pushed. Throws a DataCloneError when a value cannot be sent. */
  postNow(replies: ReplyBatch): void {
    const moved = takeMoved(replies[2])
    checkTransfer(moved)
    this.flush()
    this.#port.post(replies, moved)
  }

  /** Sends a part of a call that goes on: progress, or a list of items. */
  postPart(kind: number, id: number, value: unknown): void {
    const graph = encodeSpecial(value)
    this.postNow([kind, id, graph ?? value, graph ? PARTS_ENCODED : 0])
  }

  /** Notes with the newest reply how long its call kept the thread busy. */
  setBusyTime(us: number): void {
    this.#replies[this.#replies.length - 1] = us
  }

  readonly flush = (): void => {
    this.#isFlushPlanned = false
    this.#hasPromises = false
    this.#isAlone = false
    this.#parts.clear()
    if (this.#replies.length === 0) return
    const replies = this.#replies
    const transfer = this.#transfer
    this.#replies = []
    this.#transfer = undefined
    this.#post(replies, transfer)
  }

  flushLater(): void {
    if (this.#isFlushPlanned) return
    this.#isFlushPlanned = true
    this.#port.defer(this.flush)
  }

  /** One value that cannot be sent fails the whole message; then each reply goes alone, and only the bad one fails. */
  #post(replies: ReplyBatch, transfer: readonly object[] | undefined): void {
    try {
      this.#port.post(replies, transfer)
    } catch {
      for (let i = 0; i < replies.length; i += REPLY_SIZE) this.#postOne(replies.slice(i, i + REPLY_SIZE))
    }
  }

  #postOne(reply: ReplyBatch): void {
    try {
      this.#port.post(reply)
    } catch (error) {
      this.#port.post(inPlainData(reply, error))
    }
  }
}

/** What the task threw matters more than why a field of it cannot be sent. */
function inPlainData([kind, id, value, busyUs]: ReplyBatch, error: unknown): ReplyBatch {
  if (kind === REPLY_ERROR) return [REPLY_ERROR, id, describeFields(value as EncodedThrown), busyUs]
  const hint = isIterator(value) ? '; its items come one by one when it is called with stream()' : ''
  return [REPLY_UNSENDABLE, id, describe(error).replace(/\.$/, '') + hint, busyUs]
}

/** Such as what a generator function returns. */
function isIterator(value: unknown): boolean {
  try {
    if (typeof value !== 'object' || value === null) return false
    const hasItems = Symbol.iterator in value || Symbol.asyncIterator in value
    return hasItems && typeof (value as { next?: unknown }).next === 'function'
  } catch {
    return false // a proxy
  }
}
