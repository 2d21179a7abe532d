// How calls that wait on promises are shared out: a worker with some of them takes a further call only while it holds no more than its share,
// so that none takes a second one while another has nothing to do. One that holds none takes whatever it finds.
//
//   share = calls that wait in the queue, and in workers that may take calls, over the number of these workers
//
// Who has its share leaves the rest to others. No call is forgotten for that: those it leaves them to are awake, or main has woken them for as
// many calls as wait (waking.ts: those with the fewest first); and if nobody takes any for a while, it takes one all the same
// (queue-server.ts): what others wait for may keep their threads, or the system lets them wait for a CPU.

import { LOADS, WORKERS } from '../layout/queue-layout.js'
import type { QueueViews } from '../layout/queue-memory.js'

/** Milliseconds for which calls are left to workers in which others wait: these may just compute. */
export const YIELD_MS = 10
/** The same for workers that have nothing to do: on a crowded machine it may take them so long to get a CPU. */
export const YIELD_TO_FREE_MS = 200

export class FairShare {
  readonly #control: Int32Array
  readonly #loads: Int32Array
  readonly #index: number
  #told = 0

  /** `index`: of this worker. */
  constructor({ control, loads }: Pick<QueueViews, 'control' | 'loads'>, index: number) {
    this.#control = control
    this.#loads = loads
    this.#index = index
  }

  /** This worker may take calls, and so many wait in it on promises. */
  tell(waiting: number): void {
    this.#store(waiting + 1)
  }

  /** It takes none for now: it is at one that may be long, or has as many as it may hold. */
  tellBusy(): void {
    this.#store(0)
  }

  /** It has told so. */
  get isBusy(): boolean {
    return this.#told === 0
  }

  #store(load: number): void {
    if (load === this.#told || this.#index >= LOADS) return
    this.#told = load
    Atomics.store(this.#loads, this.#index, load)
  }

  /** Another worker has nothing to do. */
  get isAnyFree(): boolean {
    const workers = Math.min(Atomics.load(this.#control, WORKERS), LOADS)
    for (let i = 0; i < workers; i++) if (i !== this.#index && Atomics.load(this.#loads, i) === 1) return true
    return false
  }

  /** Whether it may take one more of the calls in the queue, with so many that wait in it. */
  mayTake(waiting: number, queued: number): boolean {
    if (waiting === 0) return true
    let calls = waiting + queued
    let takers = 1
    const workers = Math.min(Atomics.load(this.#control, WORKERS), LOADS)
    for (let i = 0; i < workers; i++) {
      const load = i === this.#index ? 0 : Atomics.load(this.#loads, i)
      if (load === 0) continue
      takers++
      calls += load - 1
    }
    const share = Math.ceil(calls / takers)
    return waiting < share + (share >> 3) // of many calls an eighth more: to leave one to another worker costs a look of its own
  }
}
