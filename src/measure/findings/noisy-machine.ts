// The machine was busy with something else, or changed its speed, while it was measured.

import type { FindingContext } from './context.js'
import { asClause, listing } from './wording.js'
import type { Reason } from '../results/result.js'

export function noisyMachine({ noise }: FindingContext): Reason | null {
  if (noise.verdict === 'quiet') return null
  const why = noise.reasons.length === 0 ? '' : `: ${listing(noise.reasons.map(asClause))}`
  const consequence =
    noise.verdict === 'unusable'
      ? 'nothing can be told from this run'
      : 'small differences may have been missed'
  return {
    id: 'noisy-machine',
    level: 'warning',
    sentence: `The machine was ${noise.verdict}${why}; ${consequence}.`,
    evidence: {
      ...(noise.otherCpus !== null && { otherCpus: noise.otherCpus }),
      ...(noise.stealPercent !== null && { stealPercent: noise.stealPercent }),
    },
  }
}
