// Collects the calls for one worker and sends them as one message; see runtime/wire/messages.ts for the format.
//
// Loops by index, as in pick-worker.ts: with iterators Turbofan took 12 instead of 7 ms for #send.

import { describe } from '../../../errors/errors.js'
import { apart } from '../../wire/codec/apart.js'
import { BY_MESSAGE, carry, type Carriage } from '../../wire/codec/packet.js'
import { asNotSendable, NotSendable } from '../../wire/codec/not-sendable.js'
import * as messages from '../../wire/messages.js'
import { CALL_SIZE, SAME_NAME, type CallBatch } from '../../wire/messages.js'
import { movedWith, useMarks } from '../../task/move.js'
import type { Transferable } from '../../executor/executor.js'
import type { CallListener } from '../../core/call-listener.js'
import type { Call } from '../calls/call.js'
import type { BegunCalls } from './begun-calls.js'
import type { Channel } from './worker.js'
import { carryThrown } from '../../wire/thrown.js'
import { checkTransfer } from '../../wire/transfer-list.js'

interface Flushing {
  readonly begun: BegunCalls
  readonly onUnsendable: (call: Call, error: unknown) => void
}

export class CallOutbox {
  #unsent: Call[] = []
  /** Those that tasks have forked: they wait for no others, and go first. */
  #forks: Call[] = []
  /** Calls that wait their turn in the worker: all but forks. */
  #sent = 0

  /** Calls that were not sent yet. */
  get size(): number {
    return this.#unsent.length + this.#forks.length
  }

  push(call: Call): void {
    this.#listOf(call).push(call)
  }

  /** False: it was sent already. */
  remove(call: Call): boolean {
    const list = this.#listOf(call)
    const place = list.indexOf(call)
    if (place >= 0) list.splice(place, 1)
    return place >= 0
  }

  #listOf({ options }: Call): Call[] {
    return options.isFork ? this.#forks : this.#unsent
  }

  #takeAll(): readonly Call[] {
    const calls = this.#forks.length === 0 ? this.#unsent : [...this.#forks, ...this.#unsent]
    if (this.#forks.length > 0) this.#forks = []
    this.#unsent = []
    return calls
  }

  /** Sends everything, in as few messages as may be. */
  flush(channel: Channel, { begun, onUnsendable }: Flushing): void {
    if (this.size === 0) return
    const calls = this.#takeAll()
    // A process learns of cancellations only between messages: what can be cancelled must not lie behind other calls in one.
    const isBlind = channel.startedCalls === undefined
    let batch: Written[] = []
    const sendBatch = () => {
      if (batch.length > 0) this.#send(batch, channel, begun)
      batch = []
    }
    for (let i = 0; i < calls.length; i++) {
      const call = calls[i]!
      try {
        const written = { call, carriage: write(call, channel, 'itself') }
        if (!isAlone(written, isBlind)) batch.push(written)
        else {
          sendBatch()
          this.#sendAlone(written, channel, begun)
        }
      } catch (error) {
        onUnsendable(call, error)
      }
    }
    sendBatch()
  }

  #sendAlone(written: Written, channel: Channel, begun: BegunCalls): void {
    const { call, carriage } = written
    if (!carriage.isItself) return this.#send([written], channel, begun)
    try {
      this.#send([written], channel, begun)
    } catch {
      this.#send([{ call, carriage: write(call, channel) }], channel, begun) // its copy says what cannot travel, and where
    }
  }

  #send(batch: readonly Written[], channel: Channel, begun: BegunCalls): void {
    const message: CallBatch = []
    const transfer: Transferable[] = []
    let lastName: string | undefined
    for (let i = 0; i < batch.length; i++) {
      const { call, carriage } = batch[i]!
      const { id, name } = call
      message.push(id, name === lastName ? SAME_NAME : name, carriage.carried, messageFlagsOf(call))
      lastName = name
      if (carriage.transfer) transfer.push(...(carriage.transfer as Transferable[]))
    }
    const isAnnounced = begun.needsAnnouncement(batch[0]!.call)
    if (isAnnounced) message[CALL_SIZE - 1] = (message[CALL_SIZE - 1] as number) | messages.ANNOUNCE_START
    channel.send(message, transfer)
    if (isAnnounced) begun.noteSent(batch)
    for (let i = 0; i < batch.length; i++) {
      const { call, carriage } = batch[i]!
      call.position = call.options.isFork ? this.#sent : this.#sent++
      if (useMarks(carriage.transfer)) call.written = GONE
    }
  }
}

