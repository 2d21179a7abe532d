// A pool behind its door: admission by maxQueue and whenFull, and what the caller's own thread runs meanwhile.

import type { Counts } from './call-pool.js'
import { admit, type AdmissionOptions, type Submit } from './admission.js'
import type { Admitting } from './admission.js'
import { createCallerRuns } from './caller-runs.js'
import type { LocalPoolOptions } from './local-pool.js'

export interface BoundedPoolOptions
  extends Omit<AdmissionOptions, 'runHere'>, Omit<LocalPoolOptions, 'limit'> {
  /** Arguments and results are copies. */
  readonly copies: boolean
}

interface InnerPool extends Admitting {
  readonly counts: Counts
  close(timeout?: number): Promise<void>
  destroy(reason: unknown): Promise<void>
}

export interface BoundedPool {
  readonly submit: Submit
  /** Waits for room, whatever `whenFull` says: for map(), which bounds itself. */
  readonly submitPatiently: Submit
  readonly isBounded: boolean
  readonly stats: Counts & { readonly refused: number }
  close(timeout?: number): Promise<void>
  destroy(reason: unknown): Promise<void>
}

export function boundPool(pool: InnerPool, options: BoundedPoolOptions): BoundedPool {
  if (options.maxQueue === Infinity) return unbounded(pool)
  const here = createCallerRuns(options, options.copies)
  const admission = admit(pool, { ...options, runHere: here.submit })
  return {
    isBounded: true,
    submit: admission.submit,
    submitPatiently: admission.submitPatiently,
    get stats() {
      const { refused } = admission
      return { ...(here.pool ? sum(pool.counts, here.pool.counts) : pool.counts), refused }
    },
    async close(timeout) {
      await Promise.all([pool.close(timeout), here.pool?.close(timeout)])
    },
    async destroy(reason) {
      await Promise.all([pool.destroy(reason), here.pool?.destroy(reason)])
    },
  }
}

function unbounded(pool: InnerPool): BoundedPool {
  const submit = pool.submit.bind(pool) // bound: a wrapper would stand in the stack of every error
  return {
    isBounded: false,
    submit,
    submitPatiently: submit,
    get stats() {
      return { ...pool.counts, refused: 0 }
    },
    close: (timeout) => pool.close(timeout),
    destroy: (reason) => pool.destroy(reason),
  }
}

function sum(a: Counts, b: Counts): Counts {
  return {
    queued: a.queued + b.queued,
    running: a.running + b.running,
    completed: a.completed + b.completed,
    failed: a.failed + b.failed,
    cancelled: a.cancelled + b.cancelled,
  }
}
