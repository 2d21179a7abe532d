// Hands one call to whoever can take it: the queue that all workers share, or one worker by message.

import { planOnce } from '../executor/plan-once.js'
import { pickForkWorker, pickWorker } from './pick-worker.js'
import type { PoolParts } from './pool-parts.js'
import type { PoolTask } from './pool-task.js'
import type { SharedCalls } from './pool-worker.js'
import type { Retries } from './retries.js'
import { TaskCosts } from './task-cost.js'
import type { WorkerSlot } from './worker-slot.js'
import type { Workforce } from './workforce.js'

export class Dispatch {
  /** Somebody takes calls from the shared queue. */
  isSharing = false
  lanes: number
  readonly #workers: Workforce
  readonly #shared: SharedCalls | undefined
  readonly #pumpLater: () => void
  readonly #retries: Retries
  readonly #costs = new TaskCosts()
  /** After all replies of this turn were read. Sending at once keeps batches small: 0.2 M no-ops/s by message, not 1.6 M. */
  readonly #flushLater = planOnce(setImmediate, () => {
    for (const slot of this.#workers.slots) slot.flush()
  })

  /** `lanes`: places for workers. */
  constructor({ workers, shared, pumpLater, retries }: PoolParts, lanes: number) {
    this.#workers = workers
    this.#shared = shared
    this.lanes = lanes
    this.#pumpLater = pumpLater
    this.#retries = retries
  }

  /** False: nobody can take it now. */
  readonly place = (task: PoolTask): boolean => {
    const answer = this.#offer(task)
    if (answer === 'taken') return true
    if (answer === 'full') return false
    if (task.isSettled) return true // by a getter among the arguments
    const cost = this.#costs.of(task.name)
    const lane = this.#laneOf(task.terms.lane)
    const { slots } = this.#workers
    const isSuspect = this.#retries.isSuspect(task)
    const slot = task.terms.isFork ? pickForkWorker(slots, cost) : pickWorker(slots, cost, lane, isSuspect)
    if (!slot) {
      if (lane !== undefined) this.#workers.startLane(lane)
      if (isSuspect) reserveOne(slots)
      return false
    }
    slot.give(task, cost, this.#shared?.publish() ?? 0)
    if (task.terms.transfer || answer === 'large')
      slot.flush() // it travels best alone, and at once
    else this.#pumpLater()
    return true
  }

  /** Sends what was given. */
  flush(): void {
    for (const slot of this.#workers.slots) {
      if (slot.isIdle) slot.flush()
      else if (slot.hasUnsent) this.#flushLater()
    }
  }

  /** With one lane a call with a key is like any other, unless one worker takes over from another. */
  #laneOf(lane: number | undefined): number | undefined {
    if (lane === undefined || (this.lanes === 1 && this.#workers.slots.length === 1)) return undefined
    return lane % this.lanes
  }

  #offer(task: PoolTask): ReturnType<SharedCalls['offer']> {
    if (!this.#shared || !this.isSharing) return 'unfit'
    const { needsMessage, lane } = task.terms
    if (needsMessage || (lane !== undefined && this.#laneOf(lane) !== undefined)) return 'unfit'
    if (this.#retries.isSuspect(task)) return 'unfit'
    // One worker runs calls in their order, so none may pass those that had to go by message.
    const { slots } = this.#workers
    if (slots.length === 1 && slots[0]!.isBusy) return 'unfit'
    return this.#shared.offer(task)
  }
}

/** Under load no worker is ever empty by itself. */
function reserveOne(slots: readonly WorkerSlot[]): void {
  const able = slots.filter((slot) => slot.state === 'up' && !slot.isLeaving)
  if (able.length === 0 || able.some(({ isReserved }) => isReserved)) return
  able.reduce((a, b) => (b.running.size < a.running.size ? b : a)).isReserved = true
}
