// The task's work is done by libuv's thread pool, whose size is UV_THREADPOOL_SIZE and not that of any executor.

import { maxBy, worked, type FindingContext } from './context.js'
import { giving, listing, times } from './wording.js'
import type { Cell, Reason } from '../results/result.js'

/** Threads that libuv starts when UV_THREADPOOL_SIZE is not set. */
const DEFAULT_SIZE = 4

/** Same threshold as wait-bound: below it the main thread waits for the pool. */
const CPU_SHARE = 0.3

/**
 * Speaks of a measured difference where pool sizes were measured. Otherwise it needs three things: work for libuv's pool, a
 * call that waits, and more calls in flight than the pool has threads.
 */
export function uvPool(context: FindingContext): Reason | null {
  const { scout } = context
  if (scout === null || scout.uvWork.length === 0) return null
  return measuredGain(context) ?? likelyGain(context)
}

function measuredGain({ task, cells, band, scout }: FindingContext): Reason | null {
  const gains = worked(cells).flatMap((cell) => {
    const plain = worked(cells).find((other) => other.uv === null && isSameExecutor(cell, other))
    if (cell.uv === null || plain === undefined) return []
    // Both ratios refer to the same inline rounds; intervals that do not overlap are needed, not just a better figure.
    const isClear = cell.ratio.low > plain.ratio.high && cell.ratio.value > plain.ratio.value * band.high
    return isClear ? [{ cell, gain: cell.ratio.value / plain.ratio.value }] : []
  })
  const best = maxBy(gains, ({ gain }) => gain)
  if (best === undefined) return null
  return {
    id: 'uv-pool',
    level: 'hint',
    sentence: `${task} works in libuv's thread pool (${listing(scout?.uvWork ?? [])}): ${giving(best.cell)} ${times(best.gain)} the throughput of the default of ${DEFAULT_SIZE} threads.`,
    evidence: { uv: best.cell.uv as number, gain: best.gain, uvWork: (scout?.uvWork ?? []).join(' ') },
  }
}

function likelyGain({ task, cells, scout }: FindingContext): Reason | null {
  const inFlight = Math.max(0, ...worked(cells).map((cell) => (cell.uv === null ? cell.inFlight : 0)))
  const wasMeasured = worked(cells).some((cell) => cell.uv !== null)
  if (scout === null || wasMeasured || scout.cpuShare >= CPU_SHARE || inFlight <= DEFAULT_SIZE) return null
  return {
    id: 'uv-pool',
    level: 'hint',
    sentence: `${task} waits for libuv's thread pool (${listing(scout.uvWork)}), which runs ${DEFAULT_SIZE} of its ${inFlight} calls at once; measure it with a larger UV_THREADPOOL_SIZE too.`,
    evidence: { cpuShare: scout.cpuShare, inFlight, uvWork: scout.uvWork.join(' ') },
  }
}

function isSameExecutor(a: Cell, b: Cell): boolean {
  return a.executor === b.executor && a.size === b.size
}
