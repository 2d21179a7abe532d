// Delivery by message: to the worker with the least work ahead of it, or the only one that will do.

import { planOnce } from '../../executor/plan-once.js'
import { nextTurn } from '../../../primitives/timers.js'
import type { Call } from '../calls/call.js'
import type { Delivery } from '../calls/delivery.js'
import { TaskCosts, type TaskCost } from '../calls/task-cost.js'
import type { WorkerSet } from '../workers/worker-set.js'
import type { WorkerSlot } from '../workers/worker-slot.js'
import { pickForkWorker, pickWorker } from './pick-worker.js'
import type { Retries } from './retries.js'

export interface MessageParts {
  readonly workers: WorkerSet
  readonly retries: Retries
  /** Plans a look at what waits, and the sending of what was given. */
  readonly pumpLater: () => void
  /** The lane of the only worker that will do, or undefined. */
  readonly laneOf: (call: Call) => number | undefined
  /** A call that any worker may take has to wait for those before it, which go another way. */
  readonly mustWait: () => boolean
}

export class ByMessage implements Delivery {
  /** What was given to a worker is its own. */
  readonly waiting = 0
  /** Calls were given to workers, and some of them may not have left yet. */
  hasUnsent = false
  readonly #at: MessageParts
  readonly #costs = new TaskCosts()
  #reservation: Reservation | undefined
  /** After all replies of this turn were read. Sending at once keeps batches small: 0.2 M no-ops/s by message, not 1.6 M. */
  readonly #flushLater = planOnce(nextTurn, () => {
    this.hasUnsent = false
    this.sendNow()
  })

  constructor(parts: MessageParts) {
    this.#at = parts
  }

  offer(call: Call): 'taken' | 'full' {
    const cost = this.#costs.of(call.name)
    const slot = call.options.isFork ? this.#pickForFork(call, cost) : this.#pick(call, cost)
    if (!slot) return 'full'
    slot.give(call, cost)
    if (call.options.transfer || call.written)
      slot.flush() // it travels best alone, and at once
    else this.#sendLater()
    return 'taken'
  }

  /** Forks have no key, but calls of the program's own functions for a task may. */
  #pickForFork(call: Call, cost: TaskCost): WorkerSlot | undefined {
    const { workers, laneOf } = this.#at
    const lane = laneOf(call)
    return pickForkWorker(
      lane === undefined ? workers.slots : workers.slots.filter((slot) => slot.lane === lane),
      cost,
    )
  }

  #pick(call: Call, cost: TaskCost): WorkerSlot | undefined {
    const { workers, retries, laneOf, mustWait } = this.#at
    const { slots } = workers
    const lane = laneOf(call)
    const { isForAll } = call.options
    const isAlone = retries.isQuarantined(call)
    if (lane === undefined && !isForAll && !isAlone) {
      if (mustWait()) return undefined
      if (this.#reservation === undefined) return pickWorker(slots, cost)
    }
    const slot = pickWorker(slots, cost, { lane, isForAll, isAlone, reserved: this.#reserved })
    if (slot) return slot
    if (lane !== undefined) workers.startLane(lane)
    if (isAlone && !this.#reserved) this.#reservation = reserve(slots, call, lane)
    return undefined
  }

  /** Its worker is told when its caller gives it up: before it starts, as a rule. */
  withdraw(): true {
    return true
  }

  takeBack(): [] {
    return []
  }

  giveUp() {
    const { slots, started } = this.#at.workers
    return { calls: slots.flatMap(({ running }) => [...running.values()]), started }
  }

  forget(): void {}

  #sendLater(): void {
    this.hasUnsent = true
    this.#at.pumpLater()
  }

  sendNow(): void {
    for (const slot of this.#at.workers.slots) slot.flush()
  }

  /** Sends what was given. */
  flush(): void {
    if (!this.hasUnsent) return
    this.hasUnsent = false
    for (const slot of this.#at.workers.slots) {
      if (slot.isIdle) slot.flush()
      else if (slot.hasUnsent) {
        this.hasUnsent = true
        this.#flushLater()
      }
    }
  }

  /** The worker that is to become free, as long as its call waits for one: that may be given up, or find another. */
  get #reserved(): WorkerSlot | undefined {
    const { call, slot } = this.#reservation ?? {}
    if (call?.isQueued && !call.isSettled && isAble(slot!)) return slot
    this.#reservation = undefined
    return undefined
  }
}

/** A worker that takes no other calls by message, until it is free for a call that runs alone. From a shared queue it does. */
interface Reservation {
  readonly call: Call
  readonly slot: WorkerSlot
}

/** Under load no worker is ever empty by itself. */
function reserve(slots: readonly WorkerSlot[], call: Call, lane?: number): Reservation | undefined {
  const able = slots.filter((slot) => isAble(slot) && (lane === undefined || slot.lane === lane))
  if (able.length === 0) return undefined
  return { call, slot: able.reduce((a, b) => (b.running.size < a.running.size ? b : a)) }
}

function isAble({ state, isLeaving }: WorkerSlot): boolean {
  return state === 'up' && !isLeaving
}
