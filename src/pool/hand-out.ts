// Hands out the calls that wait in the pool, in their order: to the queue that all workers share, or to one worker by message.
// Dispatch says to which of them, and when; this says whose turn it is, and how many may leave.

import type { Dispatch } from './dispatch.js'
import type { LostCalls } from './lost-calls.js'
import type { PoolParts } from './pool-parts.js'
import type { PoolTask } from './pool-task.js'

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
