// The numbers of executors as metrics for Prometheus.

import { checkOption } from '../../errors/check-options.js'
import {
  metric,
  samplesOf,
  seconds,
  writeMetrics,
  type Labels,
  type Metric,
  type Sample,
} from '../../primitives/prometheus.js'
import type { Durations, Executor, ExecutorStats, WorkerStats } from './executor.js'

type Source = Pick<Executor, 'stats'> | ExecutorStats

interface Named {
  readonly labels: Labels
  readonly stats: ExecutorStats
}

interface NamedWorker {
  readonly labels: Labels
  readonly worker: WorkerStats
}

/**
 * Metrics of one or several executors, or of what their `stats()` or `inspect()` gave, as text for Prometheus. Times are in seconds.
 * Give your executors names: two with the same name and kind are told apart by a number that is added to the second.
 *
 * @param source an executor or stats, or a list of these; CPU time, memory and event loop are only in what `inspect()` gives
 * @throws TW_ERR_INVALID_OPTION
 * @example response.setHeader('content-type', 'text/plain; version=0.0.4').end(prometheusText([pool, other]))
 */
export function prometheusText(source: Source | readonly Source[]): string {
  const list: readonly Source[] = Array.isArray(source) ? source : [source as Source]
  const all = label(list.map(statsOf))
  return writeMetrics([...callMetrics(all), ...workerMetrics(all)])
}

function statsOf(source: Source): ExecutorStats {
  const hasStats = typeof source === 'object' && source !== null && 'stats' in source
  const stats: unknown = hasStats ? source.stats() : source
  const isStats = typeof stats === 'object' && stats !== null && 'completed' in stats && 'workers' in stats
  checkOption(
    isStats,
    'the argument of prometheusText()',
    'an executor, its stats, or a list of these',
    source,
  )
  return stats as ExecutorStats
}

/** Two series with the same labels would make the whole answer invalid. */
function label(all: readonly ExecutorStats[]): Named[] {
  const seen = new Map<string, number>()
  return all.map((stats) => {
    const { name, kind } = stats
    const key = `${kind} ${name}`
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return { labels: { executor: count === 1 ? name : `${name}#${count}`, kind }, stats }
  })
}

function callMetrics(all: readonly Named[]): Metric[] {
  const each = (valueOf: (stats: ExecutorStats) => number) => samplesOf(all, ({ stats }) => valueOf(stats))
  const outcomes = ['completed', 'failed', 'cancelled'] as const
  const settled = all.flatMap(({ labels, stats }) =>
    outcomes.map((outcome) => ({ labels: { ...labels, outcome }, value: stats[outcome] })),
  )
  const summary = (durationsOf: (stats: ExecutorStats) => Durations) =>
    all.flatMap(({ labels, stats }) => summarySamples(labels, durationsOf(stats)))
  // prettier-ignore
  return [
    metric('calls_total', 'counter', 'Calls that have settled.', settled),
    metric('calls_refused_total', 'counter', 'Calls that were turned away because the queue was full.', each((stats) => stats.refused)),
    metric('calls_queued', 'gauge', 'Calls that no worker has.', each((stats) => stats.queued)),
    metric('calls_running', 'gauge', 'Calls that a worker has.', each((stats) => stats.running)),
    metric('workers', 'gauge', 'Workers that are up or starting.', each((stats) => stats.size)),
    metric('call_wait_seconds', 'summary', 'Time from acceptance to start, of calls that have settled. The count is exact, times are those of a sample.', summary(({ wait }) => wait)),
    metric('call_run_seconds', 'summary', 'Time from start to settlement. The count is exact, times are those of a sample.', summary(({ run }) => run)),
  ]
}

function summarySamples(labels: Labels, { count, mean, p50, p99 }: Durations): Sample[] {
  return [
    { labels: { ...labels, quantile: '0.5' }, value: seconds(p50) ?? NaN },
    { labels: { ...labels, quantile: '0.99' }, value: seconds(p99) ?? NaN },
    { labels, value: seconds(mean ?? 0) * count, suffix: '_sum' },
    { labels, value: count, suffix: '_count' },
  ]
}

function workerMetrics(all: readonly Named[]): Metric[] {
  const workers = all.flatMap(({ labels, stats }) =>
    stats.workers.map((worker): NamedWorker => ({ labels: { ...labels, worker: worker.id }, worker })),
  )
  const each = (valueOf: (worker: WorkerStats) => number | null) =>
    samplesOf(workers, ({ worker }) => valueOf(worker))
  // prettier-ignore
  return [
    metric('worker_calls_total', 'counter', 'Calls that the worker has answered.', each(({ completed }) => completed)),
    metric('worker_calls_running', 'gauge', 'Calls that the worker is known to have.', each(({ running }) => running)),
    metric('worker_blocked', 'gauge', '1: a task has kept the worker from answering for a second.', each(blocked)),
    metric('worker_cpu_seconds_total', 'counter', 'CPU time of the worker.', each(({ cpu }) => seconds(cpu))),
    metric('worker_heap_bytes', 'gauge', 'JavaScript heap in use.', each(({ heapBytes }) => heapBytes)),
    metric('worker_resident_memory_bytes', 'gauge', 'Resident memory of the process.', each(({ rssBytes }) => rssBytes)),
    metric('worker_event_loop_utilization', 'gauge', 'Share of the time in which its thread was busy, 0 to 1.', each((worker) => worker.eventLoopUtilization)),
  ]
}

/** Only inspect() can tell. */
function blocked({ state, heapBytes }: WorkerStats): number | null {
  if (state === 'blocked') return 1
  return heapBytes === null ? null : 0
}
