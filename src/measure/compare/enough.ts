// When a comparison has seen enough.

import type { Interval } from '../results/result.js'

/** Half-width, as a share, to which it is worth knowing that there is no difference; and a difference to this share of itself. */
const FINE = { same: 0.01, ofDifference: 0.25 }

/** @param rates of new over old: the inverse of the ratio of times */
export function isEnough(
  rates: Interval,
  { tolerance, isGate }: { tolerance: number; isGate: boolean },
): boolean {
  const { low, high, value } = rates
  const [least, most] = [Math.log(1 / high), Math.log(1 / low)] // of the time
  const limit = Math.log(1 + tolerance)
  if (isGate) return least > limit || most < limit
  const reach = (most - least) / 2
  const isDifferent = least > 0 || most < 0
  return (
    reach <= (isDifferent ? Math.max(FINE.same, FINE.ofDifference * Math.abs(Math.log(value))) : FINE.same)
  )
}
