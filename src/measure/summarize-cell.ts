// The trials of one cell, over all rounds, as the cell of the result.

import { Histogram } from '../primitives/histogram.js'
import { throughputOf, type CellRecord } from './rounds.js'
import type { Cell, Interval, Verdict } from './results/result.js'
import { median } from './stats/summary.js'
import type { CellPlan, CellTrial } from './trial/trial.js'

/** A cell whose calls fail this much more often than those of inline, as a share, measures something else. */
const EXCESS_ERRORS = 0.05
const MAX_ERRORS = 0.5

export interface Judgement {
  readonly ratio: Interval
  readonly verdict: Verdict
  readonly band: number
  /** CPUs of the machine. */
  readonly hostCpus: number
  /** Share of inline's calls that fail. */
  readonly inlineErrorRate: number
}

export function summarizeCell(record: CellRecord, rounds: number, judgement: Judgement): Cell {
  const { cell, trials, enforcement } = record
  const ran = trials.filter((trial): trial is CellTrial => trial?.kind === 'cell')
  const errorRate = errorRateOf(record)
  const failed = reasonOfFailure(record, judgement.inlineErrorRate)
  const samples = Array.from({ length: rounds }, (_, round) => throughputOf(trials[round]))
  const { variant, executor, size, cpus, uv, inFlight } = cell
  return {
    variant,
    executor,
    size,
    cpus,
    uv,
    inFlight,
    enforcement: { ...(enforcement ?? { method: 'none', exact: false, note: 'not measured' }) },
    rounds: samples.filter((sample) => sample !== null).length,
    throughput: spread(samples),
    ratio: judgement.ratio,
    samples,
    verdict: failed === null ? judgement.verdict : 'cannot-tell',
    band: judgement.band,
    ...times(ran),
    memoryBytes: medianOf(ran, (trial) => trial.memoryBytes),
    leakBytesPerCall: medianOf(ran, (trial) => perCall(trial, trial.leakBytes)),
    cpuSecondsPerTask: medianOf(ran, (trial) => perCall(trial, trial.cpuSeconds)),
    mainCpuSecondsPerTask: medianOf(ran, (trial) => perCall(trial, trial.mainCpuSeconds)),
    throttled: medianOf(ran, (trial) => frozenPercent(trial, cell, judgement.hostCpus)),
    startMs: medianOf(ran, (trial) => trial.startMs),
    errorRate,
    firstError: ran.find((trial) => trial.firstError)?.firstError ?? null,
    failed,
  }
}

/** Why the cell says nothing; null when it can be compared. */
function reasonOfFailure(record: CellRecord, inlineErrorRate: number): string | null {
  if (record.unavailable !== undefined) return record.unavailable
  const { trials } = record
  const crashed = trials.find((trial) => trial?.kind === 'failed')
  const worked = trials.filter((trial) => throughputOf(trial) !== null).length
  if (crashed?.kind === 'failed' && worked < trials.length / 2) return crashed.reason
  const rate = errorRateOf(record)
  if (rate < MAX_ERRORS && rate <= inlineErrorRate + EXCESS_ERRORS) return null
  const first = trials.find((trial) => trial?.kind === 'cell' && trial.firstError !== null) as
    CellTrial | undefined
  return `${Math.round(rate * 100)} % of its calls failed: ${first?.firstError}`
}

export function errorRateOf({ trials }: CellRecord): number {
  let failed = 0
  let all = 0
  for (const trial of trials) {
    if (trial?.kind !== 'cell') continue
    failed += trial.failed
    all += trial.failed + trial.completed
  }
  return all === 0 ? 0 : failed / all
}

/** Percentiles over the calls of all rounds; nothing is left out. */
function times(trials: readonly CellTrial[]): Pick<Cell, 'latency' | 'loopDelay'> {
  const latency = new Histogram()
  const loopDelay = new Histogram()
  for (const trial of trials) {
    latency.merge(Histogram.fromJSON(trial.latency))
    loopDelay.merge(Histogram.fromJSON(trial.loopDelay))
  }
  const settled = (times: Histogram, p: number) => (times.isSettled(p) ? times.percentile(p) : null)
  const both = (times: Histogram) => ({ p50: settled(times, 0.5), p99: settled(times, 0.99) })
  return { latency: { ...both(latency), count: latency.count }, loopDelay: both(loopDelay) }
}

/**
 * The kernel adds up the frozen time of each CPU's run queue (sched-bwc.rst), so two threads that are frozen together
 * count twice. Divided by the CPUs that the cell can occupy, it is the share of time in which nothing moved.
 */
function frozenPercent({ throttledMs, seconds }: CellTrial, { executor, size }: CellPlan, hostCpus: number) {
  if (throttledMs === null) return null
  const busy = executor === 'threads' || executor === 'processes' ? size : 1
  return Math.min(100, (throttledMs / Math.min(busy, hostCpus) / (seconds * 1000)) * 100)
}

function perCall({ completed, failed }: CellTrial, amount: number | null): number | null {
  return amount === null || completed + failed === 0 ? null : amount / (completed + failed)
}

function spread(samples: readonly (number | null)[]): Cell['throughput'] {
  const known = samples.filter((sample) => sample !== null)
  if (known.length === 0) return { median: 0, low: 0, high: 0 }
  return { median: median(known), low: Math.min(...known), high: Math.max(...known) }
}

function medianOf(trials: readonly CellTrial[], valueOf: (trial: CellTrial) => number | null): number | null {
  const known = trials.map(valueOf).filter((value) => value !== null)
  return known.length === 0 ? null : median(known)
}
