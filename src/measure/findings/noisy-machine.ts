// The machine was busy with something else, or changed its speed, while it was measured.

import type { FindingContext } from './context.js'
import { listing, quoted } from './wording.js'
import type { Reason } from '../result.js'

export function noisyMachine({ noise }: FindingContext): Reason | null {
  if (noise.verdict === 'quiet') return null
  const why = noise.reasons.length === 0 ? '' : `: ${listing(noise.reasons.map(quoted))}`
  const consequence =
    noise.verdict === 'unusable'
      ? 'nothing can be told from this run'
      : 'small differences may have been missed'
  return {
    id: 'noisy-machine',
    level: 'warning',
    sentence: `The machine was ${noise.verdict}${why}; ${consequence}.`,
    evidence: { verdict: noise.verdict, reasons: noise.reasons.join(' ') },
  }
}
