// The uncertainty of a ratio that was measured a handful of times: the distribution from which intervals and p-values come.

import type { Random } from './random.js'
import type { Interval } from '../results/result.js'
import { normalCdf, normalQuantile, studentCdf, studentQuantile } from './student-t.js'
import { mean, quantileOfSorted, standardDeviation } from './summary.js'

const RESAMPLES = 10_000

/** Throughput of each round, in the order of the rounds; null where the round failed or was not run. */
export type Samples = readonly (number | null)[]

/** What is known about a true ratio. */
export interface RatioDistribution {
  /** Rounds that it rests on. */
  readonly rounds: number
  /** Geometric mean of the rounds; NaN without rounds. */
  readonly value: number
  /** The interval at a confidence (default 0.95), in ratios; from 0 to Infinity for fewer than two rounds. */
  interval(confidence?: number): Interval
  /**
   * Two-sided p-value against `ratio` from above: the smallest alpha whose interval lies entirely above it, 1 when none
   * does. It inverts `interval`, so the two can never contradict each other.
   */
  pAbove(ratio: number): number
  /** The same from below: the smallest alpha whose interval lies entirely below `ratio`. */
  pBelow(ratio: number): number
}

/**
 * The distribution of the geometric mean of paired ratios, from the logarithms of the ratios of the rounds.
 *
 * The interval is the wider, at each end, of two:
 * - the *expanded percentile interval* of the bootstrapped mean: quantiles at Phi(-sqrt(n / (n - 1)) * t(alpha / 2, n - 1))
 *   instead of alpha / 2, since the plain percentile interval is too narrow for few rounds (Hesterberg, "What teachers
 *   should know about the bootstrap", The American Statistician 69, 2015, section 5). It follows a skewed distribution;
 * - the t interval of the mean. A resampled mean never leaves the range of the rounds, and all n rounds lie on one side of
 *   the truth once in 2^(n - 1) runs: 3 % for six rounds. Below that, where Holm's correction needs it, the bootstrap alone
 *   would promise what it cannot keep.
 *
 * @example
 * const ratio = bootstrapRatio([0.61, 0.63, 0.62, 0.6, 0.64, 0.62], createRandom(1))
 * ratio.interval().low > 1.05
 */
export function bootstrapRatio(
  logRatios: readonly number[],
  random: Random,
  resamples: number = RESAMPLES,
): RatioDistribution {
  const rounds = logRatios.length
  const value = Math.exp(mean(logRatios))
  if (rounds < 2) return unknownRatio(rounds, value)

  const sample: Sample = {
    rounds,
    centre: mean(logRatios),
    standardError: standardDeviation(logRatios) / Math.sqrt(rounds),
    means: resampledMeans(logRatios, random, resamples),
  }
  return {
    rounds,
    value,
    interval: (confidence = 0.95) => intervalOf(sample, 1 - confidence),
    pAbove: (ratio) => pValue(sample, Math.log(ratio), 'above'),
    pBelow: (ratio) => pValue(sample, Math.log(ratio), 'below'),
  }
}

/**
 * Logarithms of the ratios of two cells, round by round. A round that failed in either is left out of both: its partner
 * says nothing without it.
 */
export function logRatios(samples: Samples, reference: Samples): number[] {
  return samples.flatMap((sample, round) => {
    const ratio = (sample ?? NaN) / (reference[round] ?? NaN)
    return ratio > 0 && ratio < Infinity ? [Math.log(ratio)] : []
  })
}

/** In logarithms. */
interface Sample {
  rounds: number
  centre: number
  standardError: number
  /** The resampled means, ascending. */
  means: Float64Array
}

function unknownRatio(rounds: number, value: number): RatioDistribution {
  return {
    rounds,
    value,
    interval: () => ({ value, low: 0, high: Infinity }),
    pAbove: () => 1,
    pBelow: () => 1,
  }
}

function resampledMeans(values: readonly number[], random: Random, resamples: number): Float64Array {
  const means = new Float64Array(resamples)
  for (let resample = 0; resample < resamples; resample++) {
    let sum = 0
    for (let draw = 0; draw < values.length; draw++)
      sum += values[Math.floor(random() * values.length)] as number
    means[resample] = sum / values.length
  }
  return means.sort()
}

function intervalOf({ rounds, centre, standardError, means }: Sample, alpha: number): Interval {
  const t = studentQuantile(alpha / 2, rounds - 1)
  const expanded = normalCdf(expansionOf(rounds) * t)
  return {
    value: Math.exp(centre),
    low: Math.exp(Math.min(quantileOfSorted(means, expanded), centre + t * standardError)),
    high: Math.exp(Math.max(quantileOfSorted(means, 1 - expanded), centre - t * standardError)),
  }
}

/** The alpha at which the nearer end of {@link intervalOf} reaches `threshold`: both of its ways inverted, the larger alpha. */
function pValue(sample: Sample, threshold: number, side: 'above' | 'below'): number {
  const { rounds, centre, standardError, means } = sample
  const distance = side === 'above' ? centre - threshold : threshold - centre
  if (distance <= 0) return 1
  const share = rankOf(means, threshold) / (means.length - 1)
  const expanded = normalQuantile(side === 'above' ? share : 1 - share) / expansionOf(rounds)
  return Math.min(1, 2 * studentCdf(Math.max(-distance / standardError, expanded), rounds - 1))
}

function expansionOf(rounds: number): number {
  return Math.sqrt(rounds / (rounds - 1))
}

/** The position at which {@link quantileOfSorted} would give `value`: the inverse of its straight lines. */
function rankOf(sorted: Float64Array, value: number): number {
  let below = -1
  let above = sorted.length
  while (above - below > 1) {
    const middle = (below + above) >> 1
    if ((sorted[middle] as number) <= value) below = middle
    else above = middle
  }
  if (below < 0) return 0
  if (above === sorted.length) return sorted.length - 1
  const [lower, upper] = [sorted[below] as number, sorted[above] as number]
  return below + (value - lower) / (upper - lower)
}
