// What an executor needs of a pool, whichever way it distributes its calls.

import type { RunOptions, WorkerStats } from '../executor/executor.js'
import type { Admitting } from './admission.js'
import type { SizeRange } from '../executor/options.js'
import type { Counts } from '../executor/stats.js'
import type { Submit } from '../executor/submit.js'

export interface CallPool extends Admitting {
  /** Resolves when all workers are up for the first time. */
  readonly ready: Promise<void>
  /** Workers that are up or starting. */
  readonly size: number
  /** Calls that are not settled. */
  readonly open: number
  /** Exact, and so more work than `open` when many calls wait. */
  readonly counts: Counts
  /** Calls the function once for each input; they travel, and settle, as one call. */
  submitEach?(name: string, inputs: readonly unknown[], options?: RunOptions): Promise<unknown>
  /**
   * A call that a task of this pool makes: nothing holds it back but the want of a thread. A pool that closes takes it too, since the call that
   * has forked it must be able to finish.
   */
  readonly submitFork: ForkTo
  /** One call for each worker that is there. */
  readonly broadcast: Submit<unknown[]>
  resize(size: SizeRange): void
  /** Replaces all workers that there are now; resolves when the last of them has ended. */
  recycleNow(): Promise<void>
  readonly workers: readonly WorkerStats[]
  /** Asks each of them. */
  inspect(): Promise<readonly WorkerStats[]>
  close(timeout?: number): Promise<void>
  destroy(reason: unknown): Promise<void>
}

/** Takes a fork elsewhere; undefined: whoever asks must take it. */
export type ForkTo = (...call: Parameters<Submit>) => Promise<unknown> | undefined
