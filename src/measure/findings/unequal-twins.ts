// Two processes of inline differ by more than chance explains, so small gains cannot be seen.

import type { FindingContext } from './context.js'
import { range, times } from './wording.js'
import type { Reason } from '../results/result.js'

export function unequalTwins({ task, course }: FindingContext): Reason | null {
  const twin = course?.twin ?? null
  if (twin === null || (twin.low <= 1 && twin.high >= 1)) return null
  return {
    id: 'unequal-twins',
    level: 'warning',
    sentence: `Two processes that run ${task} inline differ: ${times(twin.value)} (95 % interval ${range(twin)}), where 1 is right; differences of that size between executors may be chance.`,
    evidence: { ratio: twin.value, low: twin.low, high: twin.high },
  }
}
