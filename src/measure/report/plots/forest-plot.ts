// The forest plot: for each cell how often as fast as inline it was, with the 95 % interval, on a logarithmic scale.

import type { Cell, MeasureResult } from '../../results/result.js'
import { logScale, type Scale } from './axis-scale.js'
import {
  configurationName,
  describeEnforcement,
  groupVariants,
  hasVariants,
  isAdvised,
  isBaseline,
  isMeasured,
  type CellGroup,
} from '../figures/cell-groups.js'
import { plotMark, textMark } from '../markup/executor-mark.js'
import { finite, formatCpuLimit, formatRange, formatRate, formatRatio } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { figure, variantHeading } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'
import { verdictBadge } from '../markup/verdict-badge.js'
import type { LabCell } from '../../results/lab-result.js'

const middle = '50%'

/** One plot per variant, with one scale for all of its limits; nothing without a measured cell. */
export function forestPlots(result: MeasureResult): Markup[] {
  return groupVariants(result)
    .filter(({ groups }) => groups.some(({ cells }) => cells.length > 0))
    .map(({ variant, groups }) => {
      const scale = forestScale(groups.flatMap(({ cells }) => cells))
      const caption =
        'Each mark is the throughput of one executor divided by that of inline, and the line through it is the 95 % interval: ' +
        'right of the shaded band (differences that do not count here) is faster, left of it is slower, and a line that crosses its edge cannot tell: it is no gain where it ends below what is worth the change.'
      const rows = groups.filter(({ cells }) => cells.length > 0).map((group) => forestGroup(group, scale))
      return markup`${variantHeading(hasVariants(result.workload), variant)}${figure(`Throughput relative to inline, ${variant}`, caption, markup`<div class="forest">${rows}${forestAxis(scale)}</div>`)}`
    })
}

/** Wide enough for every value; an interval may leave the plot, so that one very wide one does not flatten the rest. */
export function forestScale(cells: Cell[]): Scale {
  const ratios = cells.filter(isMeasured).map(({ ratio }) => ratio)
  const values = ratios.flatMap(({ value }) => ((finite(value) ?? 0) > 0 ? [value] : []))
  const least = Math.min(...values, 1) / 2.5
  const most = Math.max(...values, 1) * 2.5
  const ends = ratios.flatMap(({ low, high }) => [
    Math.max(finite(low) ?? 1, least),
    Math.min(finite(high) ?? 1, most),
  ])
  return logScale([...values, ...ends, 0.75, 4 / 3], 6)
}

function forestGroup(group: CellGroup, scale: Scale): Markup {
  const how = describeEnforcement(group.cells)
  const rows = group.cells.map((cell) => {
    const advised = isAdvised(cell, group.advice)
    return forestRow(
      { cell, name: configurationName(cell), isBaseline: isBaseline(cell), against: 'inline', advised },
      scale,
    )
  })
  return markup`<h4>${typeset(formatCpuLimit(group.cpus))} <small>${how}</small></h4><ul>${rows}</ul>\n`
}

export interface ForestRow {
  readonly cell: Cell
  readonly name: string
  readonly isBaseline: boolean
  /** What its ratio refers to: 'inline'. */
  readonly against: string
  readonly advised: boolean
}

/** One cell: its name, its mark with the interval, the figures, and the verdict. */
export function forestRow({ cell, name, isBaseline, against, advised }: ForestRow, scale: Scale): Markup {
  const { executor, ratio, throughput } = cell
  const who = markup`<span class="who">${textMark(executor)} <span>${name}</span></span>`
  const badge = verdictBadge(cell, isBaseline)
  if (!isMeasured(cell))
    return markup`<li class="row">${who}<span class="failure">${cell.failed ?? 'no figures'}</span><span class="figures"></span>${badge}</li>\n`
  const interval = isBaseline ? '' : typeset(formatRange(ratio.low, ratio.high, formatRatio))
  const value = isBaseline ? '1' : formatRatio(ratio.value)
  const title = `${name}: ${value} times ${against}${interval ? ` (${interval})` : ''}, ${typeset(formatRate(throughput.median))}`
  return markup`<li class="row${advised ? ' advised' : ''}">${who}${track(cell, { scale, title, isBaseline })}<span class="figures"><b>${value}</b><span class="interval">${interval}</span></span>${badge}</li>\n`
}

