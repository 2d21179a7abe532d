// Where a candidate stands at a look: its bounds, whether it may leave, and its verdict.

import { sequentialBound } from '../stats/sequential-bound.js'
import type { Interval, Verdict } from '../results/result.js'
import type { Estimate } from './estimate.js'
import { ALPHA, BAND, ENOUGH_WINDOWS, RACING } from './rules.js'

export interface Standing extends Estimate {
  /** Bounds that hold at all looks together, as ratios. The lower one also holds for all rivals together. */
  readonly low: number
  readonly high: number
}

/** `no-gain`: whatever the truth is, it is below what would be worth it. */
export type StandingVerdict = 'faster' | 'slower' | 'same' | 'no-gain' | 'cannot-tell'

const BAND_LOG = Math.log(1 + BAND)

/**
 * @param alphas the accepted chance of an error of each bound: a false gain in any rival is one, a gain missed in one is one too
 * @param t share of the information that will be there in the end
 */
export function standingOf(estimate: Estimate, alphas: { low: number; high: number }, t: number): Standing {
  const { mean, sd } = estimate
  const low = Math.exp(mean - sequentialBound(alphas.low, t) * sd)
  return { ...estimate, low, high: Math.exp(mean + sequentialBound(alphas.high, t) * sd) }
}

/** That stopping depends on what was seen does not spoil it. */
export function intervalOf({ mean, sd }: Pick<Estimate, 'mean' | 'sd'>, t: number, alpha = ALPHA): Interval {
  const reach = sequentialBound(alpha, t) * sd
  return { value: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) }
}

/** Half of the 95 % interval, as a share, without regard to the looks. */
export function halfWidth({ sd }: Estimate): number {
  return Math.exp(1.96 * sd) - 1
}

/** It is behind the best by more than chance and the band explain. */
export function isBehind(own: Estimate, best: Estimate): boolean {
  return best.mean - own.mean > RACING.behind * Math.hypot(own.sd, best.sd) + BAND_LOG
}

export function isHopeless({ mean, sd }: Estimate, worth: number): boolean {
  return mean + RACING.behind * sd < Math.log(worth)
}

/** Who leaves should be known as slower, or not to be told from "no gain" at a fair price. */
export function isKnown(own: Estimate): boolean {
  return isSlower(own) || own.pairs >= ENOUGH_WINDOWS
}

function isSlower({ mean, sd }: Estimate): boolean {
  return mean + RACING.slower * sd < -BAND_LOG
}

/**
 * What is printed, and what the verdict is made of: a narrower interval would lie clear of the band beside "cannot tell".
 *
 * @param hasLeft it was looked at only until it left, each time with the racing bound
 */
export function boundsOf({ mean, sd, low, high }: Standing, hasLeft: boolean): Interval {
  const value = Math.exp(mean)
  const reach = RACING.slower * sd
  return hasLeft ? { value, low: Math.exp(mean - reach), high: Math.exp(mean + reach) } : { value, low, high }
}

export function standingVerdict(standing: Standing, hasLeft: boolean, worth: number): StandingVerdict {
  const bounds = boundsOf(standing, hasLeft)
  const verdict = verdictOfInterval(bounds)
  return verdict === 'cannot-tell' && bounds.high < worth ? 'no-gain' : verdict
}

/** Of a ratio, beside the band. */
export function verdictOfInterval({ low, high }: Interval): Verdict {
  if (low > 1 + BAND) return 'faster'
  if (high < 1 / (1 + BAND)) return 'slower'
  return low > 1 / (1 + BAND) && high < 1 + BAND ? 'same' : 'cannot-tell'
}
