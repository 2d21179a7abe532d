// How much work lies with one worker: what a new call would have to wait for.

import { machineNow } from '../../wire/machine-clock.js'
import type { Call } from '../calls/call.js'
import { LOOK_AHEAD_US, type TaskCost } from '../calls/task-cost.js'

export class SlotLoad {
  /** Microseconds of work that is expected to lie before a new call. */
  chargedUs = 0
  /** Calls that run or lie before a new call; calls that wait on a promise are not among them. */
  busy = 0
  /** Calls that wait on a promise, without abandoned ones. */
  waiting = 0
  /** Those of them that let others in meanwhile, where calls take turns: see worker/turns.ts. */
  away = 0
  /** Calls whose promises may never settle, and whose places were given to others. */
  abandoned = 0
  /** The forked ones among `busy`. */
  #forks = 0
  #forkUs = 0
  #activeAt = 0

  /** Milliseconds since it had nothing to do, or was active last; 0: it has nothing to do. */
  get silentMs(): number {
    return this.busy === 0 ? 0 : machineNow() - this.#activeAt
  }

  /** It has replied, or was given calls when it had none. */
  noteActivity(): void {
    this.#activeAt = machineNow()
  }

  hasRoomFor(cost: TaskCost): boolean {
    return this.busy === 0 || this.chargedUs + cost.expectedUs <= LOOK_AHEAD_US
  }

  /**
   * What was sent to a worker that takes no more calls from the queue may wait behind those there, and they for this fork. Then only
   * other forks hold it back: they wait for nothing but the thread.
   */
  hasRoomForFork(cost: TaskCost, tasksPerWorker: number): boolean {
    const isHeldBack = this.#forks > 0 && this.#forkUs + cost.expectedUs > LOOK_AHEAD_US
    return this.hasRoomFor(cost) || (this.waiting >= tasksPerWorker && !isHeldBack)
  }

  /** A call was given to the worker. */
  charge(us: number, isFork: boolean): void {
    this.chargedUs += us
    this.busy++
    if (!isFork) return
    this.#forkUs += us
    this.#forks++
  }

  /** It waits on a promise, or for credit: the worker is free for others. */
  suspend(call: Call, isAway = call.placement!.isAway): void {
    this.setAway(call, isAway) // a stream says that it pauses before it is said to wait
    if (call.placement!.isWaiting) return
    this.#uncharge(call)
    call.placement!.isWaiting = true
    this.waiting++
    if (isAway) this.away++
  }

  /** A call that waits lets others in, or does so no more. */
  setAway({ placement }: Call, isAway: boolean): void {
    const before = placement!.isAway && placement!.isWaiting
    placement!.isAway = isAway
    if (!placement!.isAbandoned) this.away += Number(isAway && placement!.isWaiting) - Number(before)
  }

  /** The synchronous iterator of a stream runs again. */
  resume(call: Call): void {
    const { placement } = call
    if (!placement!.isWaiting || placement!.isAbandoned) return
    if (placement!.isAway) this.away--
    placement!.isWaiting = false
    this.waiting--
    this.charge(placement!.chargedUs, call.options.isFork)
  }

  abandon(call: Call): void {
    this.setAway(call, false)
    call.placement!.isAbandoned = true
    this.waiting--
    this.abandoned++
  }

  /** The worker has answered it. */
  release(call: Call): void {
    this.setAway(call, false)
    const { isWaiting, isAbandoned } = call.placement!
    if (isAbandoned) this.abandoned--
    else if (isWaiting) this.waiting--
    else this.#uncharge(call)
  }

  /** What a worker takes from the shared queue by itself was never charged. */
  #uncharge(call: Call): void {
    const { isWaiting, isSent, chargedUs } = call.placement!
    if (isWaiting || !isSent) return
    this.chargedUs -= chargedUs
    this.busy--
    if (call.options.isFork) {
      this.#forkUs -= chargedUs
      if (--this.#forks === 0) this.#forkUs = 0
    }
    if (this.busy === 0) this.chargedUs = 0 // no drift from adding and subtracting fractions
  }
}
