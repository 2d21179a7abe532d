// The task changes or uses up what it is given: inline that is the caller's own data, on a pool a copy.

import type { FindingContext } from './context.js'
import type { Reason } from '../results/result.js'

export function freshInputs({ task, scout }: FindingContext): Reason | null {
  if (scout === null || !scout.changesInput) return null
  return {
    id: 'fresh-inputs',
    level: 'hint',
    sentence: `${task} changes its arguments, so each call got a fresh copy, which was made before it was timed. On a pool the caller's own data stays as it was.`,
    evidence: {},
  }
}
