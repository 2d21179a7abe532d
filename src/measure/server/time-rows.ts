// Latency at equal rates: every row gets the same requests per second, in turns, and its times are put beside those of one process.

import { verdictOfInterval } from '../decision/standing.js'
import { logRatio, type Pair } from '../stats/ratio-estimator.js'
import { sequentialBound } from '../stats/sequential-bound.js'
import { shuffle, type Random } from '../stats/random.js'
import type { Interval, Verdict } from '../results/result.js'
import type { LatencyRun, RateOf, ServerRow, ServerTrial } from './server-trial.js'

/** Of the saturation of one process: latency is worth comparing where nobody is overloaded. */
const SHARES = [0.5, 0.7, 0.9]

/** The share at which rows are compared. */
const COMPARED_SHARE = SHARES[1]!

/** How long each rate lasts, and the requests that are due then at least. */
const RUN_MS = 500
const FEWEST_REQUESTS = 4
/** Rounds of the rate that is compared: at least for a verdict, and in all. */
const ROUNDS = { least: 4, most: 6 }

/** A row whose requests fail more often measures something else. */
const MAX_ERRORS = 0.05

export interface TimedRow {
  readonly row: ServerRow
  readonly trial: ServerTrial
}

export interface TimeOptions {
  /** Requests per second that one process answered. */
  readonly saturation: number
  /** Requests per second that were asked for; null: shares of the saturation. */
  readonly rate: number | null
  /** Milliseconds; none once the run is interrupted. */
  readonly leftMs: () => number
  /** At most so many. */
  readonly rounds: number
  readonly random: Random
}

/** The first row is the baseline. */
export async function timeRows(
  rows: readonly TimedRow[],
  { saturation, rate: asked, leftMs, rounds, random }: TimeOptions,
): Promise<Map<ServerRow, LatencyRun[]>> {
  const rates = ratesFor(asked, saturation)
  const runs = new Map<ServerRow, LatencyRun[]>(rows.map(({ row }) => [row, []]))
  for (const rate of orderOf(rates, rounds)) {
    for (const { row, trial } of shuffle(rows, random)) {
      const ms = Math.max(RUN_MS, (1000 * FEWEST_REQUESTS) / rate.rate)
      if (ms > leftMs()) return runs
      runs.get(row)!.push(await trial.latencyAt(rate, ms))
    }
  }
  return runs
}

function ratesFor(asked: number | null, saturation: number): RateOf[] {
  if (asked !== null)
    return [{ share: Number((asked / saturation).toPrecision(2)), rate: asked, isCompared: true }]
  return SHARES.map((share) => {
    return { share, rate: Number((share * saturation).toPrecision(4)), isCompared: share === COMPARED_SHARE }
  })
}

/** The rate that is compared comes first, as often as a verdict needs it; then the others, for the picture. */
function orderOf(rates: readonly RateOf[], rounds: number): RateOf[] {
  const compared = rates.filter(({ isCompared }) => isCompared)
  const others = rates.filter(({ isCompared }) => !isCompared)
  const first = Math.min(ROUNDS.least, rounds)
  const more = Math.min(ROUNDS.most, rounds) - first
  const repeat = (count: number, list: readonly RateOf[]) => Array.from({ length: count }, () => list).flat()
  return [...repeat(first, compared), ...repeat(more, [...others, ...compared])]
}

export interface Promptness {
  /** How often as short the p99 is; null when too little was measured. */
  readonly ratio: Interval | null
  readonly verdict: Verdict
}

/** The p99 of a row against that of the baseline in the same round: above 1 is better. */
export function promptnessOf(own: readonly LatencyRun[], baseline: readonly LatencyRun[]): Promptness {
  const at = (runs: readonly LatencyRun[]) => runs.filter(({ isCompared }) => isCompared)
  const pairs = at(own).flatMap((run, round): Pair[] => {
    const other = at(baseline)[round]
    const values = [run, other].map((each) => (each && isUsable(each) ? each.p99 : null))
    return values[0] && values[1] ? [{ rate: 1000 / values[0], base: 1000 / values[1] }] : []
  })
  const found = pairs.length < ROUNDS.least ? null : logRatio(pairs)
  if (found === null) return { ratio: null, verdict: 'cannot-tell' }
  const reach = sequentialBound(0.05, 1) * Math.sqrt(found.variance)
  const [value, low, high] = [0, -reach, reach].map((offset) => Math.exp(found.value + offset)) as [
    number,
    number,
    number,
  ]
  const ratio = { value, low, high }
  return { ratio, verdict: verdictOfInterval(ratio) }
}

/** Failures are often quick, so their p99 would look good. */
function isUsable({ limitedBecause, errorRate }: LatencyRun): boolean {
  return limitedBecause === null && errorRate <= MAX_ERRORS
}
