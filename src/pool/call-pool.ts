// What an executor needs of a pool, whichever way it distributes its calls.

import type { Admitting } from './admission.js'

export type Outcome = 'completed' | 'failed' | 'cancelled'

/** How many calls are in each state. */
export type Counts = Readonly<Record<'queued' | 'running' | Outcome, number>>

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
  submitEach?(name: string, inputs: readonly unknown[]): Promise<unknown>
  close(timeout?: number): Promise<void>
  destroy(reason: unknown): Promise<void>
}
