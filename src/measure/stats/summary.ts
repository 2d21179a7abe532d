// Plain descriptive statistics of a list of numbers; every one but the sum is NaN for an empty list.

export function mean(values: readonly number[]): number {
  return values.length === 0 ? NaN : sum(values) / values.length
}

/** 0 for an empty list. */
export function sum(values: readonly number[]): number {
  let total = 0
  for (const value of values) total += value
  return total
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The `p` quantile (0..1), linear between order statistics: type 7 of Hyndman and Fan 1996, as in R, NumPy and scipy. */
export function quantile(values: readonly number[], p: number): number {
  return quantileOfSorted(Float64Array.from(values).sort(), p)
}

/** The same, of values that are in ascending order already. */
export function quantileOfSorted(sorted: ArrayLike<number>, p: number): number {
  const position = (sorted.length - 1) * p
  const below = sorted[Math.floor(position)] ?? NaN
  const above = sorted[Math.ceil(position)] ?? NaN
  return below + (position - Math.floor(position)) * (above - below)
}

/** Median absolute deviation from the median, not scaled to the standard deviation. */
export function mad(values: readonly number[]): number {
  const centre = median(values)
  return median(values.map((value) => Math.abs(value - centre)))
}

/** Standard deviation of a sample (n - 1); NaN for fewer than two values. */
export function standardDeviation(values: readonly number[]): number {
  const centre = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0)
  return values.length < 2 ? NaN : Math.sqrt(squares / (values.length - 1))
}

/** Standard deviation over mean, as a share: 0.1 is 10 %. */
export function coefficientOfVariation(values: readonly number[]): number {
  return standardDeviation(values) / mean(values)
}

/** The right mean for ratios: 2x and 0.5x average to 1x. All values must be positive. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(mean(values.map(Math.log)))
}

/**
 * How far the second half of a series lies from its first, by their medians: 0.05 says that it rose by 5 %. The middle
 * value of an odd series belongs to neither half. NaN for fewer than two values.
 */
export function drift(values: readonly number[]): number {
  const half = Math.floor(values.length / 2)
  return median(values.slice(values.length - half)) / median(values.slice(0, half)) - 1
}

/** The distinct values, the smallest first. */
export function ascending(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b)
}
