// Collects the calls for one worker and sends them as one message; see protocol/messages.ts for the format.

import type { CallBatch } from '../protocol/messages.js'
import { ANNOUNCE_START, EACH_INPUT, ONE_ARGUMENT, SAME_NAME } from '../protocol/messages.js'
import { CREDIT_SHIFT, WANTS_ITEMS, WANTS_PROGRESS } from '../protocol/messages.js'
import { MessageParts } from '../protocol/message-parts.js'
import type { CallListener } from './call-listener.js'
import type { PoolTask } from './pool-task.js'
import type { Channel } from './pool-worker.js'

export class CallOutbox {
  #unsent: PoolTask[] = []
  #sent = 0
  /** Position in the shared queue before which all calls are older than those in #unsent. */
  #after = 0

  get size(): number {
    return this.#unsent.length
  }

  push(task: PoolTask, after: number): void {
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
    const send = (to: number) => {
      if (to > from) this.#send(tasks.slice(from, to), channel, onUnsendable)
      from = to
    }
    const parts = new MessageParts()
    const fits = ({ terms, args }: PoolTask) => !terms.transfer && args.every((arg) => parts.add(arg))
    let isAlone = false
    for (let i = 0; i < tasks.length; i++) {
      if (!isAlone && fits(tasks[i]!)) continue
      send(i)
      parts.clear()
      isAlone = !fits(tasks[i]!)
    }
    send(tasks.length)
  }

  #send(tasks: PoolTask[], channel: Channel, onUnsendable: (task: PoolTask, error: unknown) => void): void {
    try {
      channel.send(packCalls(tasks, this.#after), tasks[0]!.terms.transfer)
      for (const task of tasks) task.position = this.#sent++
    } catch (error) {
      // One argument that cannot be cloned fails the whole message: send each call alone, so that only the bad one fails.
      if (tasks.length > 1) return tasks.forEach((task) => this.#send([task], channel, onUnsendable))
      onUnsendable(tasks[0]!, error)
    }
  }
}

function packCalls(tasks: readonly PoolTask[], after: number): CallBatch {
  const batch: CallBatch = [after]
  let lastName: string | undefined
  for (const { id, name, args, terms } of tasks) {
    const isOne = args.length === 1
    const flags =
      (terms.announceStart ? ANNOUNCE_START : 0) |
      (isOne ? ONE_ARGUMENT : 0) |
      (terms.isEach ? EACH_INPUT : 0) |
      (terms.listener ? wishesOf(terms.listener) : 0)
    batch.push(id, name === lastName ? SAME_NAME : name, isOne ? args[0] : args, flags)
    lastName = name
  }
  return batch
}

function wishesOf({ isStream, window, wantsProgress }: CallListener): number {
  return (wantsProgress ? WANTS_PROGRESS : 0) | (isStream ? WANTS_ITEMS : 0) | (window << CREDIT_SHIFT)
}
