// The main thread spends so long copying arguments and results that it could nearly have done the work.

import { LARGE_PAYLOAD_BYTES, maxBy, payloadBytes, poolCells, type FindingContext } from './context.js'
import { bytes, duration, nameOf } from './wording.js'
import type { Reason } from '../results/result.js'

/** Main-thread CPU of a call through the pool, as a share of the whole call inline. */
const SHARE = 0.5

/** Needs both a busy main thread and a large payload: dispatch alone keeps it busy for a tiny call (task-too-small). */
export function copyBound({ task, cells, scout }: FindingContext): Reason | null {
  const payload = scout === null ? null : payloadBytes(scout)
  // The cheapest pool: what even it has to pay.
  const pool = maxBy(poolCells(cells), (cell) => -(cell.mainCpuSecondsPerTask ?? NaN))
  if (scout === null || payload === null || payload < LARGE_PAYLOAD_BYTES || pool === undefined) return null
  const mainUs = (pool.mainCpuSecondsPerTask as number) * 1e6
  if (mainUs < SHARE * scout.callUs) return null
  return {
    id: 'copy-bound',
    level: 'hint',
    sentence: `Copying ${bytes(payload)} per call keeps the main thread busy for ${duration(mainUs)} with ${nameOf(pool)}, and ${task} inline takes ${duration(scout.callUs)}: transfer or share the memory, or keep it inline.`,
    evidence: { payloadBytes: payload, mainUs, callUs: scout.callUs },
  }
}
