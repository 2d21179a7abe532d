// Sends each call to a worker that is chosen when the call is made: a pool of one worker for each lane, and a rule.
//
//   run() --> rule, or key --> lane 0: queue --> worker 0
//                          \-> lane 1: queue --> worker 1        a call waits for its worker even when others are idle
//
// The opposite is the default, where all workers take calls from one queue: pool.ts.

import type { RunOptions, WorkerStats } from '../executor/executor.js'
import type { Observer } from '../engine/observer.js'
import type { WorkerLoad } from './balance.js'
import { addCounts, NO_COUNTS, type Counts } from '../executor/stats.js'
import type { CallPool } from '../engine/call-pool.js'
import type { SizeRange } from '../executor/options.js'
import { planOnce } from '../executor/plan-once.js'
import { soon } from '../../primitives/timers.js'
import { laneOf } from './calls/lane.js'
import { shareOfLane } from './dispatch/shares.js'

export type ChooseLane = (lanes: readonly WorkerLoad[], name: string, args: readonly unknown[]) => number

export interface DirectedPoolOptions {
  readonly size: SizeRange
  readonly closeTimeout: number
  /** Calls that may run at a time in all lanes. */
  readonly concurrency: number | undefined
  /** Makes the pool of a lane, with a worker at once or from its first call on. */
  readonly createLane: (size: SizeRange, place: LanePlace, events: LaneEvents) => Lane
  readonly choose: ChooseLane
  readonly observer: Observer
}

interface LanePlace {
  /** Calls that may run there at a time. */
  readonly share: number | undefined
  readonly lanesBefore: number
}

export interface Lane extends CallPool {
  /** Calls that may be running. */
  readonly taken: number
  resize(size: SizeRange, share?: number): void
  /** There may be room for a call that waits. */
  look(): void
}

interface LaneEvents {
  /** One more call may run, as far as the other lanes are concerned: some may still have more than their share. */
  readonly mayRun?: () => boolean
  /** A call has ended that may have been running. */
  readonly onFreed?: () => void
}

export class DirectedPool implements CallPool {
  readonly ready: Promise<void>
  readonly #options: DirectedPoolOptions
  #lanes: readonly Lane[] = []
  /** Lanes that were given up, until their last call is done. */
  #leaving: readonly Lane[] = []
  /** Of lanes that are gone, and of calls for which the rule has found none. */
  #past = NO_COUNTS
  /** What a rule sees of the lanes; it may be a function of the user's. */
  #loads: readonly WorkerLoad[] = []
  #onRoom: (() => void) | undefined
  readonly #lookLater = planOnce(soon, () => this.#all.forEach((lane) => lane.look()))
  /** Set before the first lane closes: no other may take a call then. */
  #isEnding = false

