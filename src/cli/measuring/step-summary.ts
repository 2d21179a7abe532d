// The summary of a step of GitHub Actions: what was advised, the figures, and what was missed, as Markdown.

import { appendFileSync } from 'node:fs'
import type { MeasureResult } from '../../measure/results/result.js'
import { cellVerdict, configurationName, isBaseline } from '../../measure/report/figures/cell-groups.js'
import {
  formatCount,
  formatMs,
  formatRange,
  formatRatio,
} from '../../measure/report/figures/format-number.js'

/** Appends to the file that GitHub names; does nothing elsewhere. */
export function writeStepSummary(result: MeasureResult, missed: readonly string[], env = process.env): void {
  const path = env.GITHUB_STEP_SUMMARY
  if (path) appendFileSync(path, stepSummary(result, missed))
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
    cell.failed !== null ? `failed: ${cell.failed}` : isBaseline(cell) ? 'baseline' : cellVerdict(cell),
    formatMs(cell.loopDelay.p99),
  ])
  const table = [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.map(escape).join(' | ')} |`)
  return [
    `### threadwise: ${escape(title)}`,
    ...advice.map(({ sentence }) => escape(sentence)),
    ...(missed.length > 0 ? [`**Missed:**\n\n${missed.map((text) => `- ${escape(text)}`).join('\n')}`] : []),
    table.join('\n'),
    '',
  ].join('\n\n')
}

/** What would end a cell, or begin markup. */
function escape(text: string): string {
  return text.replace(/[|<>*_`\\]/g, '\\$&').replace(/\s*\n\s*/g, ' ')
}
