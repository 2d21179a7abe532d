// From what was seen to ratios and verdicts.

import type { Decision } from '../decision/decide.js'
import { estimateDuel } from '../decision/estimate-duel.js'
import { intervalOf } from '../decision/standing.js'
import type { Window } from '../decision/world.js'
import type { Comparison, CompareMetric } from '../results/compare-result.js'
import type { Interval, Verdict } from '../results/result.js'
import { combineBoth } from '../stats/random-effects.js'
import { mean, median } from '../stats/summary.js'
import type { VersionUsage } from '../trial/trial.js'
import type { VersionRecord } from './version-world.js'

/** Scale of the spread between processes of one version once they are warm: they are alike to about 1 %. */
export const VERSION_SPREAD = 0.01

/** What is counted has hardly any spread; smaller differences come from the compiler and the collector. */
const COUNTED = { spread: 0.002, error: 0.001, band: 0.02 }

/** Calls that allocate less than this allocate nothing that matters; nor do calls whose sum is less than what Node itself may do meanwhile. */
const LEAST_BYTES = { call: 16, all: 16_384 }

/** Of one process nobody knows how much the next one differs. */
const MIN_PROCESSES = 2

export interface MeasuredVersions {
  readonly workload: string
  readonly old: string
  readonly names: readonly string[]
  readonly decision: Decision
  readonly records: ReadonlyMap<string, VersionRecord>
  /** The accepted chance that an interval misses. */
  readonly alpha: number
  readonly tolerance: number
}

export function compareVersions(judged: MeasuredVersions): Comparison[] {
  return judged.names.flatMap((name) => [
    ...timeOf(judged, name, 'time', ({ rate }) => rate),
    ...timeOf(judged, name, 'cpu', ({ cpuRate }) => cpuRate ?? null),
    ...countedOf(judged, name, 'allocated', ({ allocatedBytes }) =>
      Math.max(leastBytes(judged), allocatedBytes),
    ),
    ...countedOf(judged, name, 'memory', ({ heldBytes }) => heldBytes),
  ])
}

function leastBytes({ records, old }: MeasuredVersions): number {
  return Math.max(LEAST_BYTES.call, LEAST_BYTES.all / (records.get(old)?.calls ?? Infinity))
}

/** What is told of servers. */
export function judgeServers(judged: Omit<MeasuredVersions, 'records'>): Comparison[] {
  return judged.names.flatMap((name) => [
    ...timeOf(judged, name, 'throughput', ({ rate }) => rate),
    ...timeOf(judged, name, 'cpu', ({ cpuRate }) => cpuRate ?? null),
  ])
}

/** Old over new rates: the ratio of times. Of `throughput` the rates themselves. */
function timeOf(
  { workload, old, decision, alpha, tolerance }: Omit<MeasuredVersions, 'records'>,
  name: string,
  metric: CompareMetric,
  rateOf: (window: Window) => number | null,
): Comparison[] {
  const windows = decision.windows.flatMap((window) => {
    const rate = rateOf(window)
    return rate === null ? [] : [{ ...window, rate }]
  })
  const known = estimateDuel(windows, name, ({ candidate }) => candidate === old, {
    spread: VERSION_SPREAD,
    alpha,
  })
  if (known === null) return []
  const { value, low, high } = intervalOf(known, decision.information, alpha)
  const ratio = { value: 1 / value, low: 1 / high, high: 1 / low }
  const usOf = (version: string) =>
    1e6 / mean(windows.filter(({ candidate }) => candidate === version).map(({ rate }) => rate))
  const { pairs, processes } = known
  const verdict = verdictOf(ratio, tolerance)
  if (metric === 'throughput') {
    const perSecond = (version: string) => 1e6 / usOf(version)
    return [
      {
        workload,
        name,
        metric,
        ratio: { value, low, high },
        verdict,
        old: perSecond(old),
        new: perSecond(name),
        pairs,
        processes,
      },
    ]
  }
  return [{ workload, name, metric, ratio, verdict, old: usOf(old), new: usOf(name), pairs, processes }]
}

function countedOf(
  { workload, old, records, alpha, tolerance }: MeasuredVersions,
  name: string,
  metric: CompareMetric,
  valueOf: (usage: VersionUsage) => number,
): Comparison[] {
  const seen = (version: string) => (records.get(version)?.usages ?? []).map(valueOf)
  const [before, after] = [seen(old), seen(name)]
  const series = (own: number[], others: number[]) =>
    own.map((value) => ({ value: Math.log(value / median(others)), variance: COUNTED.error ** 2 }))
  if (Math.min(before.length, after.length) < MIN_PROCESSES) return []
  const known = combineBoth(series(after, before), series(before, after), {
    scale: COUNTED.spread,
    tail: alpha / 4,
  })
  if (known === null) return []
  const ratio = intervalOf(known, 1, alpha)
  const verdict = verdictOf(ratio, tolerance, COUNTED.band)
  return [
    {
      workload,
      name,
      metric,
      ratio,
      verdict,
      old: median(before),
      new: median(after),
      pairs: 0,
      processes: after.length,
    },
  ]
}

/** @param band a difference that is smaller is not told as one, however certain it is */
export function verdictOf({ low, high }: Interval, tolerance: number, band = 0): Verdict {
  if (low > 1 + band) return 'slower'
  if (high < 1 / (1 + band)) return 'faster'
  return high < 1 + tolerance && low > 1 / (1 + tolerance) ? 'same' : 'cannot-tell'
}
