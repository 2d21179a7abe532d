// The ratio of two rates from windows that lie side by side in time, and how sure it is.

import { mean, sum } from './summary.js'

/** Two rates that were seen next to each other. */
export interface Pair {
  readonly rate: number
  readonly base: number
}

/** The logarithm of a ratio, and its variance. */
export interface LogRatio {
  readonly value: number
  readonly variance: number
}

/** With fewer pairs the variance is a guess. */
export const MIN_PAIRS = 4

/** Neighbours share a base window, and the mood of the machine: lags up to this many times sqrt(n) are correlated. */
const LAGS = 1.3

/** A negative correlation of neighbours is not to be trusted far: at least this share of the plain variance stays. */
const MIN_SHARE = 0.7

/** Pairs for each degree of freedom that such a variance has, about. */
const PAIRS_PER_FREEDOM = 2.5

/**
 * ln(sum of rates / sum of bases): the ratio estimator (Cochran, "Sampling Techniques", 1977, 6.3). A mean of the ratios of the
 * pairs would be biased, and their median would hide what comes in every tenth window, such as the pauses of a collector.
 *
 * The variance is that of Newey and West (Econometrica 55, 1987) for correlated neighbours, widened about as Student's t is.
 * Null for fewer than four pairs, or where nothing was counted.
 */
export function logRatio(pairs: readonly Pair[]): LogRatio | null {
  const n = pairs.length
  if (n < MIN_PAIRS) return null
  const rate = mean(pairs.map((pair) => pair.rate))
  const base = mean(pairs.map((pair) => pair.base))
  if (!(rate > 0 && base > 0)) return null
  const deviations = pairs.map((pair) => pair.rate / rate - pair.base / base)
  const plain = sum(deviations.map((d) => d * d))
  const correlated = plain + 2 * weightedCovariance(deviations)
  const freedom = Math.max(3, n / PAIRS_PER_FREEDOM)
  const variance = Math.max(correlated, MIN_SHARE * plain) / (n * (n - 1))
  return { value: Math.log(rate / base), variance: variance * (1 + 2.5 / freedom) }
}

/** Sum of the products at each lag, with Bartlett's weights. */
function weightedCovariance(deviations: readonly number[]): number {
  const n = deviations.length
  const lags = Math.min(Math.floor(LAGS * Math.sqrt(n)), n - 2)
  let total = 0
  for (let lag = 1; lag <= lags; lag++) {
    let products = 0
    for (let i = lag; i < n; i++) products += deviations[i]! * deviations[i - lag]!
    total += (1 - lag / (lags + 1)) * products
  }
  return total
}