  constructor(options: DirectedPoolOptions) {
    this.#options = options
    this.resize(options.size)
    this.ready = Promise.all(this.#lanes.map((lane) => this.#readyOf(lane))).then(() => undefined)
    this.ready.catch(() => {}) // who never looks at `ready` learns of the failure from the calls
  }

  get size(): number {
    return sum(this.#all, ({ size }) => size)
  }

  get open(): number {
    return sum(this.#all, ({ open }) => open)
  }

  get counts(): Counts {
    return this.#all.map(({ counts }) => counts).reduce(addCounts, this.#past)
  }

  get workers(): readonly WorkerStats[] {
    return this.#all.flatMap(({ workers }) => workers)
  }

  async inspect(): Promise<readonly WorkerStats[]> {
    return (await Promise.all(this.#all.map((lane) => lane.inspect()))).flat()
  }

  get busy(): number {
    return sum(this.#all, ({ busy }) => busy)
  }

  get places(): number {
    return sum(this.#lanes, ({ places }) => places)
  }

  get isOpen(): boolean {
    return !this.#isEnding
  }

  get onRoom(): (() => void) | undefined {
    return this.#onRoom
  }

  set onRoom(callback: (() => void) | undefined) {
    this.#onRoom = callback
    for (const lane of this.#all) lane.onRoom = callback
  }

  discardOldest(makeReason: (task: { readonly name: string }) => unknown): boolean {
    const fullestFirst = [...this.#lanes].sort((a, b) => b.busy - a.busy)
    return fullestFirst.some((lane) => lane.discardOldest(makeReason))
  }

  submit(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown> {
    return this.#toLane(name, args, options?.key, (lane) => lane.submit(name, args, options))
  }

  /** What a task has forked goes by the rule, too. Undefined: when this pool closes, the lane of that task must take it. */
  submitFork(
    name: string,
    args: readonly unknown[],
    options: RunOptions | undefined,
  ): Promise<unknown> | undefined {
    if (!this.isOpen) return undefined
    return this.#toLane(name, args, undefined, (lane) => lane.submitFork(name, args, options))
  }

  async broadcast(
    name: string,
    args: readonly unknown[],
    options: RunOptions | undefined,
  ): Promise<unknown[]> {
    // A getter among the arguments may call resize(), and lanes are no more when it is their turn.
    const call = async (lane: Lane) => (this.#lanes.includes(lane) ? lane.broadcast(name, args, options) : [])
    return (await Promise.all(this.#lanes.map(call))).flat()
  }

  /** Calls with a key, and those of a rule, may go to other lanes from now on. */
  resize({ min, max }: SizeRange): void {
    if (this.#isEnding) return
    const lanes = this.#lanes.slice(0, max)
    for (const lane of this.#lanes.slice(max)) this.#letGo(lane)
    const { concurrency, createLane } = this.#options
    for (let i = 0; i < max; i++) {
      const size = { min: i < min ? 1 : 0, max: 1 }
      const share = concurrency === undefined ? undefined : shareOfLane(concurrency, max, i)
      if (i < lanes.length) lanes[i]!.resize(size, share)
      else lanes.push(createLane(size, { share, lanesBefore: i }, this.#laneEvents))
    }
    this.#lanes = lanes
    this.#loads = Object.freeze(lanes.map(loadOf))
    this.onRoom = this.#onRoom
    this.#onRoom?.()
  }

  async recycleNow(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.recycleNow()))
  }

  async close(timeout = this.#options.closeTimeout): Promise<void> {
    this.#isEnding = true
    await Promise.all(this.#all.map((lane) => lane.close(timeout)))
  }

  async destroy(reason: unknown): Promise<void> {
    this.#isEnding = true
    await Promise.all(this.#all.map((lane) => lane.destroy(reason)))
  }

  get #laneEvents(): LaneEvents {
    const { concurrency } = this.#options
    if (concurrency === undefined) return {}
    return { mayRun: () => sum(this.#all, ({ taken }) => taken) < concurrency, onFreed: this.#lookLater }
  }

  get #all(): readonly Lane[] {
    return this.#leaving.length === 0 ? this.#lanes : [...this.#lanes, ...this.#leaving]
  }

  /** A rule of the user's may throw. */
  #toLane<Given>(
    name: string,
    args: readonly unknown[],
    key: string | number | undefined,
    give: (lane: Lane) => Given,
  ): Given | Promise<never> {
    let lane: Lane
    try {
      lane = this.#laneFor(name, args, key)
    } catch (error) {
      this.#options.observer.endAtOnce(name, 'failed')
      this.#past = addCounts(this.#past, { ...NO_COUNTS, failed: 1 })
      return Promise.reject(error)
    }
    return give(lane)
  }

  #laneFor(name: string, args: readonly unknown[], key?: string | number): Lane {
    if (this.#isEnding) return this.#lanes[0]!
    if (key !== undefined) return this.#lanes[laneOf(key, this.#lanes.length)]!
    const index = this.#options.choose(this.#loads, name, args)
    return this.#lanes[index % this.#lanes.length]! // a rule may have called resize()
  }

  /** One that was given up meanwhile is not waited for. */
  async #readyOf(lane: Lane): Promise<void> {
    try {
      await lane.ready
    } catch (error) {
      if (this.#lanes.includes(lane)) throw error
    }
  }

  #letGo(lane: Lane): void {
    this.#leaving = [...this.#leaving, lane]
    void lane.close(Infinity).then(() => {
      this.#leaving = this.#leaving.filter((other) => other !== lane)
      this.#past = addCounts(this.#past, lane.counts)
    })
  }
}

function sum(lanes: readonly Lane[], count: (lane: Lane) => number): number {
  return lanes.reduce((total, lane) => total + count(lane), 0)
}

function loadOf(lane: Lane): WorkerLoad {
  return Object.freeze({
    get open() {
      return lane.open
    },
  })
}
