// How many items travel as one call: of map(), and of the algorithms of threadwise/parallel.

/** What a worker says of a call with many items. */
export interface ChunkTimes {
  /** Of the first items: those after them were not called, and go one by one. */
  readonly results: readonly unknown[]
  /** Microseconds for which the items kept the thread busy. */
  readonly us: number
  /** Microseconds for which it read them before. Default 0: not known. */
  readonly readUs?: number
  /** The task gives promises: its calls do better one by one, since they overlap then. */
  readonly isAsync: boolean
}

export interface ChunkSize {
  /** Items of the next chunk, when so many are left for so many workers. */
  next(remaining: number, workers: number): number
  learn(answer: ChunkTimes): void
  /** The task gives promises: its calls go one by one, and many at a time. */
  readonly isAsync: boolean
}

export interface ChunkGoal {
  /** Microseconds of work in one call. */
  readonly targetUs: number
  readonly maxItems: number
}

/**
 * Each call wakes the caller's thread, whose code and data are in no cache by then. Where there are no more CPUs than workers, the
 * workers lack that time, so shorter calls make a map slower. Longer ones gain little more, and other calls wait behind them; see
 * docs/maintainers/figures.md.
 */
export const ON_WORKERS: ChunkGoal = { targetUs: 10_000, maxItems: 4096 }

/** Chunks in flight for each worker: one that runs, and enough behind it that it never waits. */
export const CHUNKS_PER_WORKER = 4

/** By the time that the task takes, from one item on; fewer items towards the end, so that all workers end together. */
export function learnedSize({ targetUs, maxItems } = ON_WORKERS): ChunkSize {
  let size = 1
  const state = {
    isAsync: false,
    next(remaining: number, workers: number) {
      return state.isAsync ? 1 : Math.max(1, Math.min(size, Math.ceil(remaining / (2 * workers))))
    },
    learn({ results, us, readUs = 0, isAsync }: ChunkTimes) {
      if (isAsync) state.isAsync = true
      const fit = Math.floor((targetUs * results.length) / Math.max(us + readUs, 1))
      // A first call may be slow for many reasons and a lucky one fast: the size follows in steps.
      size = Math.max(1, Math.min(fit, 8 * Math.max(size, results.length), maxItems))
    },
  }
  return state
}

/**
 * By what is left alone: a large part at first and ever smaller ones, so that few values come back and all workers end
 * together, whatever the items cost.
 */
export function shrinkingSize(): ChunkSize {
  const next = (remaining: number, workers: number) => Math.max(1, Math.ceil(remaining / (4 * workers)))
  return { isAsync: false, next, learn() {} }
}

/** As the caller says. */
export function fixedSize(size: number): ChunkSize {
  return { isAsync: false, next: () => size, learn() {} }
}
