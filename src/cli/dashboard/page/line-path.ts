// Lines of a plot, as paths of SVG. Pure.

import type { ChartValues } from './past.js'

/** Gaps of so many values are bridged: a look may come late. */
const BRIDGED = 2

/** From left to right over `width`; 0 is at the bottom of `height`, `most` at its top. A value that stands alone is a dot. */
export function linePath(
  values: ChartValues,
  { width, height, most }: { width: number; height: number; most: number },
): string {
  const x = (index: number) => round(values.length === 1 ? width : (index / (values.length - 1)) * width)
  const y = (value: number) => round(height - (most > 0 ? Math.min(1, value / most) * height : 0))
  let path = ''
  let last = -Infinity
  values.forEach((value, index) => {
    if (value === null) return
    const isOn = index - last <= BRIDGED + 1
    path += isOn ? `L${x(index)} ${y(value)}` : `M${x(index)} ${y(value)}h.01`
    last = index
  })
  return path
}

/** The next of 1, 2 and 5 times a power of ten. */
export function niceMost(value: number): number {
  if (!(value > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value * 0.999)!
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
