// What several processes of one configuration say together, each of which differs from the next by more than its own noise.

import { normalQuantile } from './normal-quantile.js'
import { normalTail } from './normal-tail.js'
import type { LogRatio } from './ratio-estimator.js'
import { sum } from './summary.js'

/**
 * Scale of the half-normal prior of the spread between processes, as a logarithm: 5 %. Byte-identical processes differ by 0 to 4 %
 * once they are warm: memory layout, hash seeds, what the compiler happened to see first (Kalibera and Jones, ISMM 2013).
 */
export const PROCESS_SPREAD = 0.05

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
export function combine(processes: readonly LogRatio[], scale = PROCESS_SPREAD): Combined | null {
  if (processes.length === 0) return null
  const parts = Array.from({ length: GRID }, (_, i) =>
    partAt(((i + 0.5) / GRID) * REACH * scale, processes, scale),
  )
  return mixtureOf(parts)
}

function mixtureOf(parts: readonly Part[]): Combined {
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
  const part = groupAt(tau, processes)
  return { ...part, logWeight: -0.5 * (tau / scale) ** 2 + part.logWeight }
}

/** With a flat prior of the mean. */
function groupAt(tau: number, processes: readonly LogRatio[]): Part {
  const precisions = processes.map(({ variance }) => 1 / (variance + tau * tau))
  const variance = 1 / sum(precisions)
  const mean = variance * sum(processes.map(({ value }, j) => precisions[j]! * value))
  const likelihood = processes.map(
    ({ value }, j) => 0.5 * Math.log(precisions[j]!) - 0.5 * precisions[j]! * (value - mean) ** 2,
  )
  const logWeight = 0.5 * Math.log(variance) + sum(likelihood)
  return { tau, mean, variance, logWeight }
}

/** Of the grid of {@link combineBoth}, as multiples of the scale: two processes may also have been compiled in two ways, and differ by 30 %. */
const WIDE = { from: 0.05, to: 60, points: 60 }

/**
 * The difference of two groups of processes with one spread tau: `own` are the processes of one side, each beside all of the other, and
 * `others` those of the other side, each beside all of the first. With tau ~ half-Cauchy(scale), whose tail lets the processes speak for
 * themselves when they differ by much more (Gelman, "Prior distributions for variance parameters", Bayesian Analysis 1, 2006).
 * Null while one side has none.
 *
 * @param tail what may lie beyond a bound, on one side. The spread is known from few processes, so tails are heavier than those of a normal
 *   distribution: `sd` is that of the normal one whose bound lies where the bound of this one lies.
 */
export function combineBoth(
  own: readonly LogRatio[],
  others: readonly LogRatio[],
  { scale, tail }: { scale: number; tail: number },
): Combined | null {
  if (own.length === 0 || others.length === 0) return null
  const step = Math.log(WIDE.to / WIDE.from) / (WIDE.points - 1)
  const parts = Array.from({ length: WIDE.points }, (_, i): Part => {
    const tau = scale * WIDE.from * Math.exp(i * step)
    const part = groupAt(tau, own)
    const prior = Math.log(tau) - Math.log(1 + (tau / scale) ** 2) // on a grid of logarithms
    return {
      tau,
      mean: part.mean,
      variance: part.variance + (tau * tau) / others.length,
      logWeight: prior + part.logWeight + groupAt(tau, others).logWeight,
    }
  })
  const combined = mixtureOf(parts)
  return { ...combined, sd: Math.max(combined.sd, reachOf(parts, combined, tail) / normalQuantile(1 - tail)) }
}

/** How far from the mean the bound lies beyond which the mixture has so much. */
function reachOf(parts: readonly Part[], { mean, sd }: Combined, tail: number): number {
  const highest = Math.max(...parts.map(({ logWeight }) => logWeight))
  const weights = parts.map(({ logWeight }) => Math.exp(logWeight - highest))
  const total = sum(weights)
  const beyond = (reach: number) =>
    sum(
      parts.map(
        (part, i) =>
          (weights[i]! / total) * normalTail((mean + reach - part.mean) / Math.sqrt(part.variance)),
      ),
    )
  let [low, high] = [0, 50 * sd]
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2
    if (beyond(middle) > tail) low = middle
    else high = middle
  }
  return high
}

const HALVINGS = 30
