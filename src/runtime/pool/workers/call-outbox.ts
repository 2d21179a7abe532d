// Collects the calls for one worker and sends them as one message; see runtime/wire/messages.ts for the format.
//
// Loops by index, as in pick-worker.ts and transfer-list.ts: with iterators Turbofan took 12 instead of 7 ms for #send.

import { encodeSpecialArguments } from '../../wire/encode-special.js'
import * as messages from '../../wire/messages.js'
import { SAME_NAME, type CallBatch, AT_ONCE } from '../../wire/messages.js'
import { MessageParts, checkTransfer } from '../../wire/message-parts.js'
import type { CallListener } from '../../engine/call-listener.js'
import type { Call } from '../calls/call.js'
import type { Channel } from './worker.js'
import { describeFields, encodeThrown } from '../../wire/serialize-error.js'

export class CallOutbox {
  #unsent: Call[] = []
  #sent = 0
  /** Position in the shared queue before which all calls are older than those in #unsent. */
  #after: number | typeof messages.AT_ONCE = 0

  get size(): number {
    return this.#unsent.length
  }

  push(call: Call, after: number | typeof messages.AT_ONCE): void {
    this.#after = after
    this.#unsent.push(call)
  }

  /** False: it was sent already. */
  remove(call: Call): boolean {
    const place = this.#unsent.indexOf(call)
    if (place >= 0) this.#unsent.splice(place, 1)
    return place >= 0
  }

  /** Sends everything, in as few messages as may be; calls with a transfer list go alone. */
  flush(channel: Channel, onUnsendable: (call: Call, error: unknown) => void): void {
    const calls = this.#unsent
    if (calls.length === 0) return
    this.#unsent = []
    // A process learns of cancellations only between messages: what can be cancelled must not lie behind other calls in one.
    const isBlind = channel.startedCalls === undefined
    const parts = new MessageParts()
    for (let from = 0, to = 0; from < calls.length; from = to) {
      while (to < calls.length && fits(calls[to]!, parts, isBlind)) to++
      parts.clear()
      const isAlone = to === from
      if (isAlone) to++
      const isAll = to - from === calls.length
      this.#send(isAll ? calls : calls.slice(from, to), channel, { isAlone, onUnsendable })
    }
  }

  #send(calls: Call[], channel: Channel, options: SendOptions): void {
    const first = calls[0]!
    try {
      if (options.isAlone) this.#sendAlone(first, channel)
      else channel.send(this.#pack(calls))
      for (let i = 0; i < calls.length; i++) calls[i]!.position = this.#sent++
    } catch (error) {
      // One argument that cannot be cloned fails the whole message: send each call alone, so that only the bad one fails.
      if (calls.length > 1) return calls.forEach((call) => this.#send([call], channel, options))
      options.onUnsendable(first, error)
    }
  }

  /** Its arguments may hold what structured clone does not keep, and buffers. */
  #sendAlone(call: Call, channel: Channel): void {
    const { args, options } = call
    checkTransfer(options.transfer)
    const graph = encodeSpecialArguments(args)
    if (graph) return channel.send(this.#pack([call], [graph], messages.ENCODED), options.transfer)
    const copied = options.transfer ? undefined : channel.copyBuffers?.(args)
    const list = copied ? (copied.value as unknown[]) : args
    channel.send(this.#pack([call], list), copied ? copied.buffers : options.transfer)
  }

  #pack(calls: readonly Call[], list?: readonly unknown[], flags = 0): CallBatch {
    const batch: CallBatch = [this.#after]
    let lastName: string | undefined
    for (let i = 0; i < calls.length; i++) {
      const call = calls[i]!
      const { id, name } = call
      const args = list ?? call.args
      const isOne = args.length === 1
      const one = isOne ? messages.ONE_ARGUMENT : 0
      batch.push(
        id,
        name === lastName ? SAME_NAME : name,
        isOne ? args[0] : args,
        flagsOf(call) | one | flags,
      )
      lastName = name
    }
    return batch
  }
}

interface SendOptions {
  /** It is one call, which shares no message with others. */
  readonly isAlone: boolean
  readonly onUnsendable: (call: Call, error: unknown) => void
}

/** It may be in one message with those whose parts were noted. */
function fits({ options, args }: Call, parts: MessageParts, isBlind: boolean): boolean {
  if (options.transfer || (options.announceStart && isBlind)) return false
  for (let i = 0; i < args.length; i++) if (!parts.add(args[i])) return false
  return true
}

function flagsOf({ options, timing }: Call): number {
  const { announceStart, isEach, hasContext, listener } = options
  return (
    (announceStart ? messages.ANNOUNCE_START : 0) |
    (isEach ? messages.EACH_INPUT : 0) |
    (hasContext ? messages.WITH_CONTEXT : 0) |
    (timing ? messages.TIMED : 0) |
    (listener ? wishesOf(listener) : 0)
  )
}

function wishesOf({ isStream, window, wantsProgress }: CallListener): number {
  return (
    (wantsProgress ? messages.WANTS_PROGRESS : 0) |
    (isStream ? messages.WANTS_ITEMS : 0) |
    (window << messages.CREDIT_SHIFT)
  )
}

// Tells a worker that nobody waits for a call any more.

export function sendCancel(channel: Channel, id: number, thrown: unknown): void {
  const reason = encodeThrown(thrown)
  for (const form of [reason, describeFields(reason)]) {
    try {
      return channel.send({ type: 'cancel', id, reason: form })
    } catch {
      // Not every channel carries what structured clone does. At worst the task is not told.
    }
  }
}

// The calls that were given to one worker and not sent yet: those that wait their turn there, and forked ones, which wait for no others.

export class UnsentCalls {
  readonly #inTurn = new CallOutbox()
  readonly #forks = new CallOutbox()

  /** Calls that were not sent yet. */
  get size(): number {
    return this.#inTurn.size + this.#forks.size
  }

  /** `after`: position in the shared queue before which calls are older. */
  push(call: Call, after: number): void {
    if (call.options.isFork) this.#forks.push(call, AT_ONCE)
    else this.#inTurn.push(call, after)
  }

  /** False: it was sent already. */
  remove(call: Call): boolean {
    return (call.options.isFork ? this.#forks : this.#inTurn).remove(call)
  }

  flush(channel: Channel, onUnsendable: (call: Call, error: unknown) => void): void {
    this.#inTurn.flush(channel, onUnsendable)
    if (this.#forks.size > 0) this.#forks.flush(channel, onUnsendable)
  }
}
