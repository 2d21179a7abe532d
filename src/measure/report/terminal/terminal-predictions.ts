// Predictions for the terminal, never without the word that says how far they can be trusted.

import type { MeasureResult, Prediction } from '../../results/result.js'
import { compareConfigurations, configurationName, groupTitle } from '../figures/cell-groups.js'
import { formatCount, formatCpuLimit, formatRange, formatRatio } from '../figures/format-number.js'
import type { Canvas } from './paint.js'
import { hangingText, oneLine } from './plain-text.js'
import { layoutTable, tableHead, tableRow, type TextColumn, type TextRow } from './text-table.js'

const columns: TextColumn[] = [
  { head: ['', 'limit'], align: 'left', rank: 0 },
  { head: ['', 'executor'], align: 'left', rank: 0 },
  { head: ['calls/s', 'at worst .. at most'], align: 'right', rank: 1 },
  { head: ['vs inline', 'at worst .. at most'], align: 'right', rank: 0 },
  { head: ['', 'label'], align: 'left', rank: 0 },
]

/** Below this width the columns that say something no longer fit side by side. */
const narrow = 76

export function predictionLines(result: MeasureResult, { paint, width }: Canvas): string[] {
  const { predictions } = result
  if (predictions.length === 0) return []
  const sorted = [...predictions].sort(byVariantAndLimit(result))
  const rows = sorted.map((prediction): TextRow => {
    const { throughput, ratio, label } = prediction
    const texts = [
      `  ${oneLine(groupTitle(prediction, result.workload))}`,
      configurationName(prediction),
      formatRange(throughput.pessimistic, throughput.bound, formatCount),
      formatRange(ratio.pessimistic, ratio.bound, formatRatio),
      label,
    ]
    return { cells: texts.map((text) => ({ text, brush: label === 'guess' ? paint.faint : undefined })) }
  })
  const layout = layoutTable(columns, rows, width)
  const lines =
    width < narrow
      ? rows.flatMap((row) => sentence(row, width))
      : [...tableHead(layout).map(paint.faint), ...rows.flatMap((row) => tableRow(layout, row))]
  return [
    paint.strong('Predicted, not measured'),
    ...lines,
    ...hangingText('  ', legendOf(result), width).map(paint.faint),
  ]
}

/** What they rest on, and how far they reach. */
function legendOf({ cells }: MeasureResult): string {
  const measured = formatCpuLimit(Math.max(...cells.map(({ cpus }) => cpus)))
  return `Computed from the CPU time per call at ${measured}, the most that was measured: extrapolated reaches to twice that, a guess beyond.`
}

/** For sorting predictions: variants as in the workload, then CPUs, then executor and size. */
export function byVariantAndLimit({ workload }: MeasureResult): (a: Prediction, b: Prediction) => number {
  const rank = Object.keys(workload.variants)
  return (a, b) =>
    rank.indexOf(a.variant) - rank.indexOf(b.variant) || a.cpus - b.cpus || compareConfigurations(a, b)
}

function sentence({ cells }: TextRow, width: number): string[] {
  const [limit, name, calls, times, label] = cells.map(({ text }) => text.trim())
  const text = `${limit}, ${name}: ${times} times inline, ${calls} calls/s at worst .. at most (${label})`
  return hangingText('  - ', text, width)
}
