// Compares the cells of one variant under one CPU limit with inline: faster, slower, same, or cannot tell.

import { bootstrapRatio, logRatios, type RatioDistribution, type Samples } from './bootstrap.js'
import { holm } from './holm.js'
import { MINIMUM_BAND, type NoiseBand } from './noise-band.js'
import type { Random } from './random.js'
import type { Interval, Verdict } from '../results/result.js'

/**
 * No verdict below this. The two-sided Wilcoxon signed-rank test cannot reach p = 0.05 with five rounds whatever they
 * show (its smallest p is 2 / 2^5 = 0.0625), and reaches 0.031 with six.
 */
export const MINIMUM_ROUNDS = 6

/** The accepted chance of one or more wrong "faster" or "slower" in a family. */
const ALPHA = 0.05

/** In a band wider than this, two things that differ by what a user would notice would pass for the same. */
const WIDEST_FOR_SAME = 0.2

export interface Family {
  inline: Samples
  /** Every other cell of the same variant and CPU limit, those that racing dropped included. */
  cells: readonly Samples[]
  band: NoiseBand
  /** False when the machine was unusable: then no cell gets a verdict. */
  usable: boolean
}

export interface Comparison {
  ratio: Interval
  verdict: Verdict
  /** Two-sided p-value of lying outside the band, after Holm's correction over the family. */
  p: number
  distribution: RatioDistribution
}

/**
 * One comparison for each cell of the family, in its order. `resamples` is that of {@link bootstrapRatio}.
 *
 * `faster` and `slower` need an interval outside the band at the level that Holm's correction asks for, `same` a 95 %
 * interval inside a band of at most 20 %; everything else is `cannot-tell`, which is an answer and not a failure.
 */
export function compareFamily(family: Family, random: Random, resamples?: number): Comparison[] {
  const distributions = family.cells.map((samples) =>
    bootstrapRatio(logRatios(samples, family.inline), random, resamples),
  )
  const adjusted = holm(distributions.map((distribution) => pOutside(distribution, family.band)))
  return distributions.map((distribution, index) => {
    const p = adjusted[index] as number
    const verdict = family.usable ? judge(distribution, p, family.band) : 'cannot-tell'
    return { ratio: distribution.interval(), verdict, p, distribution }
  })
}

/**
 * For racing: true when measuring this cell further cannot change the choice, since its whole interval lies below that of
 * the best cell, and by more than the band: within the band a smaller executor may still be preferred to the best.
 */
export function isBeaten(
  cell: RatioDistribution,
  best: RatioDistribution,
  band: { delta: number } = { delta: MINIMUM_BAND },
): boolean {
  return cell.interval().high * (1 + band.delta) < best.interval().low
}

function pOutside(distribution: RatioDistribution, band: NoiseBand): number {
  if (distribution.rounds < MINIMUM_ROUNDS) return 1
  return Math.min(distribution.pAbove(band.high), distribution.pBelow(band.low))
}

function judge(distribution: RatioDistribution, p: number, band: NoiseBand): Verdict {
  if (distribution.rounds < MINIMUM_ROUNDS) return 'cannot-tell'
  if (p <= ALPHA) return distribution.value > 1 ? 'faster' : 'slower'
  const { low, high } = distribution.interval()
  const isInside = low >= band.low && high <= band.high
  return isInside && band.delta <= WIDEST_FOR_SAME ? 'same' : 'cannot-tell'
}
