// Whether something happens more often here than there, and not by chance.

/** How often it happened, as a share of the times that were looked at. */
export interface Frequency {
  readonly rate: number
  readonly count: number
}

/** Standard errors of a difference that chance seldom reaches, though many pairs are compared. */
const BEYOND_CHANCE = 3

/**
 * By more than the margin, a share. The standard error is that of two shares with one true value (the pooled z-test).
 *
 * @example isMoreOften({ rate: 0.16, count: 50 }, { rate: 0.08, count: 50 }, 0.05) // false: by chance
 */
export function isMoreOften(here: Frequency, there: Frequency, margin: number): boolean {
  const [n, m] = [Math.max(1, here.count), Math.max(1, there.count)]
  const both = (here.rate * n + there.rate * m) / (n + m)
  const error = Math.sqrt(both * (1 - both) * (1 / n + 1 / m))
  return here.rate - there.rate > margin + BEYOND_CHANCE * error
}
