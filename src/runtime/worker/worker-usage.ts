// What a worker uses, as it sees that itself: it answers the pool's question from its event loop, or between two calls.

import { ownMemory } from '../../primitives/own-memory.js'
import { startTimer } from '../../primitives/timers.js'
import type { WorkerUsage } from '../wire/messages.js'

export interface UsageSource {
  readonly osThreadId: number | null
  readonly cpuMs: () => number | null
  readonly hasOwnMemory: boolean
  /** Milliseconds in which the thread slept while it had no turn of the event loop, which takes that for work. */
  readonly sleptMs?: (() => number) | undefined
}

export function readUsage({ osThreadId, cpuMs, hasOwnMemory, sleptMs }: UsageSource): WorkerUsage {
  const { heapUsed, rss } = ownMemory()
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

// Tells once when this worker's memory has grown beyond a limit.
//
// It looks a moment after a call, never while the worker is idle. Garbage that was not collected yet counts too.

const LOOK_AFTER_MS = 100

/** `maxBytes`: of the heap and of the buffers outside of it. To be called with each call. */
export function createHeapWatch(maxBytes: number, onWorn: () => void): () => void {
  let isPlanned = false
  const look = () => {
    const { heapUsed, external } = ownMemory()
    if (heapUsed + external > maxBytes) onWorn()
    else isPlanned = false
  }
  return () => {
    if (isPlanned) return
    isPlanned = true
    startTimer(LOOK_AFTER_MS, look)?.unref()
  }
}
