// What an executor needs of a pool, whichever way it distributes its calls.

import type { RunOptions } from '../executor/executor.js'

export type Outcome = 'completed' | 'failed' | 'cancelled'

export interface CallPool {
  /** Resolves when all workers are up for the first time. */
  readonly ready: Promise<void>
  /** Workers that are up or starting. */
  readonly size: number
  /** Calls that are not settled. */
  readonly open: number
  /** Exact, and so more work than `open` when many calls wait. */
  readonly counts: Readonly<Record<'queued' | 'running' | Outcome, number>>
  submit(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown>
  /** Calls the function once for each input; they travel, and settle, as one call. */
  submitEach?(name: string, inputs: readonly unknown[]): Promise<unknown>
  close(timeout?: number): Promise<void>
  destroy(reason: unknown): Promise<void>
}
