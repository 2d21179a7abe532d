// Removes ends that are kept no longer: when the next one is due, and not while nothing is kept.

import type { Marks } from './connection/connection.js'
import { machineNow } from '../wire/machine-clock.js'
import { LONGEST_TIMER_MS } from '../../primitives/timers.js'

/** Milliseconds: callers tell what they have seen a moment later; and from one sweep to the next, at least. */
const LATER_MS = 1000
const AGAIN_MS = 5000

export interface Sweeper {
  /** Something is kept for so long. */
  plan(ms: number): void
  stop(): void
}

export function createSweeper(marks: Pick<Marks, 'sweep'>): Sweeper {
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Infinity
  let isOver = false
  const sweep = async () => {
    dueAt = Infinity
    timer = undefined
    try {
      const next = await marks.sweep()
      if (next !== undefined) plan(next)
    } catch {
      plan(AGAIN_MS) // the store is away, or refuses
    }
  }
  const plan = (ms: number) => {
    const at = machineNow() + ms + LATER_MS
    if (isOver || at >= dueAt) return
    dueAt = at
    clearTimeout(timer)
    timer = setTimeout(() => void sweep(), Math.min(ms + LATER_MS, LONGEST_TIMER_MS))
    timer.unref()
  }
  return {
    plan,
    stop() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
