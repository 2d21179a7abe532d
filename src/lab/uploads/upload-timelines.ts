// What the log of the uploads experiment shows: of each way the last request that was answered, as a timeline of its workers.

import type { Bar, Lane, Timeline } from '../../measure/results/lab-result.js'
import type { LogLine } from './upload-log.js'

export interface DrawnRequest {
  readonly way: string
  readonly id: string
  readonly files: number
  readonly ms: number
  /** The middle one of the times that a file took to be stored. */
  readonly fileMs: number
  readonly timeline: Timeline
}

type Stored = Extract<LogLine, { event: 'stored' }>

/** In the order of `ways`; without those of which no request was answered. */
export function drawRequests(lines: readonly LogLine[], ways: readonly string[]): DrawnRequest[] {
  return ways.flatMap((way) => {
    const answered = lines.findLast((line) => line.event === 'answered' && line.way === way)
    if (answered?.event !== 'answered') return []
    const { request: id, startMs, endMs } = answered
    const isOurs = (line: LogLine): line is Stored => line.event === 'stored' && line.request === id
    const stored = lines.filter(isOurs)
    const ms = endMs - startMs
    const title = `${way}: request ${id}, ${stored.length} files`
    const timeline = { title, endMs: ms, lanes: lanesOf(stored, startMs) }
    return [{ way, id, files: stored.length, ms, fileMs: middleOf(stored), timeline }]
  })
}

/** Numbered workers in the order of their numbers. */
function lanesOf(stored: readonly Stored[], start: number): Lane[] {
  const byWorker = new Map<string, Stored[]>()
  for (const file of stored) byWorker.set(file.worker, [...(byWorker.get(file.worker) ?? []), file])
  return [...byWorker]
    .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([name, files]) => ({ name, rows: rowsOf(files.map((file) => barOf(file, start))) }))
}

function barOf({ file, startMs, endMs }: Stored, start: number): Bar {
  const name = file.slice(file.lastIndexOf('/') + 1)
  return { name, startMs: toTenths(startMs - start), endMs: toTenths(endMs - start) }
}

/** Each bar in the first row whose last one has ended. */
function rowsOf(bars: readonly Bar[]): Bar[][] {
  const rows: Bar[][] = []
  for (const bar of bars.toSorted((a, b) => a.startMs - b.startMs)) {
    const free = rows.find((row) => row.at(-1)!.endMs <= bar.startMs)
    if (free) free.push(bar)
    else rows.push([bar])
  }
  return rows
}

function middleOf(stored: readonly Stored[]): number {
  const times = stored.map(({ startMs, endMs }) => endMs - startMs).sort((a, b) => a - b)
  return times[times.length >> 1] ?? 0
}

function toTenths(ms: number): number {
  return Math.round(ms * 10) / 10
}
