// Predictions beside the measured points that they start from: throughput against CPUs, as a band from pessimistic to bound.

import type { ExecutorName, MeasureResult, Cell, Prediction } from '../../results/result.js'
import { logScale, round, type Scale } from './axis-scale.js'
import {
  executorOrder,
  groupVariants,
  hasVariants,
  isMeasured,
  unique,
  configurationName,
  compareConfigurations,
} from '../figures/cell-groups.js'
import { executorKey, plotMark, textMark } from '../markup/executor-mark.js'
import {
  formatCount,
  formatCpuLimit,
  formatPlain,
  formatRange,
  formatRate,
  formatRatio,
} from '../figures/format-number.js'
import { fluidPlot, placeDown } from './fluid-plot.js'
import { markup, type Markup } from '../markup/markup.js'
import { figure, variantHeading, scrollBox } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'
import { badge } from '../markup/verdict-badge.js'

const height = 260

/** One plot and one table per variant that has predictions. */
export function predictionPlots(result: MeasureResult): Markup[] {
  return groupVariants(result).flatMap(({ variant, groups }) => {
    const predictions = result.predictions.filter((one) => one.variant === variant)
    if (predictions.length === 0) return []
    const cells = groups.flatMap((group) => group.cells).filter(isMeasured)
    const lines = executorOrder
      .map((executor) => ({ executor, stops: predictionStops(executor, cells, predictions) }))
      .filter(({ stops }) => stops.length > 0)
    const caption =
      'Marks are measured, the best size of each executor; bands are computed from the CPU time per call and reach from what is ' +
      'likely at worst to what cannot be exceeded, dashed where that is a guess (beyond twice the CPUs that were measured).'
    const plot = markup`${executorKey(lines.map(({ executor }) => executor))}${linesPlot(lines)}`
    return [
      markup`${variantHeading(hasVariants(result.workload), variant)}${figure(`Measured and predicted throughput, ${variant}`, caption, plot)}${predictionTable(predictions)}`,
    ]
  })
}

function linesPlot(lines: { executor: ExecutorName; stops: PlotStop[] }[]): Markup {
  const stops = lines.flatMap((line) => line.stops)
  const limits = unique(stops.map(({ cpus }) => cpus)).sort((a, b) => a - b)
  const y = logScale(
    stops.flatMap(({ low, high }) => [low, high]),
    6,
  )
  const column = 100 / limits.length
  const xTicks = limits.map((cpus, index) => ({
    value: cpus,
    at: round((index + 0.5) * column),
    label: formatPlain(cpus),
  }))
  const drawn = lines.map(({ executor, stops: own }, index) => {
    const shift = (index - (lines.length - 1) / 2) * Math.min(1.8, column / (lines.length + 2))
    const x = (cpus: number): number => round((limits.indexOf(cpus) + 0.5) * column + shift)
    return drawLine(executor, own, { x, y })
  })
  const yTicks = y.ticks.map((tick) => ({ ...tick, label: formatCount(tick.value) }))
  return fluidPlot(
    {
      height,
      xTicks,
      yTicks,
      xTitle: 'CPUs',
      yTitle: 'calls per second',
      backdrop: shadeUnmeasured(limits, stops),
    },
    drawn,
  )
}

/** A shade behind the CPU counts that were not measured; only the first of several says what it means, for want of room. */
function shadeUnmeasured(limits: number[], stops: PlotStop[]): Markup {
  const column = 100 / limits.length
  const measured = new Set(stops.filter(({ label }) => label === 'measured').map(({ cpus }) => cpus))
  const shaded = [...limits.keys()].filter((index) => !measured.has(limits[index] ?? NaN))
  const first = shaded.filter((index) => !shaded.includes(index - 1))
  const shades = shaded.map((index) => {
    return markup`<rect class="unmeasured" x="${round(index * column)}%" width="${round(column)}%" y="0" height="${height}"/>`
  })
  const names = first.map((index) => {
    return markup`<text x="${round(index * column)}%" dx="8" y="${height - 10}">predicted</text>`
  })
  return markup`${shades}${names}`
}

