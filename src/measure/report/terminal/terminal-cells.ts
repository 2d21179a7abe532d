// The table of cells for the terminal: one block per variant, one group of rows per CPU limit.

import type { Cell, MeasureResult, Scout } from '../../results/result.js'
import {
  cellVerdict,
  configurationName,
  describeEnforcement,
  failureText,
  groupVariants,
  hasVariants,
  isAdvised,
  isBaseline,
  type CellGroup,
} from '../figures/cell-groups.js'
import {
  dash,
  finite,
  formatBytes,
  formatCount,
  formatCpuLimit,
  formatMs,
  formatPercent,
  formatRange,
  formatRatio,
} from '../figures/format-number.js'
import type { Canvas, Paint } from './paint.js'
import { hangingText, oneLine, wrapText } from './plain-text.js'
import {
  layoutTable,
  tableHead,
  tableRow,
  type TableLayout,
  type TextColumn,
  type TextRow,
} from './text-table.js'

const intervalColumn = 3

const columns: TextColumn[] = [
  { head: ['', 'executor'], align: 'left', rank: 0 },
  { head: ['', 'calls/s'], align: 'right', rank: 1 },
  { head: ['vs', 'inline'], align: 'right', rank: 0 },
  { head: ['95 %', 'interval'], align: 'right', rank: 2 },
  { head: ['', 'verdict'], align: 'left', rank: 0 },
  { head: ['latency', 'p50'], align: 'right', rank: 6 },
  { head: ['latency', 'p99'], align: 'right', rank: 3 },
  { head: ['at rate', 'p50'], align: 'right', rank: 2 },
  { head: ['at rate', 'p99'], align: 'right', rank: 1 },
  { head: ['loop', 'delay p99'], align: 'right', rank: 4 },
  { head: ['memory', '/worker'], align: 'right', rank: 5 },
  { head: ['CPU', '/call'], align: 'right', rank: 7 },
  { head: ['throt-', 'tled'], align: 'right', rank: 8 },
]

/** One block of lines per variant, and the legend last; nothing when nothing was measured. */
export function cellSection(result: MeasureResult, { paint, width }: Canvas): string[][] {
  if (result.cells.length === 0) return []
  const variants = groupVariants(result)
  const rows = result.cells.map((cell) => cellRow(cell, false, paint))
  const layout = layoutTable(columns, rows, width)
  const blocks = variants.map(({ variant, groups }) => [
    ...variantLines(result, variant, { paint, width }),
    ...tableHead(layout).map(paint.faint),
    ...groups.flatMap((group, index) => [
      ...(index > 0 ? [''] : []),
      ...groupLines(group, layout, { paint, width }),
    ]),
  ])
  blocks.at(-1)?.push(...legendLines(result.cells, layout, { paint, width }))
  return blocks
}

function variantLines({ workload }: MeasureResult, variant: string, { width }: Canvas): string[] {
  const task = workload.variants[variant] ?? variant
  const name = hasVariants(workload) && task !== variant ? `${variant} (task ${task})` : task
  const scout = workload.scout[variant]
  return wrapText(`${name}${scout ? `: ${describeScout(scout)}` : ''}`, width)
}

function describeScout({ callUs, cpuShare }: Scout): string {
  return `one inline call takes ${formatMs(callUs / 1000)}, ${formatPercent(cpuShare * 100)} of it CPU`
}

function groupLines(group: CellGroup, layout: TableLayout, { paint, width }: Canvas): string[] {
  const how = describeEnforcement(group.cells)
  const title = `${formatCpuLimit(group.cpus)}${how ? ` (${how})` : ''}`
  return [
    ...wrapText(title, width).map(paint.strong),
    ...group.cells.flatMap((cell) => tableRow(layout, cellRow(cell, isAdvised(cell, group.advice), paint))),
    ...group.cells.filter(hasErrors).flatMap((cell) => hangingText('    ', errorSentence(cell), width)),
  ]
}

function cellRow(cell: Cell, advised: boolean, paint: Paint): TextRow {
  const { latency, loopDelay, ratio } = cell
  const name = {
    text: `${advised ? '>' : ' '} ${configurationName(cell)}`,
    brush: advised ? paint.strong : undefined,
  }
  const note = cell.failed === null ? undefined : { text: oneLine(failureText(cell)), brush: paint.failure }
  const texts = [
    formatMs(latency.p50),
    formatMs(latency.p99),
    ...(cell.atRate === null
      ? ['', '']
      : cell.atRate.isKept
        ? [formatMs(cell.atRate.p50), formatMs(cell.atRate.p99)]
        : [dash, 'overload']),
    formatMs(loopDelay.p99),
    formatBytes(cell.memoryBytes),
    formatMs(finite(cell.cpuSecondsPerTask) === null ? null : Number(cell.cpuSecondsPerTask) * 1000),
    formatPercent(cell.throttled),
  ]
  return {
    cells: [
      name,
      { text: formatCount(cell.throughput.median) },
      { text: isBaseline(cell) ? '1' : formatRatio(ratio.value) },
      { text: isBaseline(cell) ? dash : formatRange(ratio.low, ratio.high, formatRatio) },
      isBaseline(cell)
        ? { text: 'baseline', brush: paint.faint }
        : {
            text: cellVerdict(cell),
            brush: paint.verdict[cell.verdict],
          },
      ...texts.map((text) => ({ text })),
    ],
    note,
  }
}

function hasErrors({ errorRate, failed }: Cell): boolean {
  return errorRate > 0 && failed === null
}

function errorSentence(cell: Cell): string {
  const message = cell.firstError === null ? '' : `; the first: ${oneLine(cell.firstError)}`
  return `${configurationName(cell)}: ${formatPercent(cell.errorRate * 100)} of the calls threw${message}`
}

/** Whether the column says anything in any row. */
function isUsed(cells: Cell[], index: number, paint: Paint): boolean {
  const texts = cells.map((cell) => cellRow(cell, false, paint).cells[index]?.text ?? '')
  return texts.some((text) => text !== '' && text !== dash)
}

function legendLines(cells: Cell[], layout: TableLayout, { paint, width }: Canvas): string[] {
  const measured = cells
    .filter(({ failed }) => failed === null)
    .map((cell) => cellRow(cell, false, paint).cells)
  const figures = layout.columns.map(({ index }) => index).filter((index) => index > intervalColumn)
  const dashed = measured.some((row) => figures.some((index) => row[index]?.text === dash))
  const legend = ['> advised; vs inline: calls per second over those of inline in the windows beside']
  const hidden = columns.filter(
    (_, index) => !layout.columns.some((kept) => kept.index === index) && isUsed(cells, index, paint),
  )
  if (hidden.length > 0)
    legend.push(
      `not shown for want of room: ${hidden.map(({ head }) => head.join(' ').trim().replace('- ', '').replace(' /', '/')).join(', ')}; --html and --json have all`,
    )
  const rate = cells.find(({ atRate }) => atRate !== null)?.atRate?.rate
  if (rate !== undefined)
    legend.push(
      `at rate: how long callers wait when ${formatCount(rate)} calls/s are due; overload: it cannot do so many`,
    )
  if (dashed) legend.push(`${dash} n too small, or not measurable here`)
  return legend.flatMap((text) => hangingText('  ', text, width)).map(paint.faint)
}
