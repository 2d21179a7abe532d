// What a worker uses, as it sees that itself: it answers the pool's question from its event loop, or between two calls.

/** Null: this version of Node, or this platform, does not tell. */
export interface WorkerUsage {
  /** The number that the operating system gave this thread. */
  readonly osThreadId: number | null
  /** Milliseconds of CPU time since the worker's start, of its thread or its process. */
  readonly cpu: number | null
  readonly heapBytes: number
  /** Resident memory; null for a thread, which shares it with its process. */
  readonly rssBytes: number | null
  /** Milliseconds in which the thread was busy, and idle, since it began to look. */
  readonly activeMs: number
  readonly idleMs: number
}

export interface UsageSource {
  readonly osThreadId: number | null
  readonly cpuMs: () => number | null
  readonly hasOwnMemory: boolean
  /** Milliseconds in which the thread slept while it had no turn of the event loop, which takes that for work. */
  readonly sleptMs?: (() => number) | undefined
}

export function readUsage({ osThreadId, cpuMs, hasOwnMemory, sleptMs }: UsageSource): WorkerUsage {
  const { heapUsed, rss } = process.memoryUsage()
  const { active, idle } = performance.eventLoopUtilization()
  const slept = Math.min(sleptMs?.() ?? 0, active)
  return {
    osThreadId,
    cpu: cpuMs(),
    heapBytes: heapUsed,
    rssBytes: hasOwnMemory ? rss : null,
    activeMs: active - slept,
    idleMs: idle + slept,
  }
}
