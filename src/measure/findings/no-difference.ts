// What came nearest to beating inline is, as far as can be measured, the same.

import { challengers, nearestOf, type FindingContext } from './context.js'
import { giving, percent, range, times } from './wording.js'
import type { Reason } from '../results/result.js'

export function noDifference({ cells, band }: FindingContext): Reason | null {
  const nearest = nearestOf(challengers(cells))
  if (nearest?.verdict !== 'same') return null
  return {
    id: 'no-difference',
    level: 'hint',
    sentence: `${giving(nearest)} ${times(nearest.ratio.value)} (95 % interval ${range(nearest.ratio)}), within the ${percent(band.delta * 100)} that count as no difference: the simpler one wins.`,
    evidence: {
      ratio: nearest.ratio.value,
      low: nearest.ratio.low,
      high: nearest.ratio.high,
      band: band.delta,
    },
  }
}
