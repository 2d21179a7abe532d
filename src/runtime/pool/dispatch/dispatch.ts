// Dispatches one call to whoever can take it: the queue that all workers share, or one worker by message.

import { pickForkWorker, pickWorker } from './pick-worker.js'
import type { Call } from '../calls/call.js'
import type { SharedCalls } from '../calls/shared-calls.js'
import type { Retries } from './retries.js'
import { TaskCosts } from '../calls/task-cost.js'
import type { WorkerSlot } from '../workers/worker-slot.js'
import type { WorkerSet } from '../workers/worker-set.js'
import { planOnce } from '../../executor/plan-once.js'
import { nextTurn } from '../../../primitives/timers.js'

export interface DispatchParts {
  readonly workers: WorkerSet
  readonly shared: SharedCalls | undefined
  readonly retries: Retries
  /** Plans a look at what waits, and the sending of what was given. */
  readonly pumpLater: () => void
}

type OfferAnswer = ReturnType<SharedCalls['offer']>

export class Dispatch {
  /** Calls go to the shared queue. */
  isSharing = false
  /** Before any worker was up a call has come that can only be sent to one that is: no other may pass it. */
  #isHeld = false
  lanes: number
  readonly #workers: WorkerSet
  readonly #shared: SharedCalls | undefined
  readonly #pumpLater: () => void
  readonly #retries: Retries
  readonly #costs = new TaskCosts()
  #reservation: Reservation | undefined
  /** Calls were given to workers, and some of them may not have left yet. */
  hasUnsent = false
  /** After all replies of this turn were read. Sending at once keeps batches small: 0.2 M no-ops/s by message, not 1.6 M. */
  readonly #flushLater = planOnce(nextTurn, () => {
    this.hasUnsent = false
    for (const slot of this.#workers.slots) slot.flush()
  })

  /** `lanes`: places for workers. */
  constructor({ workers, shared, pumpLater, retries }: DispatchParts, lanes: number) {
    this.#workers = workers
    this.#shared = shared
    this.lanes = lanes
    this.#pumpLater = pumpLater
    this.#retries = retries
  }

  /**
   * Calls go to the shared queue only while somebody will take them from it. A worker that starts will: it finds its first call without
   * this thread. Until then only as long as all calls can go there, and none is to be passed. Returns whether they do.
   */
  updateSharing(isPassing: boolean): boolean {
    const { isUp } = this.#workers
    if (isUp) this.#isHeld = false
    return (this.isSharing = isUp || (!isPassing && !this.#isHeld && this.#workers.isServing))
  }

  /** False: nobody can take it now. */
  readonly place = (call: Call): boolean => {
    const answer = this.#offer(call)
    if (call.isSettled) return this.#drop(call, answer) // by a getter among the arguments
    if (answer === 'taken') return true
    if (answer === 'full') return false
    const cost = this.#costs.of(call.name)
    const lane = this.#laneOf(call.options.lane)
    const { slots } = this.#workers
    const isSuspect = this.#retries.isQuarantined(call)
    const { isForAll, isFork } = call.options
    const hasWish = lane !== undefined || isForAll || isSuspect || this.#reservation !== undefined
    const wish = hasWish ? { lane, isForAll, isAlone: isSuspect, reserved: this.#reserved } : undefined
    const mustWait = !hasWish && !isFork && this.#isBehindQueue
    const slot = isFork ? pickForkWorker(slots, cost) : mustWait ? undefined : pickWorker(slots, cost, wish)
    if (!slot) {
      if (this.isSharing && !this.#workers.isUp) [this.isSharing, this.#isHeld] = [false, true]
      if (lane !== undefined) this.#workers.startLane(lane)
      if (isSuspect && !this.#reserved) this.#reservation = reserve(slots, call, lane)
      return false
    }
    slot.give(call, cost)
    if (call.options.transfer || answer === 'large')
      slot.flush() // it travels best alone, and at once
    else this.#sendLater()
    return true
  }

  /** A call that nobody waits for any more. */
  #drop(call: Call, answer: OfferAnswer): true {
    if (answer === 'taken') this.#shared!.withdraw(call) // otherwise a worker is told when it says that it has started
    return true
  }

  /** One worker runs calls in their order: one that has to go by message waits until the others have left the queue. */
  get #isBehindQueue(): boolean {
    return this.lanes === 1 && this.#shared !== undefined && this.#shared.waiting > 0
  }

  #sendLater(): void {
    this.hasUnsent = true
    this.#pumpLater()
  }

  /** Sends what was given. */
  flush(): void {
    if (!this.hasUnsent) return
    this.hasUnsent = false
    for (const slot of this.#workers.slots) {
      if (slot.isIdle) slot.flush()
      else if (slot.hasUnsent) {
        this.hasUnsent = true
        this.#flushLater()
      }
    }
  }

  /** The worker that is to become free, as long as its call waits for one: that may be given up, or find another. */
  get #reserved(): WorkerSlot | undefined {
    const { task: call, slot } = this.#reservation ?? {}
    if (call?.isQueued && !call.isSettled && isAble(slot!)) return slot
    this.#reservation = undefined
    return undefined
  }

  /** With one lane a call with a key is like any other, unless one worker takes over from another, or may do so while the call runs. */
  #laneOf(lane: number | undefined): number | undefined {
    const { slots, recycles } = this.#workers
    if (lane === undefined || (this.lanes === 1 && slots.length === 1 && !recycles)) return undefined
    return lane % this.lanes
  }

  #offer(task: Call): OfferAnswer {
    if (!this.#shared || !this.isSharing) return 'unfit'
    const { needsMessage, lane } = task.options
    if (needsMessage || (lane !== undefined && this.#laneOf(lane) !== undefined)) return 'unfit'
    if (this.#retries.isQuarantined(task)) return 'unfit'
    // One worker runs calls in their order, so none may pass those that had to go by message; see #isBehindQueue.
    const { slots } = this.#workers
    if (slots.length === 1 && slots[0]!.isBusy) return 'unfit'
    return this.#shared.offer(task)
  }
}

/** A worker that takes no other calls by message, until it is free for a call that runs alone. From a shared queue it does. */
interface Reservation {
  readonly task: Call
  readonly slot: WorkerSlot
}

/** Under load no worker is ever empty by itself. */
function reserve(slots: readonly WorkerSlot[], task: Call, lane?: number): Reservation | undefined {
  const able = slots.filter((slot) => isAble(slot) && (lane === undefined || slot.lane === lane))
  if (able.length === 0) return undefined
  return { task, slot: able.reduce((a, b) => (b.running.size < a.running.size ? b : a)) }
}

function isAble({ state, isLeaving }: WorkerSlot): boolean {
  return state === 'up' && !isLeaving
}
