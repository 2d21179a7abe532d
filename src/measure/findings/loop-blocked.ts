// Inline the task blocks the event loop, and a pool was measured to free it.

import { byCost, inlineCell, poolCells, type FindingContext } from './context.js'
import { duration, nameOf, times } from './wording.js'
import type { Reason } from '../results/result.js'

/** p99 of the event loop's delay above which other requests notice; a stricter goal replaces it. */
const LOOP_DELAY_MS = 20

/** A pool frees the loop when it leaves at most this share of the delay. */
const LEFT_OVER = 0.5

/** Needs the delay of inline and the cell that avoids it: utilisation of the loop alone says nothing about delay. */
export function loopBlocked({ task, cells, settings }: FindingContext): Reason | null {
  const limitMs = settings.goal.kind === 'responsive' ? settings.goal.loopDelayMs : LOOP_DELAY_MS
  const inlineMs = inlineCell(cells)?.loopDelay.p99 ?? null
  if (inlineMs === null || inlineMs <= limitMs) return null
  const freeing = poolCells(cells)
    .filter((cell) => (cell.loopDelay.p99 ?? Infinity) <= Math.min(limitMs, inlineMs * LEFT_OVER))
    .sort(byCost)[0]
  if (freeing === undefined) return null
  const poolMs = freeing.loopDelay.p99 as number
  return {
    id: 'loop-blocked',
    level: 'hint',
    sentence: `Inline, ${task} makes the main loop run ${duration(inlineMs * 1000)} late (p99); with ${nameOf(freeing)} it is ${duration(poolMs * 1000)}, at ${times(freeing.ratio.value)} the throughput${freeing.verdict === 'faster' ? '' : ': worth it for responsiveness, not for speed'}.`,
    evidence: { inlineLoopDelayP99Ms: inlineMs, loopDelayP99Ms: poolMs, ratio: freeing.ratio.value },
  }
}
