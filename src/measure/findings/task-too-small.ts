// The call is over before another thread has heard of it.

import {
  LARGE_PAYLOAD_BYTES,
  nearestOf,
  payloadBytes,
  poolCells,
  type FindingContext,
  inlineCell,
} from './context.js'
import { duration, giving, times } from './wording.js'
import type { Reason, Cell } from '../results/result.js'

/** A call shorter than this many times the price of handing it over is not worth handing over (a proposal). */
const PRICES = 10

/** Needs pools that were measured as slower, none that was faster, and a short call with a small payload. */
export function taskTooSmall({ task, cells, scout, band }: FindingContext): Reason | null {
  const pools = poolCells(cells)
  // By the interval and not the verdict: racing drops a pool that is far behind before it has the rounds for a verdict.
  const isSlower =
    pools.some((cell) => cell.ratio.high < band.low) && !pools.some((cell) => cell.verdict === 'faster')
  const nearest = nearestOf(pools)
  if (scout === null || nearest === undefined || !isSlower) return null
  const priceUs = callPriceUs(nearest, cells)
  if (priceUs === null || scout.callUs >= PRICES * priceUs) return null
  if ((payloadBytes(scout) ?? 0) >= LARGE_PAYLOAD_BYTES) return null

  return {
    id: 'task-too-small',
    level: 'hint',
    sentence: `One call of ${task} takes ${duration(scout.callUs)}, and handing it over costs ${duration(priceUs)} of CPU: ${giving(nearest)} ${times(nearest.ratio.value)}; keep it inline, or do more work in one call.`,
    evidence: { callUs: scout.callUs, priceUs, ratio: nearest.ratio.value },
  }
}

// What a call through a pool costs beyond the task itself, from the CPU time of the cells.

/**
 * Microseconds of CPU that one call through this pool adds: what all threads and processes together spend more than inline,
 * and at least what the main thread spends, since none of that is the task. Null when CPU times are unknown.
 */
export function callPriceUs(pool: Cell, cells: readonly Cell[]): number | null {
  const inline = inlineCell(cells)?.cpuSecondsPerTask
  if (pool.cpuSecondsPerTask === null || inline === null || inline === undefined) return null
  return Math.max(pool.cpuSecondsPerTask - inline, pool.mainCpuSecondsPerTask ?? 0) * 1e6
}
