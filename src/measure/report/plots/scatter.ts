// The scatter plot: what an executor gives (throughput) against what it costs the main thread (loop delay).

import type { Cell, MeasureResult } from '../../results/result.js'
import { logScale, type Scale } from './axis-scale.js'
import {
  configurationName,
  groupVariants,
  hasVariants,
  isAdvised,
  isMeasured,
  type CellGroup,
} from '../figures/cell-groups.js'
import { executorKey, plotMark } from '../markup/executor-mark.js'
import { finite, formatCount, formatCpuLimit, formatMs, formatRate } from '../figures/format-number.js'
import { fluidPlot, placeDown } from './fluid-plot.js'
import { markup, type Markup } from '../markup/markup.js'
import { figure, variantHeading } from '../markup/page.js'
import { drawLabels } from './place-labels.js'
import { typeset } from '../markup/typeset.js'

const height = 230

/** One panel per CPU limit, all panels of a variant on the same scales; nothing where no loop delay is known. */
export function scatterPlots(result: MeasureResult): Markup[] {
  return groupVariants(result).flatMap(({ variant, groups }) => {
    const cells = groups.flatMap((group) => group.cells.filter(canBeDrawn))
    if (cells.length === 0) return []
    const scales = {
      x: logScale(
        cells.map(({ throughput }) => throughput.median),
        4,
      ),
      y: logScale(cells.map(loopDelay), 5),
    }
    const panels = groups.filter((group) => group.cells.some(canBeDrawn)).map((group) => panel(group, scales))
    const caption =
      'Lower right is best, many calls per second and an event loop that stays free; ' +
      'the number beside a mark is its size, and a ring marks what is advised.'
    const key = executorKey(cells.map(({ executor }) => executor))
    const label = `Loop delay against throughput, ${variant}`
    return [
      markup`${variantHeading(hasVariants(result.workload), variant)}${figure(label, caption, markup`${key}<div class="panels">${panels}</div>`)}`,
    ]
  })
}

function panel(group: CellGroup, { x, y }: { x: Scale; y: Scale }): Markup {
  const cells = group.cells.filter(canBeDrawn)
  const points = cells.map((cell) => ({
    x: x.at(cell.throughput.median),
    y: placeDown(y.at(loopDelay(cell)), height),
    text: cell.executor === 'inline' ? '' : String(cell.size),
    radius: isAdvised(cell, group.advice) ? 11 : 7,
  }))
  const marks = cells.map((cell, index) => {
    const title = `${configurationName(cell)}: ${typeset(formatRate(cell.throughput.median))}, loop delay p99 ${typeset(formatMs(loopDelay(cell)))}`
    const { x: across = 0, y: down = 0 } = points[index] ?? {}
    return plotMark(cell.executor, { x: across, y: down, title, ringed: isAdvised(cell, group.advice) })
  })
  const labels = drawLabels(points, height)
  const missing = group.cells.length - cells.length
  const note =
    missing > 0 ? markup`<p class="missing">${missing} not shown: failed, or without a loop delay.</p>` : null
  const frame = {
    height,
    xTicks: x.ticks.map((tick) => ({ ...tick, label: formatCount(tick.value) })),
    yTicks: y.ticks.map((tick) => ({ ...tick, label: typeset(formatMs(tick.value)) })),
    xTitle: 'calls per second',
    yTitle: 'loop delay p99',
  }
  return markup`<div class="panel"><h4>${typeset(formatCpuLimit(group.cpus))}</h4>${fluidPlot(frame, [...labels, ...marks])}${note}</div>\n`
}

function canBeDrawn(cell: Cell): boolean {
  return isMeasured(cell) && cell.throughput.median > 0 && loopDelay(cell) > 0
}

function loopDelay({ loopDelay: { p99 } }: Cell): number {
  return finite(p99) ?? 0
}
