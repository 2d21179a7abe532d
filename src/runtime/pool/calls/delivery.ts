// The seam between a pool and the ways by which calls reach its workers. There are two:
//
//   the queue in shared memory   whichever worker is free takes the next call by itself   shared-memory/main/shared-queue.ts
//   messages                     the pool chooses the worker                              dispatch/by-message.ts

import type { Call } from './call.js'

export interface Delivery {
  /** Calls that it has and no worker has taken. */
  readonly waiting: number
  /** 'taken': a worker will run it. 'full': not now. 'unfit': another way must take it. */
  offer(call: Call): 'taken' | 'full' | 'unfit'
  /** Sends what it was offered, without waiting for the end of this turn. */
  sendNow(): void
  /** Takes a call back, if it is here. False: a worker has it, or had it, and has not said so. */
  withdraw(call: Call): boolean
  /** Takes back all calls that no worker has, in their order. */
  takeBack(): Call[]
  /** Of a pool that ends: takes back what it can. Gives all calls that are open here, and those that have started, as far as is known. */
  giveUp(): { readonly calls: readonly Call[]; readonly started: readonly Call[] }
  /** Drops a call whose worker is gone. */
  forget(call: Call): void
}

/** The one from which workers take calls by themselves. Only runtimes with shared memory have it. */
export interface SharedDelivery extends Delivery {
  /** Called when there may be room for further calls. */
  onRoom: () => void
  /** From now on each worker may hold so many calls, those that wait on promises included. */
  allow(tasksPerWorker: number): void
}
