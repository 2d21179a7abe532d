// The summary of a step of GitHub Actions: what was advised, the figures, and what was missed, as Markdown.

import type { CompareResult } from '../../measure/results/compare-result.js'
import type { MeasureResult } from '../../measure/results/result.js'
import type { ServerResult } from '../../measure/results/server-result.js'
import {
  cellVerdict,
  configurationName,
  failureText,
  isBaseline,
} from '../../measure/report/figures/cell-groups.js'
import {
  compareHeads,
  comparisonTable,
  placeLine,
  resultLines,
} from '../../measure/report/figures/compare-figures.js'
import { serverTables } from '../../measure/report/figures/server-figures.js'
import {
  formatCount,
  formatMs,
  formatRange,
  formatRatio,
} from '../../measure/report/figures/format-number.js'
import { appendOwnOutput } from '../../user/own-output.js'

/** Appends to the file that GitHub names; does nothing elsewhere. What cannot be written is told: it must not hide what was missed. */
export function writeStepSummary(summary: string, note: (text: string) => void, env = process.env): void {
  const path = env.GITHUB_STEP_SUMMARY
  if (!path) return
  try {
    appendOwnOutput(path, summary)
  } catch (error) {
    note(`The summary of the step was not written: ${(error as Error).message}`)
  }
}

/** Of a server. */
export function serverStepSummary({ advice, cells, server }: ServerResult): string {
  const title = server.file.split(/[\\/]/).at(-1) ?? server.file
  const tables = serverTables({ cells }).map(
    (table) =>
      `**${escape(table.title)}**\n\n${tableOf(
        table.columns,
        table.rows.map((row) => row.map((value) => String(value ?? ''))),
      )}`,
  )
  const parts = [`### threadwise: ${escape(title)}`, ...advice.map(({ sentence }) => escape(sentence))]
  return [...parts, ...tables, ''].join('\n\n')
}

export function stepSummary({ advice, cells, workload }: MeasureResult, missed: readonly string[]): string {
  const title = Object.values(workload.variants).join(', ')
  const heads = [
    'variant',
    'CPUs',
    'executor',
    'calls/s',
    'vs inline',
    '95 % interval',
    'verdict',
    'loop delay p99',
  ]
  const rows = cells.map((cell) => [
    cell.variant,
    String(cell.cpus),
    configurationName(cell),
    formatCount(cell.throughput.median),
    isBaseline(cell) ? '1' : formatRatio(cell.ratio.value),
    isBaseline(cell) ? '' : formatRange(cell.ratio.low, cell.ratio.high, formatRatio),
    cell.failed !== null ? failureText(cell) : isBaseline(cell) ? 'baseline' : cellVerdict(cell),
    formatMs(cell.loopDelay.p99),
  ])
  return [
    `### threadwise: ${escape(title)}`,
    ...advice.map(({ sentence }) => escape(sentence)),
    ...(missed.length > 0 ? [`**Missed:**\n\n${missed.map((text) => `- ${escape(text)}`).join('\n')}`] : []),
    tableOf(heads, rows),
    '',
  ].join('\n\n')
}

/** Of a comparison: short enough for a comment. */
export function compareStepSummary(result: CompareResult, missed: readonly string[]): string {
  const rows = comparisonTable(result)
  const told = rows.filter((row) => row.at(-1) !== 'same')
  const differing = result.results.differing > 0 ? resultLines(result) : []
  const shown = rows.length > MOST_ROWS ? told.slice(0, MOST_ROWS) : rows
  const left = rows.length - shown.length
  return [
    '### threadwise compare',
    escape(shortened(result.sentence)),
    ...(missed.length > 0 ? [`**Missed:**\n\n${missed.map((text) => `- ${escape(text)}`).join('\n')}`] : []),
    ...(differing.length > 0 ? [differing.map((text) => `- ${escape(text)}`).join('\n')] : []),
    ...[placeLine(result) ?? []].flat(),
    ...(shown.length > 0 ? [tableOf(compareHeads, shown)] : []),
    ...(left > 0 ? [`${left} more rows are the same, or do not fit here; the JSON has them.`] : []),
    '',
  ].join('\n\n')
}

/** A comment of GitHub holds 65536 characters. */
const MOST_ROWS = 120
const MOST_TEXT = 4000

function shortened(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} ...` : text
}

function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows]
    .map((row) => `| ${row.map(escape).join(' | ')} |`)
    .join('\n')
}

/** What would end a cell, or begin markup. */
function escape(text: string): string {
  return text.replace(/[|<>*_`\\]/g, '\\$&').replace(/\s*\n\s*/g, ' ')
}
