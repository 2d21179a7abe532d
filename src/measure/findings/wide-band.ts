// Two equal measurements of this task differ so much that small gains cannot be seen.

import type { FindingContext } from './context.js'
import { percent } from './wording.js'
import { MINIMUM_BAND } from '../stats/noise-band.js'
import type { Reason } from '../results/result.js'

export function wideBand({ task, band }: FindingContext): Reason | null {
  if (band.delta <= MINIMUM_BAND || band.floor === null) return null
  return {
    id: 'wide-band',
    level: 'hint',
    sentence:
      band.note ??
      `${task} measured twice inline may differ by ${percent(band.floor * 100)}, so a difference must exceed that to count; more rounds narrow it.`,
    evidence: { band: band.delta, floor: band.floor },
  }
}