interface Track {
  readonly scale: Scale
  readonly title: string
  readonly isBaseline: boolean
}

function track(cell: Cell, { scale, title, isBaseline }: Track): Markup {
  const { ratio, executor } = cell
  const value = finite(ratio.value) ?? 0
  const mark = value > 0 ? plotMark(executor, { x: scale.at(value), y: middle, title }) : null
  return markup`<span class="track"><svg aria-hidden="true"><title>${title}</title>${backdrop(cell.band, scale)}${isBaseline ? null : interval(cell, scale)}${mark}</svg></span>`
}

function backdrop(band: number, scale: Scale): Markup {
  const left = scale.at(1 / (1 + band))
  const width = Math.round((scale.at(1 + band) - left) * 100) / 100
  const grid = scale.ticks.map(
    ({ at }) => markup`<line class="grid" x1="${at}%" x2="${at}%" y1="0" y2="100%"/>`,
  )
  return markup`<rect class="band" x="${left}%" width="${width}%" y="0" height="100%"/>${grid}<line class="one" x1="${scale.at(1)}%" x2="${scale.at(1)}%" y1="0" y2="100%"/>`
}

function interval({ executor, ratio }: Cell, scale: Scale): Markup | null {
  const low = finite(ratio.low)
  const high = finite(ratio.high)
  if (low === null || high === null) return null
  const [x1, x2] = [scale.at(Math.max(low, scale.low)), scale.at(Math.max(high, scale.low))]
  return markup`<g class="${executor}"><line class="whisker" x1="${x1}%" x2="${x2}%" y1="${middle}" y2="${middle}"/>${end(x1, low < scale.low ? 'M6-5L0 0L6 5' : 'M0-4V4')}${end(x2, high > scale.high ? 'M-6-5L0 0L-6 5' : 'M0-4V4')}</g>`
}

/** A short bar across the end, or an arrow where the interval goes on outside the plot. */
function end(x: number, path: string): Markup {
  return markup`<svg x="${x}%" y="${middle}" overflow="visible"><path class="whisker" d="${path}"/></svg>`
}

export function forestAxis(scale: Scale, unit = 'times inline'): Markup {
  const labels = scale.ticks.map(
    ({ at, value }) => markup`<text x="${at}%" y="14" text-anchor="middle">${value}</text>`,
  )
  return markup`<div class="row axis" aria-hidden="true"><span class="who">${unit}</span><span class="track"><svg>${labels}</svg></span></div>`
}

// The picture of a lab experiment: each row against the row that it is compared with, as in a forest plot.

/** One plot for each baseline, all with one scale; none where nothing is compared. */
export function labPlots(cells: readonly LabCell[]): Markup[] {
  const compared = cells.filter(({ baseline }, index) => cells[baseline] && baseline !== index)
  const scale = forestScale([...cells])
  return [...new Set(compared.map(({ baseline }) => baseline))].map((at) => {
    const { label: name, cpus } = cells[at]!
    const rows = cells.flatMap((cell, index) => {
      const row = {
        cell,
        name: cell.label,
        isBaseline: index === at,
        against: 'the baseline',
        advised: false,
      }
      return cell.baseline === at ? forestRow(row, scale) : []
    })
    const title = `Throughput against "${name}" at a limit of ${cpus}`
    const caption = `Each mark is the throughput of one row divided by that of "${name}", and the line through it is the 95 % interval: right of the shaded band (differences that do not count here) is faster, left of it is slower, and a line that crosses its edge cannot tell: it is no gain where it ends below what is worth the change.`
    const plot = markup`<div class="forest"><ul>${rows}</ul>${forestAxis(scale, 'times the baseline')}</div>`
    return figure(title, caption, plot)
  })
}