/** Of a call that its worker has lost, and that is to be sent again. */
const GONE = new NotSendable('gone: a part that was wrapped in move() was moved to a worker that has ended')

interface Written {
  readonly call: Call
  readonly carriage: Carriage
}

/**
 * Where nothing but messages goes to workers: what the caller changes after the call is none of it. True: it is to be sent now, as it was not copied.
 *
 * @param isPlaced a worker has it
 */
export function writeEarly(call: Call, isPlaced: boolean): boolean {
  const { args, options } = call
  if (options.transfer || options.isEach || !args.some(mayChange)) return false
  try {
    const carriage = write(call, { carrier: BY_MESSAGE }, isPlaced ? 'itself' : 'clone')
    call.written = carriage
    return carriage.isItself === true
  } catch (error) {
    call.written = asNotSendable(error)
    return false
  }
}

function mayChange(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** What the shared queue has written already is taken as it is. */
function write(call: Call, { carrier }: Pick<Channel, 'carrier'>, large?: 'itself' | 'clone'): Carriage {
  const { args, options } = call
  const written = call.written as Carriage | NotSendable | undefined
  call.written = undefined
  if (written instanceof NotSendable) throw written
  if (written && carrier === BY_MESSAGE) return written
  checkTransfer(options.transfer)
  const transfer = movedWith(options.transfer)
  const carriage = carry(isOne(call) ? args[0] : options.isEach ? apart(args) : args, {
    carrier,
    transfer,
    large,
    isHasty: true,
  })
  if (!options.transfer || !carrier.objects) return carriage
  // All that is named is moved, whether the arguments hold it or not.
  const found = carriage.transfer ?? []
  const rest = options.transfer.length === 1 && found[0] === options.transfer[0] ? [] : options.transfer
  return {
    carried: carriage.carried,
    transfer: rest.length === 0 ? found : [...new Set([...found, ...rest])],
  }
}

function isOne({ args, options }: Call): boolean {
  return args.length === 1 && !options.isEach
}

/** What goes beside the bytes of a value may fail the message. */
function isAlone({ call, carriage }: Written, isBlind: boolean): boolean {
  return (
    Array.isArray(carriage.carried) ||
    carriage.isItself === true ||
    call.mayBeUnreadable ||
    call.options.transfer !== undefined ||
    (isToAnnounce(call) && isBlind)
  )
}

/** Not one for many inputs: what ends it is its map or its signal, for which it does not matter here whether it has begun. */
function isToAnnounce({ options }: Call): boolean {
  return options.announceStart && !options.isEach
}

function messageFlagsOf(call: Call): number {
  const { options, timing } = call
  const { isEach, hasContext, isFork, listener } = options
  return (
    (isOne(call) ? messages.ONE_ARGUMENT : 0) |
    (isToAnnounce(call) ? messages.ANNOUNCE_START : 0) |
    (isEach ? messages.EACH_INPUT : 0) |
    (hasContext ? messages.WITH_CONTEXT : 0) |
    (isFork ? messages.AT_ONCE : 0) |
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
  // What goes beside the bytes of a reason may be what no message can carry: then its text goes.
  for (const reason of [
    carryThrown(thrown, channel.carrier),
    carryThrown(describe(thrown), channel.carrier),
  ]) {
    try {
      return channel.send({ type: 'cancel', id, reason: reason.carried }, reason.transfer as Transferable[])
    } catch {
      // At worst the task is not told.
    }
  }
}
