// All that the dashboard sees, as metrics for Prometheus: those of `status --prometheus`, and what only the dashboard knows.

import { metric, samplesOf, writeMetrics } from '../../primitives/prometheus.js'
import { serviceMetrics } from '../../serve/control/service-metrics.js'
import type { Seen } from './look/collector.js'

export function dashboardMetrics({ statuses, tracked, pools, queues }: Seen): string {
  const services = tracked.map(({ row }) => ({ labels: { service: row.name }, row }))
  const ofPools = pools.map((pool) => ({
    labels: { pid: pool.pid, thread: pool.thread, pool: pool.name, kind: pool.kind },
    pool,
  }))
  const ofTasks = pools.flatMap((pool) =>
    pool.tasks.map((times) => ({
      labels: { pid: pool.pid, thread: pool.thread, pool: pool.name, task: times.task },
      times,
    })),
  )
  const known = queues.filter(({ problem }) => problem === null)
  const ofQueues = known.map((queue) => ({ labels: { queue: queue.queue }, queue }))
  // prettier-ignore
  return serviceMetrics(statuses) + writeMetrics([
    metric('service_cpu_budget', 'gauge', 'CPUs that the service may use.', samplesOf(services, ({ row }) => row.budget)),
    metric('service_cpu_throttled_share', 'gauge', 'Share of the periods of the CPU quota in which the kernel froze the service, since the last look.', samplesOf(services, ({ row }) => row.figures.throttled)),
    metric('service_memory_limit_bytes', 'gauge', 'Memory that the service may use with all that shares its limit.', samplesOf(services, ({ row }) => row.memoryLimit)),
    metric('pool_workers', 'gauge', 'Workers that are up or starting.', samplesOf(ofPools, ({ pool }) => pool.size)),
    metric('pool_calls_queued', 'gauge', 'Calls that no worker has yet.', samplesOf(ofPools, ({ pool }) => pool.queued)),
    metric('pool_calls_running', 'gauge', 'Calls that run.', samplesOf(ofPools, ({ pool }) => pool.running)),
    metric('pool_calls_completed_total', 'counter', 'Calls that gave a result.', samplesOf(ofPools, ({ pool }) => pool.completed)),
    metric('pool_calls_failed_total', 'counter', 'Calls that gave an error.', samplesOf(ofPools, ({ pool }) => pool.failed)),
    metric('pool_calls_refused_total', 'counter', 'Calls that were turned away, as the queue was full.', samplesOf(ofPools, ({ pool }) => pool.refused)),
    metric('pool_task_wait_p99_seconds', 'gauge', '99 of 100 calls of the function have waited no longer.', samplesOf(ofTasks, ({ times }) => inSeconds(times.waitP99))),
    metric('pool_task_run_p99_seconds', 'gauge', '99 of 100 calls of the function have run no longer.', samplesOf(ofTasks, ({ times }) => inSeconds(times.runP99))),
    metric('queue_jobs_waiting', 'gauge', 'Jobs that wait.', samplesOf(ofQueues, ({ queue }) => queue.waiting)),
    metric('queue_jobs_running', 'gauge', 'Jobs that run.', samplesOf(ofQueues, ({ queue }) => queue.running)),
    metric('queue_jobs_failed', 'gauge', 'Failed jobs that are kept.', samplesOf(ofQueues, ({ queue }) => queue.failed)),
    metric('queue_oldest_seconds', 'gauge', 'Since the first of the jobs that wait was added.', samplesOf(ofQueues, ({ queue }) => inSeconds(queue.oldestMs))),
  ])
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000
}
