// Maps values to places along an axis, in percent of its length, and chooses ticks that a person would choose.

export interface Tick {
  at: number
  value: number
}

export interface Scale {
  low: number
  high: number
  /** Place in percent, 0..100; values outside are held at the edge. */
  at: (value: number) => number
  ticks: Tick[]
}

/**
 * A logarithmic scale over all positive values, with a little room at both ends and at most `maxTicks` ticks. On such a
 * scale twice as fast is as far from 1 as half as fast.
 */
export function logScale(values: number[], maxTicks = 6): Scale {
  const positive = values.filter((value) => Number.isFinite(value) && value > 0)
  const smallest = positive.length > 0 ? Math.min(...positive) : 1
  const largest = positive.length > 0 ? Math.max(...positive) : 1
  const spread = largest / smallest
  // At least a factor of two from end to end: on a shorter axis mere noise would look like a difference.
  const room = Math.max(spread ** 0.06, Math.sqrt(2 / spread))
  const low = smallest / room
  const high = largest * room
  const at = (value: number): number =>
    round(Math.min(100, Math.max(0, (Math.log(value / low) / Math.log(high / low)) * 100)))
  return { low, high, at, ticks: chooseTicks(low, high, maxTicks).map((value) => ({ value, at: at(value) })) }
}

/** Percent with two decimals: enough for any screen, and short in the file. */
export function round(percent: number): number {
  return Math.round(percent * 100) / 100
}

function chooseTicks(low: number, high: number, maxTicks: number): number[] {
  if (high / low < 3.5) return evenTicks(low, high, maxTicks)
  const decades = powersOfTen(low, high)
  for (const steps of [[1, 2, 3, 5], [1, 2, 5], [1, 3], [1]]) {
    const ticks = decades
      .flatMap((decade) => steps.map((step) => tidy(step * decade)))
      .filter(inside(low, high))
    if (ticks.length < 3) return evenTicks(low, high, maxTicks)
    if (ticks.length <= maxTicks) return ticks
  }
  const every = Math.ceil(decades.length / maxTicks)
  return decades.filter((decade, index) => index % every === 0 && inside(low, high)(decade))
}

/** Equal steps of 1, 2, 2.5 or 5 times a power of ten: right where the range is too small for powers to fall into it. */
export function evenTicks(low: number, high: number, maxTicks: number): number[] {
  const magnitude = 10 ** Math.floor(Math.log10((high - low) / maxTicks))
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((size) => (high - low) / size <= maxTicks) ??
    high - low
  const first = Math.ceil(low / step - 1e-9)
  const count = Math.floor(high / step + 1e-9) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => tidy((first + index) * step))
}

function powersOfTen(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low))
  return Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, index) =>
    tidy(10 ** (first + index)),
  )
}

function inside(low: number, high: number): (value: number) => boolean {
  return (value) => value >= low && value <= high
}

/** Without the dust of binary fractions: 0.30000000000000004 -> 0.3. */
function tidy(value: number): number {
  return Number(value.toPrecision(10))
}
