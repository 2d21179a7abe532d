// The module cannot be loaded twice at the same time, which made measuring slower and less sure.

import type { FindingContext } from './context.js'
import { asClause } from './wording.js'
import type { Reason } from '../results/result.js'

export function notSideBySide({ task, course }: FindingContext): Reason | null {
  const because = course?.aloneBecause ?? null
  if (because === null) return null
  return {
    id: 'not-side-by-side',
    level: 'warning',
    sentence: `Executors of ${task} could not live side by side (${asClause(because)}), so each window was a process of its own: intervals are wide, and pools of several workers may fail in production too.`,
    evidence: {},
  }
}
