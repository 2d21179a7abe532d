// What both versions of an app showed, and the ratios of it with their intervals.
//
// Rounds are drawn again many times: the spread of a ratio over those draws is its error (bootstrap, Efron 1979), with the quantile of
// Student's t for few rounds.

import type { Verdict } from '../../results/result.js'
import type { DoctorTrialFigures, DoctorTrialRatio } from '../../results/doctor-result.js'
import { verdictOf } from '../../compare/judge.js'
import { normalQuantile } from '../../stats/normal-quantile.js'
import { createRandom, type Random } from '../../stats/random.js'
import { mean, median } from '../../stats/summary.js'
import type { Round, VersionTurn } from './take-turns.js'

const DRAWS = 300
/** Each interval misses the truth once in so many times. */
const ALPHA = 0.05
const TOLERANCE = 0.05

interface Metric {
  readonly path: string | null
  readonly metric: DoctorTrialRatio['metric']
  /** Null: it was not seen in these turns. */
  readonly of: (turns: readonly VersionTurn[]) => number | null
}

export function judgeTurns(
  rounds: readonly Round[],
  paths: readonly string[],
  seed: number,
): DoctorTrialRatio[] {
  return metricsOf(paths).flatMap((metric) => ratioOf(metric, rounds, createRandom(seed)) ?? [])
}

export function trialFigures(
  turns: readonly VersionTurn[],
  paths: readonly string[],
  memoryBytes: number | null,
): DoctorTrialFigures {
  const value = (metric: DoctorTrialRatio['metric'], path: string | null = null) =>
    metricsOf(paths)
      .find((each) => each.metric === metric && each.path === path)!
      .of(turns)
  const p50s = turns.flatMap(({ delay }) => delay?.delayMs.p50 ?? [])
  return {
    throughput: value('throughput'),
    busy: value('busy'),
    cpuMs: value('cpu'),
    memoryBytes,
    delayMs: { p50: p50s.length === 0 ? null : median(p50s), p99: value('delay') },
    paths: paths.map((path) => ({ path, p50: value('p50', path), p99: value('p99', path) })),
  }
}

function metricsOf(paths: readonly string[]): Metric[] {
  return [
    {
      path: null,
      metric: 'throughput',
      of: (turns) =>
        known(
          turns.map(({ throughput }) => throughput),
          mean,
        ),
    },
    {
      path: null,
      metric: 'busy',
      of: (turns) =>
        known(
          turns.flatMap(({ calm }) => calm?.busy ?? []),
          mean,
        ),
    },
    {
      path: null,
      metric: 'delay',
      of: (turns) =>
        known(
          turns.flatMap(({ delay }) => delay?.delayMs.p99 ?? []),
          mean,
        ),
    },
    { path: null, metric: 'cpu', of: cpuOf },
    ...paths.flatMap((path): Metric[] => [
      { path, metric: 'p50', of: (turns) => quantile(turns, path, 0.5) },
      { path, metric: 'p99', of: (turns) => quantile(turns, path, 0.99) },
    ]),
  ]
}

function known(values: readonly number[], of: (values: readonly number[]) => number): number | null {
  return values.length === 0 ? null : of(values)
}

function cpuOf(turns: readonly VersionTurn[]): number | null {
  const calm = turns.flatMap((turn) => turn.calm ?? [])
  const requests = calm.reduce((sum, each) => sum + each.requests, 0)
  return requests === 0 ? null : calm.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / requests
}

function quantile(turns: readonly VersionTurn[], path: string, share: number): number | null {
  const all = Float64Array.from(turns.flatMap(({ latencies }) => latencies.get(path) ?? [])).sort()
  return all.length === 0 ? null : all[Math.min(all.length - 1, Math.floor(share * all.length))]!
}

function ratioOf(
  { path, metric, of }: Metric,
  rounds: readonly Round[],
  random: Random,
): DoctorTrialRatio | null {
  const seen = rounds.filter((round) => of([round.before]) !== null && of([round.after]) !== null)
  const log = (chosen: readonly Round[]) =>
    Math.log(of(chosen.map(({ after }) => after))! / of(chosen.map(({ before }) => before))!)
  const value = log(seen)
  if (seen.length < 3 || !Number.isFinite(value)) return null
  const draws = Array.from({ length: DRAWS }, () =>
    log(seen.map(() => seen[Math.floor(random() * seen.length)]!)),
  ).filter(Number.isFinite)
  const middle = mean(draws)
  const n = seen.length
  const sd = Math.sqrt(mean(draws.map((each) => (each - middle) ** 2)) * (n / (n - 1)))
  const reach = studentQuantile(1 - ALPHA / 2, n - 1) * sd
  const ratio = { value: Math.exp(value), low: Math.exp(value - reach), high: Math.exp(value + reach) }
  return { path, metric, ratio, verdict: verdictFor(metric, ratio) }
}

/** More requests are better, and less of all else. */
function verdictFor(
  metric: DoctorTrialRatio['metric'],
  { value, low, high }: DoctorTrialRatio['ratio'],
): Verdict {
  return metric === 'throughput'
    ? verdictOf({ value: 1 / value, low: 1 / high, high: 1 / low }, TOLERANCE)
    : verdictOf({ value, low, high }, TOLERANCE)
}

/** By the expansion of Cornish and Fisher (Abramowitz and Stegun, 26.7.5). */
function studentQuantile(p: number, freedom: number): number {
  const z = normalQuantile(p)
  const first = (z ** 3 + z) / 4
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384
  return z + first / freedom + second / freedom ** 2 + third / freedom ** 3
}
