// Whose turn it is among the calls that wait in the pool, and how many may leave it; dispatch.ts says where to.

import type { OpenCalls } from '../calls/open-calls.js'
import type { Call } from '../calls/call.js'
import type { WorkerSet } from '../workers/worker-set.js'
import type { Dispatch } from './dispatch.js'
import type { LostCalls } from './lost-calls.js'
import type { WaitingCalls } from './waiting-calls.js'

/** Calls that a pool that holds calls dispatches beyond what its workers can run: enough that short ones follow each other. */
const AHEAD = 16

export interface TurnParts {
  readonly calls: OpenCalls
  readonly waiting: WaitingCalls
  readonly workers: WorkerSet
  readonly dispatch: Dispatch
  readonly lost: LostCalls
}

/** As those of the pool. */
interface TurnOptions {
  readonly holdsCalls?: boolean | undefined
  readonly isStrict?: boolean | undefined
  readonly concurrency?: number | undefined
  readonly mayRun?: (() => boolean) | undefined
}

export class Turns {
  readonly #at: TurnParts
  #holdsCalls: boolean
  readonly #options: TurnOptions
  /** Calls that may run at a time; undefined: what the workers may hold. */
  concurrency: number | undefined

  constructor(parts: TurnParts, options: TurnOptions) {
    this.#at = parts
    this.#options = options
    this.concurrency = options.concurrency
    this.#holdsCalls = options.holdsCalls ?? false
  }

  /** From now on calls wait here, where they can be passed. */
  hold(): void {
    this.#holdsCalls = true
    this.#at.dispatch.updateSharing(true)
    this.#at.lost.recall()
  }

  /** A new call need not wait behind others. */
  isFirst({ options }: Call): boolean {
    return options.isFork || (this.#at.waiting.size === 0 && this.#hasPlace())
  }

  /** The calls that wait, each queue of them up to the first one that nobody can take now. */
  offerAll(): void {
    const { waiting, workers, dispatch, lost } = this.#at
    if (!dispatch.updateSharing(this.#holdsCalls)) lost.recall()
    if (waiting.isEmpty) return
    if (workers.workerCount === 0 && waiting.size > 0) workers.grow(1)
    waiting.offer(this.#placeInTurn)
    if (!dispatch.isSharing) lost.recall() // one of them has to be sent, once a worker is up
  }

  readonly #placeInTurn = (call: Call): boolean =>
    (call.options.isFork || this.#hasPlace()) && this.#at.dispatch.place(call)

  /** One more of the calls that wait may leave the pool. */
  #hasPlace(): boolean {
    if (!this.#holdsCalls) return true
    const { calls, waiting, workers } = this.#at
    const { isStrict, mayRun } = this.#options
    const taken = calls.open - waiting.size
    if (isStrict) return taken < (this.concurrency ?? workers.capacity) && (!mayRun || mayRun())
    return taken - calls.suspended < workers.places + AHEAD
  }
}
