// A pool with a bounded queue: admission by maxQueue and whenFull, and what the caller's own thread runs meanwhile.

import { addCounts, NO_COUNTS, type Counts } from '../executor/stats.js'
import type { Submit } from '../executor/submit.js'
import { admit, type AdmissionOptions, type CallerThread, type Admitting } from './admission.js'

export type BoundedPoolOptions = Omit<AdmissionOptions, 'here'>

/** Runs in the caller's own thread what a full pool did not take. */
export interface CallerRuns extends CallerThread {
  /** Undefined until it was used: the module is loaded in this thread only then. */
  readonly pool: InnerPool | undefined
}

interface InnerPool extends Admitting {
  readonly counts: Counts
  close(timeout?: number): Promise<void>
  destroy(reason: unknown): Promise<void>
}

export interface BoundedPool {
  readonly submit: Submit
  /** Waits for room, whatever `whenFull` says: for map(), which bounds itself. */
  readonly submitWhenRoom: Submit
  readonly isBounded: boolean
  /** A call that is made now is accepted. */
  readonly hasRoom: () => boolean
  /** Resolves when it would be, or when the pool takes no more calls. */
  readonly whenRoom: () => Promise<void>
  readonly stats: Counts & { readonly refused: number }
  close(timeout?: number): Promise<void>
  destroy(reason: unknown): Promise<void>
}

export function boundPool(
  pool: InnerPool,
  options: BoundedPoolOptions,
  createCallerRuns: () => CallerRuns,
): BoundedPool {
  if (options.maxQueue === Infinity) return unbounded(pool)
  const here = createCallerRuns()
  const admission = admit(pool, { ...options, here })
  return {
    isBounded: true,
    submit: admission.submit,
    submitWhenRoom: admission.submitWhenRoom,
    whenRoom: admission.whenRoom,
    hasRoom: admission.hasRoom,
    get stats() {
      const { refused, left } = admission
      const all = [pool.counts, here.pool?.counts ?? NO_COUNTS, { ...NO_COUNTS, ...left }]
      return { ...all.reduce(addCounts), refused }
    },
    async close(timeout) {
      await Promise.all([pool.close(timeout), here.pool?.close(timeout)])
      await admission.empty()
    },
    async destroy(reason) {
      await Promise.all([pool.destroy(reason), here.pool?.destroy(reason)])
      await admission.empty()
    },
  }
}

function unbounded(pool: InnerPool): BoundedPool {
  const submit = pool.submit.bind(pool) // bound: a wrapper would stand in the stack of every error
  return {
    isBounded: false,
    submit,
    submitWhenRoom: submit,
    whenRoom: () => Promise.resolve(),
    hasRoom: () => pool.isOpen,
    get stats() {
      return { ...pool.counts, refused: 0 }
    },
    close: (timeout) => pool.close(timeout),
    destroy: (reason) => pool.destroy(reason),
  }
}
