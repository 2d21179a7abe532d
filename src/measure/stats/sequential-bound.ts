// How far a bound must lie from the estimate when one looks again and again, and stops as soon as it is enough.

import { normalQuantile } from './normal-quantile.js'

/** Earlier than this share of the information the bound grows no further. */
const EARLIEST = 0.05

/**
 * Standard deviations from the estimate to a bound that errs with `alpha` over all looks up to t = 1: the boundary of O'Brien and
 * Fleming (Biometrics 35, 1979) under continuous looks, of a Brownian motion whose reflection doubles the error. 2.2414 / sqrt(t) at 5 %.
 *
 * @param t share of the information that will be there in the end, 0..1
 */
export function sequentialBound(alpha: number, t: number): number {
  return normalQuantile(1 - alpha / 4) / Math.sqrt(Math.min(1, Math.max(t, EARLIEST)))
}
