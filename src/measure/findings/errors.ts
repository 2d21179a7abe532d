// Calls threw, so the throughput counts work that was not done.

import { maxBy, worked, type FindingContext } from './context.js'
import { nameOf, percent, quoted } from './wording.js'
import type { Reason } from '../results/result.js'

export function errors({ task, cells, scout }: FindingContext): Reason | null {
  const worst = maxBy(worked(cells), (cell) => cell.errorRate)
  const cellRate = worst?.errorRate ?? 0
  const rate = cellRate > 0 ? cellRate : (scout?.errorRate ?? 0)
  if (rate <= 0) return null
  const message = (cellRate > 0 ? worst?.firstError : null) ?? scout?.firstError ?? 'no message'
  const where = cellRate > 0 && worst ? nameOf(worst) : 'a first run inline'
  return {
    id: 'errors',
    level: 'warning',
    sentence: `${percent(rate * 100)} of the calls of ${task} threw with ${where} (first: ${quoted(message)}); make the inputs valid before trusting the figures.`,
    evidence: { errorRate: rate, firstError: message },
  }
}
