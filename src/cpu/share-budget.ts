// The CPU budget of this process, divided among the pools that were given no size.
//
// It is divided anew when a pool comes or goes, and when the budget itself has changed: a quota may be changed while the
// program runs. Nobody tells of that, so it is read again while calls are made, at most every REREAD_MS, and never while all pools
// are idle.

import { sharedState } from '../primitives/shared-state.js'
import { startTimer, type Timer } from '../primitives/timers.js'
import { cpuBudget, wholeCpus } from './cpu-budget.js'

export interface Sharer {
  /** Told when its share has changed. */
  resize(workers: number): void
  /** Calls are open. */
  isBusy(): boolean
}

export interface Share {
  /** Workers, at least 1. */
  readonly size: number
  /** Calls are made: looks at the budget again before long. */
  onBusy(): void
  leave(): void
}

const REREAD_MS = 10_000

interface Shared {
  /** With the sizes that they were given last. */
  readonly sharers: Map<Sharer, number>
  timer: Timer
}

const shared = sharedState<Shared>('cpu-shares', 1, () => ({ sharers: new Map(), timer: undefined }))

/** A pool without a size joins. The others make room. */
export function shareBudget(sharer: Sharer): Share {
  const cpus = wholeCpus(cpuBudget().cpus) // before the sharer is in: THREADWISE_CPUS may be wrong, which throws
  shared.sharers.set(sharer, 0)
  divide(cpus)
  return {
    size: shared.sharers.get(sharer)!,
    onBusy: rereadLater,
    leave() {
      if (shared.sharers.delete(sharer)) reread()
    },
  }
}

/** Whole CPUs in turn, to those who came first: 3 CPUs are 2 + 1. Everybody gets one, even if there are fewer CPUs. */
function divide(cpus: number): void {
  const { sharers } = shared
  let place = 0
  for (const [sharer, before] of sharers) {
    const size = Math.max(1, Math.floor(cpus / sharers.size) + (place++ < cpus % sharers.size ? 1 : 0))
    sharers.set(sharer, size)
    if (before !== 0 && before !== size) sharer.resize(size)
  }
}

/** What was right at the start may be wrong now; then everybody keeps what they have. */
function reread(): void {
  try {
    divide(wholeCpus(cpuBudget().cpus))
  } catch {
    // It is told to whoever makes the next pool.
  }
}

function rereadLater(): void {
  if (shared.timer) return
  shared.timer = startTimer(REREAD_MS, () => {
    shared.timer = undefined
    reread()
    if ([...shared.sharers.keys()].some((sharer) => sharer.isBusy())) rereadLater()
  })
  shared.timer?.unref()
}
