// A timeline as a Gantt chart: a row for each worker, a bar for each piece of work, on a linear axis of milliseconds.

import type { Bar, Timeline } from '../../results/lab-result.js'
import { evenTicks, round } from './axis-scale.js'
import { formatMs } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { figure } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'

const rowHeight = 14
const barHeight = 10
const MAX_TICKS = 6

/** All on one axis, so that the longest one is seen to be; nothing without timelines. */
export function ganttCharts(timelines: readonly Timeline[]): Markup[] {
  const end = Math.max(...timelines.map(({ endMs }) => endMs), Number.MIN_VALUE)
  const at = (ms: number): number => round(Math.min(100, Math.max(0, (100 * ms) / end)))
  const ticks = evenTicks(0, end, MAX_TICKS)
  return timelines.map((timeline) => ganttChart(timeline, ticks, at))
}

type Place = (ms: number) => number

/** Names at the left, bars at the right: lengths across are in percent, so that it fits any width. */
function ganttChart({ title, endMs, lanes }: Timeline, ticks: readonly number[], at: Place): Markup {
  const grid = ticks.map(
    (ms) => markup`<line class="grid" x1="${at(ms)}%" x2="${at(ms)}%" y1="0" y2="100%"/>`,
  )
  const items = lanes.map(({ name, rows }) => {
    const bars = rows.flatMap((row, index) => row.map((bar) => drawBar(bar, index * rowHeight + 2, at)))
    return markup`<li><span class="who"><span>${name}</span></span><svg class="lane" height="${rows.length * rowHeight}" role="img" aria-label="${describeLane(name, rows)}">${grid}${bars}</svg></li>\n`
  })
  const labels = ticks.map(
    (ms) => markup`<text x="${at(ms)}%" y="14" text-anchor="middle">${typeset(formatMs(ms))}</text>`,
  )
  const axis = markup`<div class="gantt-axis" aria-hidden="true"><span></span><svg class="lane" height="20">${labels}</svg></div>`
  const caption = `The whole took ${formatMs(endMs)}. Each bar is one piece of work in the row of the worker that did it; where a worker did several at a time, they stand below each other.`
  return markup`<h3>${title}</h3>${figure(title, caption, markup`<div class="gantt"><ul>${items}</ul>${axis}</div>`)}`
}

function drawBar({ name, startMs, endMs }: Bar, y: number, at: Place): Markup {
  const left = at(startMs)
  const width = Math.max(0.2, round(at(endMs) - left)) // a short one is still seen
  const text = `${name}: ${typeset(formatMs(startMs))} to ${typeset(formatMs(endMs))}`
  return markup`<rect class="work" x="${left}%" width="${width}%" y="${y}" height="${barHeight}"><title>${text}</title></rect>`
}

function describeLane(name: string, rows: readonly (readonly Bar[])[]): string {
  const bars = rows.flat()
  const last = Math.max(...bars.map(({ endMs }) => endMs))
  return `${name}: ${bars.length} pieces of work, the last one until ${formatMs(last)}`
}
