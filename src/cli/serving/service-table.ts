// Services and their instances as lines and tables of text.

import { hangingText } from '../../measure/report/terminal/plain-text.js'
import { alignColumns } from '../../measure/report/terminal/text-table.js'
import { plain } from '../terminal/plain.js'
import type { InstanceLoad, InstanceStatus, ServiceStatus } from '../../serve/contract/events.js'

/** A service with all its instances, in lines of at most this width where that is possible. */
export function describeService(service: ServiceStatus, width = Infinity): string {
  const { name, kind, state, file, pid, startedAt, reloads, crashes, renewals, lastProblem, scaling } =
    service
  const shown = columnsOf(kind)
  const table = alignColumns(
    [shown.map(({ head }) => head), ...service.instances.map((instance) => rowOf(instance, shown))],
    { width, ranks: shown.map(({ rank }) => rank) },
  )
  const lines = [
    `${name}: ${state}, process ${pid}, up ${elapsedSince(startedAt)}, reloads ${reloads}, crashes ${crashes}, renewals ${renewals}`,
    `${kind === 'server' ? 'file' : kind}: ${file}`,
    ...(service.ports?.length ? [`listens on: ${service.ports.join('; ')}`] : []),
    ...(scaling
      ? [`scaling: ${scaling.min} to ${scaling.max} instances, busy ${inPercent(scaling.busy)} of the time`]
      : []),
    ...(lastProblem === null ? [] : hangingText('last problem: ', lastProblem, width)),
    ...(service.instances.length === 0 ? [] : table),
  ]
  return `${lines.map(plain).join('\n')}\n`
}

interface Column {
  readonly head: string
  /** Where there is no room, those with the highest go first. */
  readonly rank: number
  /** Only of servers. */
  readonly isOfRequests?: boolean
  readonly text: (load: InstanceLoad) => string
}

/** After number, process, state and age. */
const COLUMNS: readonly Column[] = [
  { head: 'REQ/S', rank: 0, isOfRequests: true, text: ({ perSecond }) => perSecond.toFixed(1) },
  { head: 'P50', rank: 4, isOfRequests: true, text: ({ p50 }) => inMs(p50) },
  { head: 'P99', rank: 0, isOfRequests: true, text: ({ p99 }) => inMs(p99) },
  { head: 'OPEN', rank: 2, isOfRequests: true, text: ({ open }) => String(open) },
  { head: 'REQUESTS', rank: 5, isOfRequests: true, text: ({ requests }) => String(requests) },
  { head: 'ERRORS', rank: 1, isOfRequests: true, text: ({ errors }) => String(errors) },
  { head: 'LOOP', rank: 3, isOfRequests: true, text: ({ loopDelay }) => inMs(loopDelay) },
  { head: 'CPU', rank: 0, text: ({ cpu }) => `${Math.round(cpu * 100)} %` },
  { head: 'MEMORY', rank: 0, text: ({ rss }) => `${Math.round(rss / 1024 ** 2)} MB` },
]

interface ShownColumn {
  readonly head: string
  readonly rank: number
  readonly text: (instance: InstanceStatus) => string
}

function columnsOf(kind: ServiceStatus['kind']): ShownColumn[] {
  const ofLoad = COLUMNS.filter(({ isOfRequests }) => kind === 'server' || !isOfRequests)
  return [
    { head: 'INSTANCE', rank: 0, text: ({ id }) => String(id) },
    { head: 'PID', rank: 0, text: ({ pid }) => String(pid) },
    { head: 'STATE', rank: 0, text: ({ state }) => state },
    { head: 'UP', rank: 6, text: ({ startedAt }) => elapsedSince(startedAt) },
    ...ofLoad.map(({ head, rank, text }) => ({
      head,
      rank,
      text: ({ load }: InstanceStatus) => (load ? text(load) : ''),
    })),
  ]
}

/** One that does not answer has no figures. */
function rowOf(instance: InstanceStatus, shown: readonly ShownColumn[]): string[] {
  const cells = shown.map(({ text }) => text(instance))
  if (instance.load === null) cells[4] = 'no answer'
  return cells
}

function inPercent(share: number | null): string {
  return share === null ? '-' : `${Math.round(share * 100)} %`
}

function inMs(ms: number | null): string {
  if (ms === null) return '-'
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}

/** Milliseconds since 1970 as the time that has gone by since. */
export function elapsedSince(time: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - time) / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}
