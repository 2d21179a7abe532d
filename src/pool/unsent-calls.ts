// The calls that were given to one worker and not sent yet: those that wait their turn there, and forked ones, which wait for no others.

import { AT_ONCE } from '../protocol/messages.js'
import { CallOutbox } from './call-outbox.js'
import type { PoolTask } from './pool-task.js'
import type { Channel } from './pool-worker.js'

export class UnsentCalls {
  readonly #inTurn = new CallOutbox()
  readonly #forks = new CallOutbox()

  /** Calls that were not sent yet. */
  get size(): number {
    return this.#inTurn.size + this.#forks.size
  }

  /** `after`: position in the shared queue before which calls are older. */
  push(task: PoolTask, after: number): void {
    if (task.terms.isFork) this.#forks.push(task, AT_ONCE)
    else this.#inTurn.push(task, after)
  }

  /** False: it was sent already. */
  remove(task: PoolTask): boolean {
    return (task.terms.isFork ? this.#forks : this.#inTurn).remove(task)
  }

  flush(channel: Channel, onUnsendable: (task: PoolTask, error: unknown) => void): void {
    this.#inTurn.flush(channel, onUnsendable)
    if (this.#forks.size > 0) this.#forks.flush(channel, onUnsendable)
  }
}
