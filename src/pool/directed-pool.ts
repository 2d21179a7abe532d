// Sends each call to a worker that is chosen when the call is made: a pool of one worker for each lane, and a rule.
//
//   run() --> rule, or key --> lane 0: queue --> worker 0
//                          \-> lane 1: queue --> worker 1        a call waits for its worker even when others are idle
//
// The opposite is the default, where all workers take calls from one queue: pool.ts.

import type { RunOptions } from '../executor/executor.js'
import type { WorkerLoad } from './balance.js'
import type { CallPool } from './call-pool.js'
import { laneOf } from './lane.js'

export type ChooseLane = (lanes: readonly WorkerLoad[], name: string, args: readonly unknown[]) => number

export class DirectedPool implements CallPool {
  readonly ready: Promise<void>
  readonly #lanes: readonly CallPool[]
  /** What a rule sees of the lanes; it may be a function of the user's. */
  readonly #loads: readonly WorkerLoad[]
  readonly #choose: ChooseLane

  constructor(lanes: readonly CallPool[], choose: ChooseLane) {
    this.#lanes = lanes
    this.#loads = Object.freeze(lanes.map(loadOf))
    this.#choose = choose
    this.ready = Promise.all(lanes.map(({ ready }) => ready)).then(() => undefined)
    this.ready.catch(() => {}) // who never looks at `ready` learns of the failure from the calls
  }

  get size(): number {
    return this.#sum(({ size }) => size)
  }

  get open(): number {
    return this.#sum(({ open }) => open)
  }

  get counts() {
    const counts = this.#lanes.map((lane) => lane.counts)
    const sum = (key: keyof (typeof counts)[0]) => counts.reduce((total, each) => total + each[key], 0)
    return {
      queued: sum('queued'),
      running: sum('running'),
      completed: sum('completed'),
      failed: sum('failed'),
      cancelled: sum('cancelled'),
    }
  }

  get busy(): number {
    return this.#sum(({ busy }) => busy)
  }

  get places(): number {
    return this.#sum(({ places }) => places)
  }

  get isOpen(): boolean {
    return this.#lanes[0]!.isOpen
  }

  set onRoom(callback: () => void) {
    for (const lane of this.#lanes) lane.onRoom = callback
  }

  discardOldest(makeReason: (task: { readonly name: string }) => unknown): boolean {
    const fullestFirst = [...this.#lanes].sort((a, b) => b.busy - a.busy)
    return fullestFirst.some((lane) => lane.discardOldest(makeReason))
  }

  submit(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown> {
    let lane: number
    try {
      const key = options?.key
      lane = key === undefined ? this.#choose(this.#loads, name, args) : laneOf(key, this.#lanes.length)
    } catch (error) {
      return Promise.reject(error)
    }
    return this.#lanes[lane]!.submit(name, args, options)
  }

  async close(timeout?: number): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close(timeout)))
  }

  async destroy(reason: unknown): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.destroy(reason)))
  }

  #sum(count: (lane: CallPool) => number): number {
    return this.#lanes.reduce((total, lane) => total + count(lane), 0)
  }
}

function loadOf(lane: CallPool): WorkerLoad {
  return Object.freeze({
    get open() {
      return lane.open
    },
  })
}
