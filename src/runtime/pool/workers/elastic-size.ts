// How many workers a pool with a range of sizes has: more when calls wait, fewer when they were not needed for a while.
//
//   a call waits, and still does GROW_AFTER_MS later --> as many again as there are, at most one for each call that waits
//   at no time within idleTimeout as many calls open as workers --> the surplus leaves
//
// Timers run only while there is something to decide: one while calls come and the pool can grow, one while it can shrink.

import type { SizeRange } from '../../executor/shared-options.js'
import { startTimer, stopTimer, type Timer } from '../../../primitives/timers.js'

export interface ResizableWorkers {
  /** Workers that are there to stay, up or starting. */
  readonly workerCount: number
  readonly isStarting: boolean
  grow(by: number): void
  /** Sends away at most so many workers that have nothing to do. */
  shrink(by: number): void
}

export interface PoolDemand {
  /** Calls that are not settled. */
  readonly open: number
  /** Calls that no worker has. */
  readonly waiting: number
}

const GROW_AFTER_MS = 5
/** With a shorter time a pool would look more often than the timers of a busy program are exact. */
const MIN_IDLE_MS = 10

/** Of a pool that has ended: nobody is started, and nobody need be sent away. A timer would hold the pool until its time is over. */
const OVER: SizeRange = { min: Infinity, max: 0 }

export class ElasticSize {
  #range: SizeRange
  readonly #idleTimeout: number
  readonly #workers: ResizableWorkers
  readonly #demand: PoolDemand
  /** Most calls that were open at a time since the last look. */
  #peak = 0
  #hasWaited = false
  #growTimer: Timer
  #shrinkTimer: Timer

  constructor(range: SizeRange, idleTimeout: number, workers: ResizableWorkers, demand: PoolDemand) {
    this.#range = range
    this.#idleTimeout = Math.max(idleTimeout, MIN_IDLE_MS)
    this.#workers = workers
    this.#demand = demand
  }

  /** Without a range there is nothing to do. */
  get isElastic(): boolean {
    return this.#range.min < this.#range.max
  }

  /** A call was accepted. */
  onCall(): void {
    const { open } = this.#demand
    if (open > this.#peak) this.#peak = open
    if (this.#workers.workerCount === 0) this.#grow(1)
    else if (!this.#growTimer && this.#canGrow) this.#lookSoon()
    this.#planShrinking() // a worker may have been started for a key
  }

  /** There may be more of them: one that could not be started when it was needed is started later. */
  onWorkers(): void {
    this.#planShrinking()
  }

  resize(range: SizeRange): void {
    if (this.#range === OVER) return
    this.#range = range
    this.#planShrinking()
    if (!this.#growTimer && this.#canGrow) this.#lookSoon()
  }

  end(): void {
    stopTimer(this.#growTimer)
    stopTimer(this.#shrinkTimer)
    this.#range = OVER
  }

  get #canGrow(): boolean {
    return this.#workers.workerCount < this.#range.max
  }

  #lookSoon(): void {
    this.#growTimer = startTimer(GROW_AFTER_MS, () => {
      this.#growTimer = undefined
      this.#look()
    })
    this.#growTimer?.unref()
  }

  #look(): void {
    const { waiting } = this.#demand
    const hasWaited = this.#hasWaited
    this.#hasWaited = waiting > 0
    if (waiting === 0 || !this.#canGrow) return
    // Those that are starting may be enough.
    if (hasWaited && !this.#workers.isStarting) this.#grow(Math.min(waiting, this.#workers.workerCount))
    this.#lookSoon()
  }

  #grow(by: number): void {
    this.#workers.grow(Math.min(by, this.#range.max - this.#workers.workerCount))
    this.#planShrinking()
  }

  #planShrinking(): void {
    if (this.#shrinkTimer || this.#workers.workerCount <= this.#range.min) return
    this.#shrinkTimer = startTimer(this.#idleTimeout, () => {
      this.#shrinkTimer = undefined
      const needed = Math.max(this.#range.min, this.#peak)
      this.#peak = this.#demand.open
      if (this.#workers.workerCount > needed) this.#workers.shrink(this.#workers.workerCount - needed)
      this.#planShrinking()
    })
    this.#shrinkTimer?.unref()
  }
}
