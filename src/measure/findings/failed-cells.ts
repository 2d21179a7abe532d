// Some executors could not be measured at all, and so were not considered.

import { longer } from './cannot-tell.js'
import { unable, type FindingContext } from './context.js'
import { namesOf, quoted } from './wording.js'
import type { Reason } from '../results/result.js'

export function failedCells({ cells, course, settings }: FindingContext): Reason | null {
  const failed = cells.filter((cell) => cell.failed !== null)
  const broken = unable(cells)
  const late = failed.filter((cell) => !broken.includes(cell))
  const first = broken[0] ?? late[0]
  if (first === undefined) return null
  const remedy =
    course?.ended === 'stopped' ? 'the run was ended before' : `the time was up before; ${longer(settings)}`
  const sentences = [
    broken.length > 0 &&
      `Not considered because measuring failed: ${namesOf(broken)} (${quoted(first.failed ?? '')}).`,
    late.length > 0 && `Not measured: ${namesOf(late)}; ${remedy}.`,
  ]
  return {
    id: 'failed-cells',
    level: 'warning',
    sentence: sentences.filter(Boolean).join(' '),
    evidence: { failed: failed.length, reason: first.failed ?? '' },
  }
}
