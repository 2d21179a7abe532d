// What was seen of a cell, as the cell of the result.

import { Histogram } from '../primitives/histogram.js'
import type { Decision } from './decision/decide.js'
import { NOT_MEASURED } from './findings/context.js'
import { BAND } from './decision/rules.js'
import type { Cell, Interval, Verdict } from './results/result.js'
import { isMoreOften, type Frequency } from './stats/more-often.js'
import { inParts, median, medianOrNull, spread } from './stats/summary.js'
import type { CellRecord } from './world/cell-record.js'
import type { TaskCandidate } from './world/task-world-options.js'
import type { CellPlan, Usage } from './trial/trial.js'

/** A cell whose calls fail this much more often than those of the baseline, as a share and beyond chance, measures something else. */
const EXCESS_ERRORS = 0.05
const MAX_ERRORS = 0.5

/** Windows of 40 ms show the moods of the machine; parts of the run show the throughput. */
const PARTS = 10

export interface Summary {
  readonly candidate: TaskCandidate
  readonly isBaseline: boolean
  readonly decision: Decision
  readonly record: CellRecord
  readonly baselineRecord: CellRecord | undefined
  /** CPUs of the machine. */
  readonly hostCpus: number
  /** Calls per second at which callers' waiting was to be timed. */
  readonly rate: number | null
}

/** A rate that was asked for gives so many calls as it gives: of a hundred, the longest is their p99. */
const FEWEST_FOR_P99 = 100

const ITSELF: Interval = { value: 1, low: 1, high: 1 }
const UNKNOWN: Interval = { value: NaN, low: NaN, high: NaN }

export function summarizeCell(summary: Summary): Cell {
  const { candidate, isBaseline, decision, record, baselineRecord, hostCpus, rate } = summary
  const { name, cell } = candidate
  const result = decision.results.get(name)
  const windows = decision.windows.filter((window) => window.candidate === name)
  const samples = inParts(
    windows.map(({ rate }) => rate),
    PARTS,
  )
  const failed = failureOf(name, { decision, record, baselineRecord })
  const verdict = isBaseline
    ? 'same'
    : result && failed === null
      ? jsonVerdict(result.verdict)
      : 'cannot-tell'
  const { variant, executor, size, cpus, uv, inFlight } = cell
  return {
    variant,
    executor,
    size,
    cpus,
    uv,
    inFlight,
    enforcement: { ...(record.enforcement ?? { method: 'none', exact: false, note: 'not measured' }) },
    windows: windows.length,
    processes: isBaseline ? new Set(windows.map(({ process }) => process)).size : (result?.processes ?? 0),
    throughput: spread(samples),
    ratio: isBaseline ? ITSELF : (result?.ratio ?? UNKNOWN),
    standardError: isBaseline ? 0 : (result?.sd ?? null),
    samples,
    verdict,
    noGain: result?.verdict === 'no-gain' && failed === null,
    band: BAND,
    ...timesOf(record),
    atRate: rate === null || record.usages.length === 0 ? null : atRate(record, rate, samples),
    ...perCallOf(record.usages),
    memoryBytes: medianOrNull(record.memoryBytes),
    startMs: medianOrNull(record.startMs),
    leakBytesPerCall: leakOf(record.usages),
    throttled: frozenPercent(record, hostCpus),
    errorRate: errorRateOf(record),
    firstError: record.usages.find(({ firstError }) => firstError !== null)?.firstError ?? null,
    failed,
  }
}

/** In the result what cannot gain has no word of its own. */
function jsonVerdict(verdict: string): Verdict {
  return verdict === 'no-gain' ? 'cannot-tell' : (verdict as Verdict)
}

/** p99 of the loop's delay in ms; null when it is not known. A first look has only ticks enough for the p95. */
export function loopDelayOf({ usages }: Pick<CellRecord, 'usages'>): number | null {
  const delays = merged(usages.map(({ loopDelay }) => loopDelay))
  return settled(delays, 0.99) ?? settled(delays, 0.95)
}

