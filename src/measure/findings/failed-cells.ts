// Some executors could not be measured at all, and so were not considered.

import type { FindingContext } from './context.js'
import { listing, nameOf, quoted } from './wording.js'
import type { Reason } from '../results/result.js'

/** Names that fit into a sentence. */
const NAMED = 3

export function failedCells({ cells }: FindingContext): Reason | null {
  const failed = cells.filter((cell) => cell.failed !== null)
  const first = failed[0]
  if (first === undefined) return null
  const names = failed.slice(0, NAMED).map(nameOf)
  if (failed.length > NAMED) names.push(`${failed.length - NAMED} more`)
  return {
    id: 'failed-cells',
    level: 'warning',
    sentence: `Not considered because measuring failed: ${listing(names)} (${quoted(first.failed ?? '')}).`,
    evidence: { failed: failed.length, reason: first.failed ?? '' },
  }
}
