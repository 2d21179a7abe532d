// `threadwise measure --server`: measures, shows progress, prints the result, writes the files.

import { pathToFileURL } from 'node:url'
import { measureServer } from '../../measure/server/measure-server.js'
import type { ServerProgress } from '../../measure/server/options.js'
import type { ServerResult } from '../../measure/results/server-result.js'
import { saveServerProfile } from '../../runtime/profile/server-profile.js'
import { formatCpuLimit, formatRatio } from '../../measure/report/figures/format-number.js'
import { renderServerHtml } from '../../measure/report/html.js'
import { formatServer } from '../../measure/report/terminal/terminal.js'
import { createProgressOf, type StepText } from '../terminal/progress.js'
import { serverStepSummary, writeStepSummary } from './step-summary.js'
import { repeatCommand } from '../terminal/repeat-command.js'
import { runInterruptibly } from '../terminal/interrupt.js'
import { writePage, writeResult } from '../terminal/write-result.js'

export interface MeasureServerFlags {
  path?: string
  offloadPath?: string
  cpus?: number[]
  instances?: number[]
  connections?: number
  rate?: number
  rounds?: number
  quick?: boolean
  budget?: number
  worth?: number
  seed?: number
  json?: string
  html?: string
  save?: boolean
}

/** The exit code. */
export async function runMeasureServer(
  file: string,
  args: readonly string[],
  flags: MeasureServerFlags,
): Promise<number> {
  const { json, html, save, ...options } = flags
  const progress = createProgressOf(process.stderr, describeServerStep)
  const { result, signal } = await runInterruptibly(progress, (signal) => {
    progress.note('Looking at the machine and at the server ...')
    return measureServer(file, {
      ...options,
      args,
      signal,
      onProgress: (step) => progress.show(step),
      command: repeatCommand('measure', process.argv.slice(3)),
    })
  })
  if (result === null) return 130
  writeResult(result, json, formatServer)
  if (html !== undefined) writePage(html, renderServerHtml(result), (text) => progress.note(text))
  writeStepSummary(serverStepSummary(result), (text) => progress.note(text))
  if (save) progress.note(saveAdvice(file, result))
  return exitCode(result, signal)
}

/** A line of progress. */
export function describeServerStep(step: ServerProgress): StepText {
  const { cpus, comparison, comparisons, phase, seconds, budgetSeconds, live, best } = step
  const which = comparisons > 1 ? ` (${comparison}/${comparisons})` : ''
  const leader = best === null ? '' : `; ${best.name} leads with ${formatRatio(best.ratio)}`
  const what = phase === 'measuring' ? `comparing ${live} with one process${leader}` : phase
  const time = `${Math.round(seconds)} of at most ${Math.round(budgetSeconds)} s`
  return { text: `${time}, at ${formatCpuLimit(cpus)}${which}: ${what}`, part: `${comparison} ${phase}` }
}

function saveAdvice(file: string, { advice, complete, date, machine }: ServerResult): string {
  if (!complete) return 'Not saved: the run was not completed.'
  const choices = advice
    .filter(({ isSettled }) => isSettled)
    .map(({ cpus, instances, sentence }) => ({
      cpus,
      instances,
      sentence,
      measuredAt: date,
      node: machine.node,
    }))
  if (choices.length === 0) {
    const isKnown = advice.some(({ verdict }) => verdict !== 'cannot-tell')
    return `Not saved: ${isKnown ? 'what could not be told might change the advice' : 'nothing could be told from this run'}.`
  }
  return `Saved: ${saveServerProfile(pathToFileURL(file).href, choices)}`
}

function exitCode({ noise, cells }: ServerResult, signal: AbortSignal): number {
  if (signal.aborted) return 130
  const measured = cells.filter(({ failed }) => failed === null)
  if (measured.length === 0) return 1
  const isLimited = measured.every(({ limitedBecause }) => limitedBecause !== null)
  return noise.verdict === 'unusable' || isLimited ? 3 : 0
}
