// A measured server for the terminal: what to run, the figures, why.

import type { ServerResult } from '../../results/server-result.js'
import { describeEvidence } from '../figures/describe-run.js'
import { formatCpuLimit } from '../figures/format-number.js'
import type { Canvas } from './paint.js'
import { hangingText, wrapText } from './plain-text.js'
import { serverTables } from '../figures/server-figures.js'
import { labTable } from './terminal-lab.js'
import { machineLines, repeatLines, skippedLines } from './terminal-notes.js'

/** The sections in order, each a list of lines. */
export function formatServerResult(result: ServerResult, canvas: Canvas): string[][] {
  const { paint, width } = canvas
  const ended =
    'The run ended before everything was measured; the figures below are what there was until then.'
  const verdicts = result.advice.flatMap(({ sentence }) => wrapText(sentence, width)).map(paint.strong)
  const none = wrapText('No verdict: there is nothing to compare.', width).map(paint.strong)
  return [
    [
      ...(verdicts.length > 0 ? verdicts : none),
      ...(result.complete ? [] : wrapText(ended, width).map(paint.warning)),
    ],
    ...serverTables(result).map((table) => labTable(table, canvas)),
    result.advice.flatMap(({ cpus, reasons }) =>
      reasons.flatMap((reason) => {
        const lead = reason.level === 'warning' ? '! ' : '- '
        const lines = hangingText(lead, `${formatCpuLimit(cpus)}: ${reason.sentence}`, width)
        const evidence = describeEvidence(reason)
        const shown = reason.level === 'warning' ? lines.map(paint.warning) : lines
        return [...shown, ...(evidence ? hangingText('  ', evidence, width).map(paint.faint) : [])]
      }),
    ),
    skippedLines(result, canvas),
    machineLines(result, canvas),
    repeatLines(result.settings.command, canvas),
    verdicts, // once more: a long report has pushed the first one off the screen
  ]
}
