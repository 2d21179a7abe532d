// The result of a comparison as text for a terminal: the answer, whether results are equal, the figures.

import type { CompareResult } from '../../results/compare-result.js'
import { compareHeads, comparisonTable, placeLine, resultLines } from '../figures/compare-figures.js'
import type { Canvas } from './paint.js'
import { hangingText, wrapText } from './plain-text.js'
import { machineLines, repeatLines } from './terminal-notes.js'
import { alignColumns } from './text-table.js'

/** What is left out first where the window is narrow: the name of a version, what it was in figures. */
const RANKS = [0, 3, 0, 2, 2, 0, 1, 0]

export function formatCompareResult(result: CompareResult, canvas: Canvas): string[][] {
  const { paint, width } = canvas
  const rows = comparisonTable(result)
  const [heads, ...lines] = alignColumns([compareHeads, ...rows], { width, ranks: RANKS })
  const isDiffering = result.results.differing > 0
  const place = placeLine(result)
  const results = resultLines(result).flatMap((line, i) => hangingText(i === 0 ? '' : '  ', line, width))
  return [
    wrapText(result.sentence, width).map(paint.strong),
    isDiffering ? results.map(paint.warning) : results,
    place === null ? [] : wrapText(place, width),
    rows.length === 0 ? [] : [paint.faint(heads!), ...lines],
    result.warmUps.flatMap((text) => hangingText('  - ', text, width)),
    machineLines(result, canvas),
    repeatLines(result.settings.command, canvas),
  ]
}
