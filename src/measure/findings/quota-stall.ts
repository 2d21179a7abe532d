// The CPU quota freezes the program, and its event loop feels it.

import { maxBy, worked, type FindingContext } from './context.js'
import { cpusOf, duration, nameOf, percent } from './wording.js'
import type { Reason } from '../results/result.js'

/** Share of the measured time in which the processes were frozen, in %. */
const THROTTLED_PERCENT = 20

/** A fifth of the kernel's default quota period of 100 ms: a stall that a caller notices. */
const LOOP_DELAY_MS = 20

/**
 * Needs both throttling and a late event loop. When T threads want to run, a quota of Q CPUs is spent after Q * 100 ms / T
 * of each 100 ms, and the rest of the period stands still: more threads, longer stalls.
 */
export function quotaStall({ cpus, cells, chosen }: FindingContext): Reason | null {
  const stalled = worked(cells).filter(
    (cell) => (cell.throttled ?? 0) >= THROTTLED_PERCENT && (cell.loopDelay.p99 ?? 0) >= LOOP_DELAY_MS,
  )
  const cell =
    stalled.find((candidate) => candidate === chosen) ??
    maxBy(stalled, (candidate) => candidate.throttled ?? NaN)
  if (cell === undefined) return null
  const throttledPercent = cell.throttled as number
  const loopDelayP99Ms = cell.loopDelay.p99 as number
  return {
    id: 'quota-stall',
    level: cell === chosen ? 'warning' : 'hint',
    sentence: `The quota of ${cpusOf(cpus)} freezes ${nameOf(cell)} for ${percent(throttledPercent)} of the time, and the main loop runs ${duration(loopDelayP99Ms * 1000)} late (p99).`,
    evidence: { cpus, throttledPercent, loopDelayP99Ms },
  }
}
