// Collects the calls for one worker and sends them as one message; see protocol/messages.ts for the format.

import { encodeSpecial } from '../protocol/encode-classes.js'
import * as messages from '../protocol/messages.js'
import { SAME_NAME, type CallBatch } from '../protocol/messages.js'
import { MessageParts } from '../protocol/message-parts.js'
import type { CallListener } from './call-listener.js'
import type { PoolTask } from './pool-task.js'
import type { Channel } from './pool-worker.js'

export class CallOutbox {
  #unsent: PoolTask[] = []
  #sent = 0
  /** Position in the shared queue before which all calls are older than those in #unsent. */
  #after: number | typeof messages.AT_ONCE = 0

  get size(): number {
    return this.#unsent.length
  }

  push(task: PoolTask, after: number | typeof messages.AT_ONCE): void {
    this.#after = after
    this.#unsent.push(task)
  }

  /** False: it was sent already. */
  remove(task: PoolTask): boolean {
    const place = this.#unsent.indexOf(task)
    if (place >= 0) this.#unsent.splice(place, 1)
    return place >= 0
  }

  /** Sends everything, in as few messages as may be; calls with a transfer list go alone. */
  flush(channel: Channel, onUnsendable: (task: PoolTask, error: unknown) => void): void {
    const tasks = this.#unsent
    this.#unsent = []
    let from = 0
    let isAlone = false
    const pack = (calls: readonly PoolTask[]) => this.#pack(calls, isAlone)
    const send = (to: number) => {
      if (to > from) this.#send(tasks.slice(from, to), channel, { pack, onUnsendable })
      from = to
    }
    const parts = new MessageParts()
    // A process learns of cancellations only between messages: what can be cancelled must not lie behind other calls in one.
    const isBlind = channel.startedCalls === undefined
    const fits = ({ terms, args }: PoolTask) =>
      !terms.transfer && !(terms.announceStart && isBlind) && args.every((arg) => parts.add(arg))
    for (let i = 0; i < tasks.length; i++) {
      if (!isAlone && fits(tasks[i]!)) continue
      send(i)
      parts.clear()
      isAlone = !fits(tasks[i]!)
    }
    send(tasks.length)
  }

  #send(tasks: PoolTask[], channel: Channel, { pack, onUnsendable }: SendOptions): void {
    try {
      channel.send(pack(tasks), tasks[0]!.terms.transfer)
      for (const task of tasks) task.position = this.#sent++
    } catch (error) {
      // One argument that cannot be cloned fails the whole message: send each call alone, so that only the bad one fails.
      if (tasks.length > 1)
        return tasks.forEach((task) => this.#send([task], channel, { pack, onUnsendable }))
      onUnsendable(tasks[0]!, error)
    }
  }

  /** `isAlone`: it is one call, whose arguments may hold what structured clone does not keep. */
  #pack(tasks: readonly PoolTask[], isAlone: boolean): CallBatch {
    const batch: CallBatch = [this.#after]
    let lastName: string | undefined
    for (const task of tasks) {
      const { id, name, args } = task
      const graph = isAlone ? encodeSpecial(args) : undefined
      const list = graph ? [graph] : args
      const isOne = list.length === 1
      const flags = flagsOf(task) | (isOne ? messages.ONE_ARGUMENT : 0) | (graph ? messages.ENCODED : 0)
      batch.push(id, name === lastName ? SAME_NAME : name, isOne ? list[0] : list, flags)
      lastName = name
    }
    return batch
  }
}

interface SendOptions {
  readonly pack: (tasks: readonly PoolTask[]) => CallBatch
  readonly onUnsendable: (task: PoolTask, error: unknown) => void
}

function flagsOf({ terms, timing }: PoolTask): number {
  const { announceStart, isEach, hasContext, listener } = terms
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
