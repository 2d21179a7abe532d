// The result of a measurement as text for a terminal: the verdict first, then what it rests on.

import type { CompareResult } from '../../results/compare-result.js'
import type { DoctorResult } from '../../results/doctor-result.js'
import type { LabResult } from '../../results/lab-result.js'
import type { LoadResult } from '../../results/load-result.js'
import type { PlanResult } from '../../results/plan-result.js'
import type { Advice, MeasureResult } from '../../results/result.js'
import type { ServerResult } from '../../results/server-result.js'
import { groupTitle, hasVariants } from '../figures/cell-groups.js'
import { formatCpuLimit } from '../figures/format-number.js'
import { createPaint, type Canvas } from './paint.js'
import { hangingText, oneLine, textWidth, wrapText } from './plain-text.js'
import { cellSection } from './terminal-cells.js'
import { formatCompareResult } from './terminal-compare.js'
import { formatDoctorResult } from './terminal-doctor.js'
import { formatLabResult } from './terminal-lab.js'
import { formatLoadResult } from './terminal-load.js'
import { findingLines, machineLines, repeatLines, skippedLines } from './terminal-notes.js'
import { formatPlanResult } from './terminal-plan.js'
import { predictionLines } from './terminal-predictions.js'
import { formatServerResult } from './terminal-server.js'

export interface TerminalOptions {
  /** Whether to write ANSI colours; the caller knows about NO_COLOR and the stream. */
  color: boolean
  /** Columns of the terminal; less than 40 counts as 40. */
  width: number
}

const narrowest = 40

/**
 * The result as lines of at most `width` columns, ending with a newline.
 *
 * @example
 * process.stdout.write(formatResult(result, { color: process.stdout.isTTY, width: process.stdout.columns ?? 80 }))
 */
export function formatResult(result: MeasureResult, options: TerminalOptions): string {
  const canvas = createCanvas(options)
  return joinSections([
    verdictLines(result, canvas),
    ...cellSection(result, canvas),
    findingLines(result, canvas),
    skippedLines(result, canvas),
    predictionLines(result, canvas),
    machineLines(result, canvas),
    repeatLines(result.settings.command, canvas),
    adviceLines(result, canvas), // once more: a long report has pushed the first one off the screen
  ])
}

/** A lab result in the same manner as {@link formatResult}. */
export function formatLab(result: LabResult, options: TerminalOptions): string {
  return joinSections(formatLabResult(result, createCanvas(options)))
}

/** The result of a load run in the same manner as {@link formatResult}. */
export function formatLoad(result: LoadResult, options: TerminalOptions): string {
  return joinSections(formatLoadResult(result, createCanvas(options)))
}

/** The measurement of a server in the same manner as {@link formatResult}. */
export function formatServer(result: ServerResult, options: TerminalOptions): string {
  return joinSections(formatServerResult(result, createCanvas(options)))
}

/** A diagnosis in the same manner as {@link formatResult}. */
export function formatDoctor(result: DoctorResult, options: TerminalOptions): string {
  return joinSections(formatDoctorResult(result, createCanvas(options)))
}

/** A comparison of versions in the same manner as {@link formatResult}. */
export function formatCompare(result: CompareResult, options: TerminalOptions): string {
  return joinSections(formatCompareResult(result, createCanvas(options)))
}

/** A plan in the same manner as {@link formatResult}. */
export function formatPlan(result: PlanResult, options: TerminalOptions): string {
  return joinSections(formatPlanResult(result, createCanvas(options)))
}

function createCanvas({ color, width }: TerminalOptions): Canvas {
  return { paint: createPaint(color), width: Math.max(narrowest, Math.floor(width) || narrowest) }
}

function joinSections(sections: string[][]): string {
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** The advice, and whether it rests on everything that was planned. */
function verdictLines(result: MeasureResult, canvas: Canvas): string[] {
  const { paint, width } = canvas
  const lines = adviceLines(result, canvas)
  if (result.complete) return lines
  const warning =
    'The run ended before everything was measured; the figures below are what there was until then.'
  return [...lines, ...wrapText(warning, width).map(paint.warning)]
}

function adviceLines({ advice, workload }: MeasureResult, { paint, width }: Canvas): string[] {
  // A sentence that names its limit needs no label; all get one as soon as one sentence does.
  const labelled = advice.some((one) => !namesItsGroup(one, hasVariants(workload)))
  const labels = advice.map((one) => (labelled ? `${oneLine(groupTitle(one, workload))}:` : ''))
  const room = Math.max(...labels.map(textWidth), 0) + 1
  const lines = advice.flatMap(({ sentence }, index) => {
    const label = labels[index] ?? ''
    if (!labelled) return wrapText(sentence, width).map(paint.strong)
    if (room > width / 3)
      return [...wrapText(label, width), ...hangingText('  ', sentence, width).map(paint.strong)]
    return hangingText(label.padEnd(room), sentence, width).map(paint.strong)
  })
  if (advice.length === 0)
    lines.push(...wrapText('No verdict: there is nothing to compare.', width).map(paint.strong))
  return lines
}

function namesItsGroup({ sentence, cpus, variant }: Advice, variants: boolean): boolean {
  return sentence.includes(formatCpuLimit(cpus)) && (!variants || sentence.includes(variant))
}
