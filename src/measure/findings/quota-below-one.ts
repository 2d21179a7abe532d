// With one CPU or less there is no second CPU for a second thread.

import { inlineCell, maxBy, poolCells, type FindingContext } from './context.js'
import { cpusOf, giving, nameOf, percent, times } from './wording.js'
import type { Reason } from '../results/result.js'

/** Needs a limit of at most one CPU, and pools that were measured and did not get faster. */
export function quotaBelowOne({ cpus, cells }: FindingContext): Reason | null {
  const pools = poolCells(cells)
  const best = maxBy(pools, (cell) => cell.ratio.value)
  if (cpus > 1 || best === undefined || pools.some((cell) => cell.verdict === 'faster')) return null
  const stalled = maxBy(pools, (cell) => cell.throttled ?? NaN)
  const inlineThrottled = inlineCell(cells)?.throttled ?? null
  const isMoreStalled = stalled !== undefined && (stalled.throttled as number) > (inlineThrottled ?? 0)
  const stalls = isMoreStalled
    ? `, and the quota freezes ${nameOf(stalled)} for ${percent(stalled.throttled as number)} of the time${inlineThrottled === null ? '' : ` (inline ${percent(inlineThrottled)})`}`
    : ''
  return {
    id: 'quota-below-one',
    level: 'hint',
    sentence: `Under a limit of ${cpusOf(cpus)} threads add no CPU: ${giving(best)} ${times(best.ratio.value)}${stalls}.`,
    evidence: {
      cpus,
      ratio: best.ratio.value,
      ...(isMoreStalled && { throttledPercent: stalled.throttled as number }),
      ...(inlineThrottled !== null && { inlineThrottledPercent: inlineThrottled }),
    },
  }
}
