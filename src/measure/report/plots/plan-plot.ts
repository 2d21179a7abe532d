// Cost against p99: each configuration as a point with its interval, and the p99 that was asked for as a line.

import type { PlanConfiguration, PlanResult } from '../../results/plan-result.js'
import { formatMs, formatPlain } from '../figures/format-number.js'
import { costName, costText, movesText, sharePercent, rangeText, shapeText } from '../figures/plan-figures.js'
import { markup, type Markup } from '../markup/markup.js'
import { figure } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'
import { logScale } from './axis-scale.js'
import { fluidPlot, placeDown } from './fluid-plot.js'
import { drawLabels } from './place-labels.js'

const HEIGHT = 280

export function planPlot(result: PlanResult): Markup | null {
  const rows = result.configurations.filter(({ p99 }) => p99 !== null && p99.value > 0)
  if (rows.length === 0) return null
  const costOf = ({ price, containers, cpus }: PlanConfiguration) => price ?? containers * cpus
  const x = logScale(rows.map(costOf), 5)
  const y = logScale([...rows.flatMap(({ p99 }) => [p99!.low, p99!.value, p99!.high]), result.goal.p99], 6)
  const down = (value: number) => placeDown(y.at(value), HEIGHT)
  const goal = down(result.goal.p99)
  const backdrop = markup`<line class="goal" x1="0" x2="100%" y1="${goal}" y2="${goal}" stroke="currentColor" stroke-dasharray="4 4"><title>asked for: ${typeset(formatMs(result.goal.p99))}</title></line>`
  const marks = rows.map((row, index) => {
    const isFirst = index === 0 && result.advice.configuration !== null
    const place = {
      x: x.at(costOf(row)),
      y: down(row.p99!.value),
      low: down(row.p99!.low),
      high: down(row.p99!.high),
    }
    return mark(row, place, isFirst)
  })
  const points = rows.map((row) => ({
    x: x.at(costOf(row)),
    y: down(row.p99!.value),
    text: `${row.containers}×${formatPlain(row.cpus)}`,
    radius: 9,
  }))
  const frame = {
    height: HEIGHT,
    backdrop,
    xTitle: result.prices === null ? 'CPUs of all containers' : 'price of a month',
    yTitle: 'p99',
    xTicks: x.ticks.map((tick) => ({ ...tick, label: formatPlain(tick.value) })),
    yTicks: y.ticks.map((tick) => ({ ...tick, label: typeset(formatMs(tick.value)) })),
  }
  const caption =
    'Lower left is best. The line through a point is the range of four of five draws, the dashed line the p99 that was asked for; the ring is what is advised. Hollow points do not hold, and diamonds would need the work of a path to move to threads.'
  return figure('Cost against p99', caption, fluidPlot(frame, [drawLabels(points, HEIGHT), ...marks]))
}

interface Place {
  readonly x: number
  readonly y: number
  readonly low: number
  readonly high: number
}

function mark(row: PlanConfiguration, { x, y, low, high }: Place, isFirst: boolean): Markup {
  const isKept = row.reason.startsWith('holds') || isFirst
  const shape =
    row.moves.length > 0 ? 'M0-7L7 0L0 7L-7 0z' : 'M0-5.4a5.4 5.4 0 1 1 0 10.8a5.4 5.4 0 1 1 0-10.8z'
  const ring = isFirst ? markup`<circle class="ring" r="10"/>` : null
  const moves = movesText(row) === '' ? '' : `, ${movesText(row)}`
  const title = `${shapeText(row)}${moves}: ${rangeText(row.p99)} at ${sharePercent(row.use)}, ${costName({ prices: row.price === null ? null : { cpu: 0, gb: 0 } })} ${costText(row)}; ${row.reason}`
  const fill = isKept ? 'currentColor' : 'none'
  return markup`<line x1="${x}%" x2="${x}%" y1="${low}" y2="${high}" stroke="currentColor" opacity=".45"/><svg class="mark" x="${x}%" y="${y}" overflow="visible">${ring}<path d="${shape}" style="fill:${fill};stroke:currentColor;stroke-width:1.5"/><title>${typeset(title)}</title></svg>`
}
