// The task mostly waits, so a CPU that is added to it has nothing to do.

import { maxBy, poolCells, worked, type FindingContext } from './context.js'
import { duration, nameOf, percent, times } from './wording.js'
import type { Reason } from '../results/result.js'

/** CPU time over wall-clock time below which a call waits rather than computes (a proposal; see docs/measuring.md). */
const CPU_SHARE = 0.3

/**
 * Needs a low share of CPU, and no pool that beats the best `concurrent` cell beyond the band: where one does, the cells
 * know better than the share.
 */
export function waitBound({ task, cells, scout, band }: FindingContext): Reason | null {
  if (scout === null || scout.cpuShare >= CPU_SHARE) return null
  const pool = maxBy(poolCells(cells), (cell) => cell.throughput.median)
  const concurrent = maxBy(
    worked(cells).filter((cell) => cell.executor === 'concurrent'),
    (cell) => cell.throughput.median,
  )
  if (pool && pool.throughput.median > (concurrent?.throughput.median ?? Infinity) * band.high) return null

  const waiting = percent((1 - scout.cpuShare) * 100)
  const seen =
    concurrent === undefined || Number.isNaN(concurrent.ratio.value)
      ? ''
      : `: ${nameOf(concurrent)} reach ${times(concurrent.ratio.value)} inline`
  return {
    id: 'wait-bound',
    level: 'hint',
    sentence: `${task} waits for ${waiting} of its ${duration(scout.callUs)}; run several calls at once with concurrent${seen}, since threads add CPU that it does not need.`,
    evidence: {
      cpuShare: scout.cpuShare,
      callUs: scout.callUs,
      ...(concurrent && { concurrentRatio: concurrent.ratio.value }),
      ...(pool && { poolRatio: pool.ratio.value }),
    },
  }
}
