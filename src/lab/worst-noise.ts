// How quiet the machine was over several measurements: as quiet as in the least quiet of them.

import type { NoiseFacts } from '../measure/result.js'

const ranks = ['quiet', 'noisy', 'unusable'] as const

/** @param all at least one */
export function worstNoise(all: readonly NoiseFacts[]): NoiseFacts {
  return all.reduce((worst, noise) => (ranks.indexOf(noise.verdict) > ranks.indexOf(worst.verdict) ? noise : worst)) // prettier-ignore
}
