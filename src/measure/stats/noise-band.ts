// How large a difference must be to count: 5 %, or more where two equal measurements of this very task differ by more.

import { bootstrapRatio, logRatios, type Samples } from './bootstrap.js'
import type { Random } from './random.js'

/** A smaller difference is not worth a change of the code, however certain it is. */
export const MINIMUM_BAND = 0.05

/** A wider band would call halving the throughput no difference. */
const MAXIMUM_BAND = 0.5

export interface NoiseBand {
  /** Half-width, as a share: 0.05 is 5 %. */
  delta: number
  /** Its ends as ratios, 1 / (1 + delta) and 1 + delta: as far from 1 upwards as downwards, since ratios multiply. */
  low: number
  high: number
  /** By how much two equal inline cells may differ; null when it was not measured. */
  floor: number | null
  /** What the reader must know about the band; null when there is nothing to say. */
  note: string | null
}

/**
 * The band of a variant under a CPU limit, from inline measured twice in each round (A/A). Its floor is the end of the 95 %
 * interval of their ratio that lies farther from 1.
 *
 * Byte-identical code has been seen to differ by anything from 0.7 to 38 % from one task to another, hence a floor for each.
 */
export function noiseBand(inline: Samples, again: Samples, random: Random): NoiseBand {
  const ratio = bootstrapRatio(logRatios(again, inline), random)
  if (ratio.rounds < 2) {
    return bandOf(MINIMUM_BAND, null, 'The noise floor was not measured: the band is its minimum of 5 %.')
  }
  const { low, high } = ratio.interval()
  const floor = Math.exp(Math.max(-Math.log(low), Math.log(high))) - 1
  if (floor > MAXIMUM_BAND) {
    const note = `Two equal inline measurements may differ by ${percent(floor)} here; the band was capped at ${percent(MAXIMUM_BAND)}.`
    return bandOf(MAXIMUM_BAND, floor, note)
  }
  return bandOf(Math.max(MINIMUM_BAND, floor), floor, null)
}

function bandOf(delta: number, floor: number | null, note: string | null): NoiseBand {
  return { delta, low: 1 / (1 + delta), high: 1 + delta, floor, note }
}

function percent(share: number): string {
  return share > 10 ? 'more than 1000 %' : `${Math.round(share * 100)} %`
}