function timesOf({ usages }: CellRecord): Pick<Cell, 'latency' | 'loopDelay'> {
  const latency = merged(usages.map((usage) => usage.latency))
  const loopDelay = merged(usages.map((usage) => usage.loopDelay))
  return {
    latency: {
      p50: settled(latency, 0.5),
      p99: settled(latency, 0.99),
      count: latency.count,
    },
    loopDelay: { p50: settled(loopDelay, 0.5), p99: settled(loopDelay, 0.99) },
  }
}

function atRate({ dueTimes }: CellRecord, rate: number, samples: readonly number[]): Cell['atRate'] {
  const waited = merged(dueTimes)
  const isKept = samples.length > 0 && median(samples) >= rate
  const p99 = waited.count >= FEWEST_FOR_P99 ? waited.percentile(0.99) : null
  return { rate, isKept, p50: settled(waited, 0.5), p99 }
}

/** Milliseconds; null where so few values say nothing about it. */
function settled(histogram: Histogram, share: number): number | null {
  return histogram.isSettled(share) ? histogram.percentile(share) : null
}

function merged(histograms: readonly Usage['latency'][]): Histogram {
  const all = new Histogram()
  for (const histogram of histograms) all.merge(Histogram.fromJSON(histogram))
  return all
}

function perCallOf(usages: readonly Usage[]): Pick<Cell, 'cpuSecondsPerTask' | 'mainCpuSecondsPerTask'> {
  const calls = usages.reduce((total, usage) => total + usage.calls, 0)
  const perCall = (secondsOf: (usage: Usage) => number | null) => {
    const all = usages.map(secondsOf)
    return calls === 0 || all.includes(null) ? null : all.reduce<number>((a, b) => a + b!, 0) / calls
  }
  return {
    cpuSecondsPerTask: perCall(({ cpuSeconds }) => cpuSeconds),
    mainCpuSecondsPerTask: perCall(({ mainCpuSeconds }) => mainCpuSeconds),
  }
}

function leakOf(usages: readonly Usage[]): number | null {
  const leaks = usages.flatMap(({ leak }) => (leak && leak.calls > 0 ? [leak.bytes / leak.calls] : []))
  return medianOrNull(leaks)
}

/**
 * The kernel adds up the frozen time of each CPU's run queue (sched-bwc.rst), so two threads that are frozen together
 * count twice. Divided by the CPUs that the cell can occupy, it is the share of time in which nothing moved.
 */
function frozenPercent({ cell, usages }: CellRecord, hostCpus: number): number | null {
  const known = usages.filter(({ throttledMs }) => throttledMs !== null)
  if (known.length === 0) return null
  const busy = Math.min(busyCpus(cell), hostCpus)
  const frozenMs = known.reduce((total, { throttledMs }) => total + throttledMs!, 0) / busy
  const seconds = known.reduce((total, usage) => total + usage.seconds, 0)
  return Math.min(100, frozenMs / (10 * seconds))
}

function busyCpus({ executor, size }: CellPlan): number {
  return executor === 'inline' || executor === 'concurrent' ? 1 : size
}

/** Why the cell says nothing; null when it can be compared. */
function failureOf(
  name: string,
  { decision, record, baselineRecord }: Pick<Summary, 'decision' | 'record' | 'baselineRecord'>,
): string | null {
  const windows = decision.windows.filter(({ candidate }) => candidate === name)
  const failure = decision.failures.get(name)
  if (failure !== undefined) return failure
  if (windows.length === 0) return NOT_MEASURED
  const own = errorsOf(record)
  const base = baselineRecord ? errorsOf(baselineRecord) : { rate: 0, count: own.count }
  if (own.rate < MAX_ERRORS && !isMoreOften(own, base, EXCESS_ERRORS)) return null
  const first = record.usages.find(({ firstError }) => firstError !== null)?.firstError
  return `${Math.round(own.rate * 100)} % of its calls failed: ${first}`
}

export function errorRateOf(record: CellRecord): number {
  return errorsOf(record).rate
}

function errorsOf({ usages }: CellRecord): Frequency {
  const count = usages.reduce((total, usage) => total + usage.calls, 0)
  return { count, rate: count === 0 ? 0 : usages.reduce((total, usage) => total + usage.failed, 0) / count }
}
