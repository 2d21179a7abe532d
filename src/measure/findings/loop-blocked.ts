// Inline the task blocks the event loop, and a pool was measured to free it.

import { byCost, inlineCell, poolCells, type FindingContext } from './context.js'
import { duration, nameOf, times } from './wording.js'
import type { Cell, Reason } from '../results/result.js'

/** p99 of the event loop's delay above which other requests notice; a stricter goal replaces it. */
const LOOP_DELAY_MS = 20

/** A pool frees the loop when it leaves at most this share of the delay. */
const LEFT_OVER = 0.5

/** The longest calls take at least this share of the limit, where they are what blocks the loop. */
const OWN_SHARE = 0.5

/** Needs the delay of inline and the cell that avoids it: utilisation of the loop alone says nothing about delay. */
export function loopBlocked(context: FindingContext): Reason | null {
  const freeing = freeingCell(context)
  if (freeing === null) return null
  const inlineMs = inlineCell(context.cells)!.loopDelay.p99 as number
  const poolMs = freeing.loopDelay.p99 as number
  return {
    id: 'loop-blocked',
    level: 'hint',
    sentence: `Inline, ${context.task} makes the main loop run ${duration(inlineMs * 1000)} late (p99); with ${nameOf(freeing)} it is ${duration(poolMs * 1000)}, at ${times(freeing.ratio.value)} the throughput${freeing.verdict === 'faster' ? '' : ': worth it for responsiveness, not for speed'}.`,
    evidence: { inlineLoopDelayP99Ms: inlineMs, loopDelayP99Ms: poolMs, ratio: freeing.ratio.value },
  }
}

/** The smallest pool that frees the loop, where inline blocks it; null where it does not, or none does. */
export function freeingCell({ cells, settings }: Pick<FindingContext, 'cells' | 'settings'>): Cell | null {
  const limitMs = settings.goal.kind === 'responsive' ? settings.goal.loopDelayMs : LOOP_DELAY_MS
  const inline = inlineCell(cells)
  const inlineMs = inline?.loopDelay.p99 ?? null
  if (inlineMs === null || inlineMs <= limitMs) return null
  // Inline one call is open at a time: calls that are over sooner did not make the loop wait, whatever else did on this machine.
  if ((inline!.latency.p99 ?? Infinity) < OWN_SHARE * limitMs) return null
  const freeing = poolCells(cells)
    .filter((cell) => (cell.loopDelay.p99 ?? Infinity) <= Math.min(limitMs, inlineMs * LEFT_OVER))
    .filter((cell) => Number.isFinite(cell.ratio.value))
    .sort(byCost)[0]
  return freeing ?? null
}
