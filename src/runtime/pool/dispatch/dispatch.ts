// Hands one call to whoever can take it: the queue that all workers share, or one worker by message.

import { nextTurn, planOnce } from '../../executor/turns.js'
import { pickForkWorker, pickWorker } from './pick-worker.js'
import type { PoolParts } from './pool-parts.js'
import type { PoolTask } from '../calls/call.js'
import type { SharedCalls } from '../calls/shared-calls.js'
import type { Retries } from './retries.js'
import { TaskCosts } from '../calls/task-cost.js'
import type { WorkerSlot } from '../workers/worker-slot.js'
import type { Workforce } from '../workers/worker-set.js'
import type { LostCalls } from './lost-calls.js'

type OfferAnswer = ReturnType<SharedCalls['offer']>

export class Dispatch {
  /** Calls go to the shared queue. */
  isSharing = false
  /** Before any worker was up a call has come that can only be sent to one that is: no other may pass it. */
  #isHeld = false
  lanes: number
  readonly #workers: Workforce
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
  constructor({ workers, shared, pumpLater, retries }: PoolParts, lanes: number) {
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
  readonly place = (task: PoolTask): boolean => {
    const answer = this.#offer(task)
    if (task.isSettled) return this.#drop(task, answer) // by a getter among the arguments
    if (answer === 'taken') return true
    if (answer === 'full') return false
    const cost = this.#costs.of(task.name)
    const lane = this.#laneOf(task.terms.lane)
    const { slots } = this.#workers
    const isSuspect = this.#retries.isSuspect(task)
    const { isForAll, isFork } = task.terms
    const hasWish = lane !== undefined || isForAll || isSuspect || this.#reservation !== undefined
    const wish = hasWish ? { lane, isForAll, isAlone: isSuspect, reserved: this.#reserved } : undefined
    const slot = isFork ? pickForkWorker(slots, cost) : pickWorker(slots, cost, wish)
    if (!slot) {
      if (this.isSharing && !this.#workers.isUp) [this.isSharing, this.#isHeld] = [false, true]
      if (lane !== undefined) this.#workers.startLane(lane)
      if (isSuspect && !this.#reserved) this.#reservation = reserve(slots, task, lane)
      return false
    }
    slot.give(task, cost, this.#shared?.publish() ?? 0)
    if (task.terms.transfer || answer === 'large')
      slot.flush() // it travels best alone, and at once
    else this.#sendLater()
    return true
  }

  /** A call that nobody waits for any more. */
  #drop(task: PoolTask, answer: OfferAnswer): true {
    if (answer === 'taken') this.#shared!.withdraw(task) // otherwise a worker is told when it says that it has started
    return true
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
    const { task, slot } = this.#reservation ?? {}
    if (task?.isQueued && !task.isSettled && isAble(slot!)) return slot
    this.#reservation = undefined
    return undefined
  }

  /** With one lane a call with a key is like any other, unless one worker takes over from another, or may do so while the call runs. */
  #laneOf(lane: number | undefined): number | undefined {
    const { slots, recycles } = this.#workers
    if (lane === undefined || (this.lanes === 1 && slots.length === 1 && !recycles)) return undefined
    return lane % this.lanes
  }

  #offer(task: PoolTask): OfferAnswer {
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

/** A worker that takes no other calls by message, until it is free for a call that runs alone. From a shared queue it does. */
interface Reservation {
  readonly task: PoolTask
  readonly slot: WorkerSlot
}

/** Under load no worker is ever empty by itself. */
function reserve(slots: readonly WorkerSlot[], task: PoolTask, lane?: number): Reservation | undefined {
  const able = slots.filter((slot) => isAble(slot) && (lane === undefined || slot.lane === lane))
  if (able.length === 0) return undefined
  return { task, slot: able.reduce((a, b) => (b.running.size < a.running.size ? b : a)) }
}

function isAble({ state, isLeaving }: WorkerSlot): boolean {
  return state === 'up' && !isLeaving
}

// Hands out the calls that wait in the pool, in their order: to the queue that all workers share, or to one worker by message.
// Dispatch says to which of them, and when; this says whose turn it is, and how many may leave.

/** Calls that a pool that holds back gives out beyond what its workers can run: enough that short ones follow each other. */
const AHEAD = 16

export class HandOut {
  readonly #at: PoolParts
  readonly #dispatch: Dispatch
  readonly #lost: LostCalls
  #holdsBack: boolean

  /** `holdsBack`: calls wait in the pool, where they can be passed, and not where workers take them by themselves. */
  constructor(parts: PoolParts, dispatch: Dispatch, lost: LostCalls, holdsBack: boolean) {
    this.#at = parts
    this.#dispatch = dispatch
    this.#lost = lost
    this.#holdsBack = holdsBack
  }

  /** From now on calls wait here, where they can be passed. */
  holdBack(): void {
    this.#holdsBack = true
    this.#dispatch.updateSharing(true)
    this.#lost.takeBack()
  }

  /** A new call need not wait behind others. */
  isFirst({ terms }: PoolTask): boolean {
    return terms.isFork || (this.#at.waiting.size === 0 && this.#hasPlace())
  }

  /** The calls that wait, each queue of them up to the first one that nobody can take now. */
  offerAll(): void {
    const { waiting, workers } = this.#at
    if (!this.#dispatch.updateSharing(this.#holdsBack)) this.#lost.takeBack()
    if (waiting.isEmpty) return
    if (workers.members === 0 && waiting.size > 0) workers.grow(1)
    waiting.offer(this.#placeInTurn)
    if (!this.#dispatch.isSharing) this.#lost.takeBack() // one of them has to be sent, once a worker is up
  }

  readonly #placeInTurn = (task: PoolTask): boolean =>
    (task.terms.isFork || this.#hasPlace()) && this.#dispatch.place(task)

  /** One more of the calls that wait may leave the pool. */
  #hasPlace(): boolean {
    if (!this.#holdsBack) return true
    const { calls, waiting, workers } = this.#at
    return calls.open - calls.suspended - waiting.size < workers.places + AHEAD
  }
}