function drawLine(
  executor: ExecutorName,
  stops: PlotStop[],
  { x, y }: { x: (cpus: number) => number; y: Scale },
): Markup {
  const down = (value: number): number => placeDown(y.at(value), height)
  const steps = stops.slice(1).map((stop, index) => {
    const from = stops[index] as PlotStop
    const [x1, x2] = [x(from.cpus), x(stop.cpus)]
    if (stop.label === 'measured' && from.label === 'measured')
      return markup`<line class="path" x1="${x1}%" x2="${x2}%" y1="${down(from.low)}" y2="${down(stop.low)}"/>`
    const points = `${x1},${down(from.low)} ${x2},${down(stop.low)} ${x2},${down(stop.high)} ${x1},${down(from.high)}`
    return markup`<svg x="0" y="0" width="100%" height="${height}" viewBox="0 0 100 ${height}" preserveAspectRatio="none"><polygon class="cone${stop.label === 'guess' ? ' guess' : ''}" points="${points}"/></svg>`
  })
  const marks = stops.map((stop) => {
    if (stop.label === 'measured')
      return plotMark(executor, { x: x(stop.cpus), y: down(stop.low), title: describe(stop) })
    const at = x(stop.cpus)
    return markup`<g class="range"><line class="reach" x1="${at}%" x2="${at}%" y1="${down(stop.high)}" y2="${down(stop.low)}"/><title>${describe(stop)}</title></g>`
  })
  return markup`<g class="${executor}">${steps}${marks}</g>\n`
}

function describe({ name, cpus, low, high, label }: PlotStop): string {
  const value = label === 'measured' ? formatRate(low) : formatRange(low, high, formatRate)
  return `${name}, ${formatCpuLimit(cpus)}: ${typeset(value)}, ${label}`
}

// Lines up what was measured and what is predicted for each executor, CPU count by CPU count.

/** What one executor does with so many CPUs: measured (low = high) or predicted. */
export interface PlotStop {
  cpus: number
  low: number
  high: number
  name: string
  label: 'measured' | Prediction['label']
}

/** The stops of one executor by rising CPUs: its best size under each limit, where a measured value beats any prediction. */
export function predictionStops(
  executor: ExecutorName,
  cells: Cell[],
  predictions: Prediction[],
): PlotStop[] {
  const measured = cells
    .filter((cell) => cell.executor === executor)
    .map(({ cpus, throughput: { median }, ...cell }): PlotStop => {
      return { cpus, low: median, high: median, name: configurationName(cell), label: 'measured' }
    })
  const predicted = predictions
    .filter((one) => one.executor === executor)
    .map(({ cpus, throughput: { pessimistic, bound }, label, ...one }): PlotStop => {
      return { cpus, low: pessimistic, high: bound, name: configurationName(one), label }
    })
  const known = [...measured, ...predicted].filter(({ low, high }) => low > 0 && high > 0)
  const best = new Map<number, PlotStop>()
  for (const stop of known.sort((a, b) => rank(a) - rank(b) || a.low - b.low)) best.set(stop.cpus, stop)
  return [...best.values()].sort((a, b) => a.cpus - b.cpus)
}

function rank({ label }: PlotStop): number {
  return label === 'measured' ? 1 : 0
}

// The table of all predictions of a variant, each with the word that says how far it can be trusted.

export function predictionTable(predictions: Prediction[]): Markup {
  const rows = [...predictions]
    .sort((a, b) => a.cpus - b.cpus || compareConfigurations(a, b))
    .map(({ throughput, ratio, label, cpus, ...one }) => {
      const calls = typeset(formatRange(throughput.pessimistic, throughput.bound, formatCount))
      const times = typeset(formatRange(ratio.pessimistic, ratio.bound, formatRatio))
      return markup`<tr><th scope="row">${textMark(one.executor)} ${configurationName(one)}</th><td class="num">${formatPlain(cpus)}</td><td class="num">${calls}</td><td class="num">${times}</td><td>${badge(label, label)}</td></tr>\n`
    })
  const head = markup`<thead><tr><th scope="col">executor</th><th scope="col" class="num">CPUs</th><th scope="col" class="num">calls/s, worst to most</th><th scope="col" class="num">times inline, worst to most</th><th scope="col">label</th></tr></thead>`
  return scrollBox('Predictions', markup`<table class="data">${head}<tbody>${rows}</tbody></table>`)
}
