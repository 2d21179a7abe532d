// Plain descriptive statistics of a list of numbers; mean and median are NaN for an empty list.

export function mean(values: readonly number[]): number {
  return values.length === 0 ? NaN : sum(values) / values.length
}

/** 0 for an empty list. */
export function sum(values: readonly number[]): number {
  let total = 0
  for (const value of values) total += value
  return total
}

/** Of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const below = sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN
  const above = sorted[Math.ceil((sorted.length - 1) / 2)] ?? NaN
  return (below + above) / 2
}

/** Of a sample: by the number of values less one. NaN below two values. */
export function sampleDeviation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1))
}

/** The distinct values, the smallest first. */
export function ascending(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b)
}
