// The pictures of a measured server: throughput against one process, and latency at equal rates.

import type { ServerCell, ServerResult } from '../../results/server-result.js'
import { logScale, type Scale } from './axis-scale.js'
import { plotMark, textMark } from '../markup/executor-mark.js'
import { fluidPlot, placeDown } from './fluid-plot.js'
import { forestAxis, forestRow, forestScale } from './forest-plot.js'
import { finite, formatCount, formatCpuLimit, formatMs } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { figure } from '../markup/page.js'
import { drawLabels, type LabelledPoint } from './place-labels.js'
import { asPlotCell, groupByLimit, type LimitGroup } from '../figures/server-figures.js'
import { typeset } from '../markup/typeset.js'

const height = 230

/** One plot with all limits on one scale; nothing where nothing was measured. */
export function serverForests(result: Pick<ServerResult, 'cells' | 'advice' | 'server'>): Markup[] {
  const { cells, advice, server } = result
  if (cells.length === 0) return []
  const drawn = new Map(cells.map((cell) => [cell, asPlotCell(cell, server.path)]))
  const scale = forestScale([...drawn.values()])
  const blocks = groupByLimit(cells).map((group) => {
    const chosen = advice.find(({ cpus }) => cpus === group.cpus)
    const rows = group.cells.map((cell, index) => {
      const advised =
        chosen?.way === cell.way && chosen.instances === cell.instances && chosen.path === cell.path
      const row = { cell: drawn.get(cell)!, name: cell.name, isBaseline: index === 0, against: 'one process' }
      return forestRow({ ...row, advised }, scale)
    })
    return markup`<h4>${typeset(formatCpuLimit(group.cpus))}</h4><ul>${rows}</ul>\n`
  })
  const caption =
    'Each mark is the requests per second of one row divided by those of one process under the same limit, and the line through it is the 95 % interval: ' +
    'right of the shaded band (differences that do not count here) is more, left of it is fewer, and a line that crosses its edge cannot tell.'
  const plot = markup`<div class="forest">${blocks}${forestAxis(scale, 'times one process')}</div>`
  return [figure('Requests per second relative to one process', caption, plot)]
}

/** One panel for each limit, all with one scale of times. */
export function serverLatencyPlots(result: Pick<ServerResult, 'cells' | 'server'>): Markup[] {
  const times = result.cells.flatMap(({ latency }) => latency.flatMap(({ p99 }) => finite(p99) ?? []))
  if (times.length === 0) return []
  const y = logScale(times, 5)
  const groups = groupByLimit(result.cells).filter(({ cells }) =>
    cells.some(({ latency }) => latency.length > 0),
  )
  const panels = groups.map((group) => panel(group, y, result.server.path))
  const caption =
    'Every row gets the same requests per second: 50, 70 and 90 % of what one process answered under that limit, or the rate that was asked for. Lower is better. ' +
    'The number beside a mark is how many instances the cluster has.'
  return [
    figure(
      'Latency of 99 of 100 answers',
      caption,
      markup`${key(result)}<div class="panels">${panels}</div>`,
    ),
  ]
}

function panel({ cpus, cells }: LimitGroup, y: Scale, mainPath: string): Markup {
  const timed = cells.filter(({ latency }) => latency.length > 0)
  const x = logScale(
    timed.flatMap(({ latency }) => latency.map(({ rate }) => rate)),
    4,
  )
  const lines = timed.map((cell) => line(cell, { x, y }, mainPath))
  const named = lines.flatMap(({ label }) => label ?? [])
  const labels = drawLabels(named, height)
  const frame = {
    height,
    xTicks: x.ticks.map((tick) => ({ ...tick, label: formatCount(tick.value) })),
    yTicks: y.ticks.map((tick) => ({ ...tick, label: typeset(formatMs(tick.value)) })),
    xTitle: 'requests per second that are due',
    yTitle: '99 of 100 answered within',
  }
  return markup`<div class="panel"><h4>${typeset(formatCpuLimit(cpus))}</h4>${fluidPlot(frame, [...labels, ...lines.map(({ marks }) => marks)])}</div>\n`
}

interface Drawn {
  readonly marks: Markup
  /** Where its name goes; undefined for one process, which its mark names. */
  readonly label: LabelledPoint | undefined
}

function line(cell: ServerCell, { x, y }: { x: Scale; y: Scale }, mainPath: string): Drawn {
  const { executor } = asPlotCell(cell, mainPath)
  const points = cell.latency.flatMap(({ rate, p99 }) => {
    const ms = finite(p99)
    return ms === null ? [] : [{ rate, ms, x: x.at(rate), y: placeDown(y.at(ms), height) }]
  })
  const segments = points.slice(1).map((to, index) => {
    const from = points[index]!
    return markup`<line class="path ${executor}" x1="${from.x}%" x2="${to.x}%" y1="${from.y}" y2="${to.y}"/>`
  })
  const marks = points.map(({ rate, ms, x: across, y: down }) => {
    const title = `${cell.name}, ${formatCount(rate)} requests/s: ${typeset(formatMs(ms))}`
    return plotMark(executor, { x: across, y: down, title })
  })
  const last = points.at(-1)
  const label =
    last && cell.way === 'cluster'
      ? { x: last.x, y: last.y, text: String(cell.instances), radius: 7 }
      : undefined
  return { marks: markup`<g>${segments}${marks}</g>`, label }
}

/** What the marks of both plots mean. */
function key({ cells, server }: Pick<ServerResult, 'cells' | 'server'>): Markup {
  const words = {
    inline: 'one process',
    concurrent: '',
    threads: `one process, ${server.offloadPath}`,
    processes: 'cluster',
    bullmq: '',
  }
  const used = [...new Set(cells.map((cell) => asPlotCell(cell, server.path).executor))]
  return markup`<ul class="keys">${used.map((executor) => markup`<li>${textMark(executor)} ${words[executor]}</li>`)}</ul>`
}
