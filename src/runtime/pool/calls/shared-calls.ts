// The queue from which all workers take calls by themselves, as the pool sees it.

import type { Call } from './call.js'

/** A queue from which all workers take calls by themselves. Only runtimes with shared memory have one. */
export interface SharedCalls {
  /** Called when there may be room for further calls. */
  onRoom: () => void
  /** Calls that no worker has taken. */
  readonly waiting: number
  /** Calls that are in it, or with a worker that took them from it. */
  readonly tasks: Iterable<Call>
  /** 'taken': a worker will run it. 'full': not now. 'unfit' and 'large': it can only go to one worker, by message. */
  offer(call: Call): 'taken' | 'full' | 'unfit' | 'large'
  /** Shows the workers what was offered, and wakes them, without waiting for the end of this turn. */
  show(): void
  /** Takes a call back. False: a worker has it, or had it. */
  withdraw(call: Call): boolean
  /** Takes back all calls that no worker has, in their order. */
  recall(): Call[]
  /** From now on each worker may hold so many calls, those that wait on promises included. */
  allow(tasksPerWorker: number): void
  /** Drops a call whose worker is gone. */
  forget(call: Call): void
}
