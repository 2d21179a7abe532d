// The parts of the page of a comparison: the answer, the intervals, the figures.

import type { CompareResult, Comparison } from '../../results/compare-result.js'
import { compareHeads, comparisonTable, placeLine, resultLines } from '../figures/compare-figures.js'
import { markup, type Markup } from '../markup/markup.js'
import { figure } from '../markup/page.js'
import { badge } from '../markup/verdict-badge.js'
import { logScale } from '../plots/axis-scale.js'
import { labTable } from './html-table.js'

export function compareAnswer(result: CompareResult): Markup {
  const ended = result.complete
    ? null
    : markup`<p class="notice">The run was interrupted. The figures below are what there was until then.</p>`
  const lines = [...resultLines(result), ...[placeLine(result) ?? []].flat()].map(
    (line) => markup`<li>${line}</li>`,
  )
  return markup`<section class="answer"><h1>Is it slower?</h1><p class="sentence">${result.sentence}</p><ul class="plain">${lines}</ul>${ended}</section>\n`
}

const ROW = { height: 26, bar: 3 }

/** A line for each interval, all on one scale: left of the middle is less. */
export function compareIntervals({ comparisons }: CompareResult): Markup | null {
  if (comparisons.length === 0) return null
  const values = comparisons.flatMap(({ ratio: { low, high } }) => [clamped(low), clamped(high)])
  const scale = logScale([...values, 0.9, 1.1], 6)
  const rows = comparisons.map((comparison) => intervalRow(comparison, (value) => scale.at(clamped(value))))
  const caption =
    'Each line is the interval of new over old: left of the line in the middle the new version needs less, right of it more (of requests per second it is the other way round).'
  return figure('New over old', caption, markup`<table class="data"><tbody>${rows}</tbody></table>`)
}

function clamped(value: number): number {
  return Number.isFinite(value) ? Math.min(10, Math.max(0.1, value)) : 1
}

function intervalRow(
  { workload, name, metric, ratio, verdict }: Comparison,
  at: (value: number) => number,
): Markup {
  const [low, high, value, one] = [ratio.low, ratio.high, ratio.value, 1].map(at) as [
    number,
    number,
    number,
    number,
  ]
  const middle = ROW.height / 2
  const svg = markup`<svg width="100%" height="${ROW.height}" role="img" aria-label="${metric} ${ratio.value.toFixed(3)}"><line x1="${one}%" x2="${one}%" y1="0" y2="${ROW.height}" stroke="currentColor" stroke-opacity="0.4"/><line x1="${low}%" x2="${high}%" y1="${middle}" y2="${middle}" stroke="currentColor" stroke-width="${ROW.bar}"/><circle cx="${value}%" cy="${middle}" r="5" fill="currentColor"/></svg>`
  return markup`<tr><td class="text">${workload}, ${name}</td><td class="text">${metric}</td><td class="text" style="width:45%">${svg}</td><td class="text">${badge(verdict, verdict === 'cannot-tell' ? 'cannot tell' : verdict)}</td></tr>\n`
}

export function compareTable(result: CompareResult): Markup {
  return labTable({ title: 'Old and new', columns: compareHeads, rows: comparisonTable(result) })
}
