// Services and their instances as lines and tables of text.

import { alignColumns } from '../../measure/report/terminal/text-table.js'
import type { InstanceStatus, ServiceStatus } from '../../serve/contract/events.js'

/** A service with all its instances. */
export function describeService(service: ServiceStatus): string {
  const { name, state, file, pid, startedAt, reloads, crashes, renewals, lastProblem, instances, scaling } =
    service
  const lines = [
    `${name}: ${state}, process ${pid}, up ${since(startedAt)}, reloads ${reloads}, crashes ${crashes}, renewals ${renewals}`,
    `file: ${file}`,
    ...(scaling
      ? [`scaling: ${scaling.min} to ${scaling.max} instances, busy ${inPercent(scaling.busy)} of the time`]
      : []),
    ...(lastProblem === null ? [] : [`last problem: ${lastProblem}`]),
  ]
  const head = ['INSTANCE', 'PID', 'STATE', 'UP', 'REQ/S', 'P50', 'P99', 'OPEN', 'REQUESTS', 'ERRORS']
  const table = alignColumns([[...head, 'LOOP', 'CPU', 'MEMORY'], ...instances.map(rowOf)])
  return `${[...lines, ...table].join('\n')}\n`
}

function rowOf({ id, pid, state, startedAt, load }: InstanceStatus): string[] {
  const own = [String(id), String(pid), state, since(startedAt)]
  if (load === null) return [...own, 'no answer']
  return [
    ...own,
    ...[load.perSecond.toFixed(1), inMs(load.p50), inMs(load.p99), String(load.open)],
    ...[String(load.requests), String(load.errors), inMs(load.loopDelay)],
    ...[`${Math.round(load.cpu * 100)} %`, `${Math.round(load.rss / 1024 ** 2)} MB`],
  ]
}

function inPercent(share: number | null): string {
  return share === null ? '-' : `${Math.round(share * 100)} %`
}

function inMs(ms: number | null): string {
  if (ms === null) return '-'
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}

/** Milliseconds since 1970 as the time that has gone by since. */
export function since(time: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - time) / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}
