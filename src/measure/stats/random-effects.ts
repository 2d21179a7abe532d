// What several processes of one configuration say together, each of which differs from the next by more than its own noise.

import type { LogRatio } from './ratio-estimator.js'
import { sum } from './summary.js'

/**
 * Scale of the half-normal prior of the spread between processes, as a logarithm: 5 %. Byte-identical processes differ by 0 to 4 %
 * once they are warm: memory layout, hash seeds, what the compiler happened to see first (Kalibera and Jones, ISMM 2013).
 */
export const SPREAD = 0.05

const GRID = 60
/** The grid ends at this many times the scale; beyond it the prior leaves nothing. */
const REACH = 6

export interface Combined {
  readonly mean: number
  readonly sd: number
  /** Expected spread between processes. */
  readonly tau: number
}

/**
 * The posterior of the mean mu with y_j ~ N(mu, v_j + tau^2) and tau ~ half-normal(scale): a mixture of normals over a grid of tau
 * (Roever, "Bayesian random-effects meta-analysis using the bayesmeta R package", JSS 93, 2020). With one process the prior alone
 * speaks for the others. Null without any.
 */
export function combine(processes: readonly LogRatio[], scale = SPREAD): Combined | null {
  if (processes.length === 0) return null
  const parts = Array.from({ length: GRID }, (_, i) =>
    partAt(((i + 0.5) / GRID) * REACH * scale, processes, scale),
  )
  const highest = Math.max(...parts.map(({ logWeight }) => logWeight))
  const weights = parts.map(({ logWeight }) => Math.exp(logWeight - highest))
  const total = sum(weights)
  const expected = (valueOf: (part: Part) => number) =>
    sum(parts.map((part, i) => (weights[i]! / total) * valueOf(part)))
  const mean = expected((part) => part.mean)
  const variance = expected((part) => part.variance + (part.mean - mean) ** 2)
  return { mean, sd: Math.sqrt(variance), tau: expected((part) => part.tau) }
}

interface Part {
  readonly tau: number
  readonly mean: number
  readonly variance: number
  readonly logWeight: number
}

function partAt(tau: number, processes: readonly LogRatio[], scale: number): Part {
  const precisions = processes.map(({ variance }) => 1 / (variance + tau * tau))
  const variance = 1 / sum(precisions)
  const mean = variance * sum(processes.map(({ value }, j) => precisions[j]! * value))
  const likelihood = processes.map(
    ({ value }, j) => 0.5 * Math.log(precisions[j]!) - 0.5 * precisions[j]! * (value - mean) ** 2,
  )
  const logWeight = -0.5 * (tau / scale) ** 2 + 0.5 * Math.log(variance) + sum(likelihood)
  return { tau, mean, variance, logWeight }
}
