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

/** null for an empty list. */
export function medianOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : median(values)
}

/** The means of the list cut into so many parts, one after the other; fewer where it is shorter. */
export function inParts(values: readonly number[], parts: number): number[] {
  const count = Math.min(parts, values.length)
  const at = (part: number) => Math.floor((part * values.length) / count)
  return Array.from({ length: count }, (_, part) => mean(values.slice(at(part), at(part + 1))))
}

/** 0 for an empty list. */
export function spread(values: readonly number[]): { median: number; low: number; high: number } {
  if (values.length === 0) return { median: 0, low: 0, high: 0 }
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) }
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
