// `threadwise measure`: measures, shows progress, prints the result, writes the files.

import { missedExpectations, slowerThan, type Expectation } from '../../measure/gate.js'
import { measure } from '../../measure/measure.js'
import type { MeasureOptions } from '../../measure/options.js'
import type { ExecutorName, MeasureResult } from '../../measure/results/result.js'
import { saveProfile, type SavedChoice } from '../../runtime/profile/profile.js'
import { renderHtml } from '../../measure/report/html.js'
import { formatResult } from '../../measure/report/terminal/terminal.js'
import { defaultConnection } from '../terminal/connection.js'
import { createProgress } from '../terminal/progress.js'
import { repeatCommand } from '../terminal/repeat-command.js'
import { runInterruptibly } from '../terminal/interrupt.js'
import { writePage, writeResult } from '../terminal/write-result.js'
import { linesAfterMeasure } from './lines-to-paste.js'
import { stepSummary, writeStepSummary } from './step-summary.js'

export interface MeasureFlags {
  task?: string
  args?: unknown[][]
  executors?: ExecutorName[]
  connection?: string
  sizes?: number[]
  concurrency?: number[]
  cpus?: number[]
  uv?: number[]
  rounds?: number
  precision?: number
  quick?: boolean
  budget?: number
  worth?: number
  goal?: MeasureOptions['goal']
  rate?: number
  seed?: number
  json?: string
  html?: string
  save?: boolean
  expect?: Expectation[]
  baseline?: Pick<MeasureResult, 'cells'>
}

/** The exit code. */
export async function runMeasure(file: string, flags: MeasureFlags): Promise<number> {
  const { json, html, save, expect = [], baseline, ...options } = flags
  const connection =
    options.connection ?? (options.executors?.includes('bullmq') ? defaultConnection() : undefined)
  const progress = createProgress(process.stderr)
  const { result, signal } = await runInterruptibly(progress, (signal) => {
    progress.note('Looking at the machine and at the task ...')
    return measure(file, {
      ...options,
      connection,
      signal,
      onProgress: (step) => progress.show(step),
      command: repeatCommand('measure', process.argv.slice(3)),
    })
  })
  if (result === null) return 130
  writeResult(result, json, formatResult)
  if (json !== '-') process.stdout.write(linesAfterMeasure(result))
  if (html !== undefined) writePage(html, renderHtml(result), (text) => progress.note(text))
  if (save) progress.note(saveAdvice(result))
  const missed = isUnusable(result) ? [] : missedBy(result, expect, baseline)
  if (isUnusable(result) && (expect.length > 0 || baseline !== undefined))
    progress.note('Not checked: this machine was too busy for a verdict.')
  writeStepSummary(stepSummary(result, missed), (text) => progress.note(text))
  for (const sentence of missed) progress.note(`Missed: ${sentence}`)
  return exitCode(result, signal, missed.length > 0)
}

function missedBy(
  result: MeasureResult,
  expected: readonly Expectation[],
  baseline: MeasureFlags['baseline'],
): string[] {
  const slower = baseline === undefined ? [] : slowerThan(baseline, result)
  return [...missedExpectations(result, expected), ...slower]
}

function isUnusable({ noise }: MeasureResult): boolean {
  return noise.verdict === 'unusable'
}

function saveAdvice(result: MeasureResult): string {
  if (!result.complete) return 'Not saved: the run was not completed.'
  const choices = choicesToSave(result)
  if (choices.length === 0) return 'Not saved: nothing could be told from this run.'
  return `Saved: ${saveProfile(result.workload.module, choices)}`
}

function exitCode(result: MeasureResult, signal: AbortSignal, isMissed: boolean): number {
  if (signal.aborted) return 130
  if (result.cells.every((cell) => cell.failed !== null)) return 1 // without a figure the machine is not to blame
  if (isUnusable(result)) return 3
  return isMissed ? 1 : 0
}

// Which advice of a measurement deserves to be followed later by executor().

/**
 * Leaves out what is not settled, and tasks whose variants (the same function with other inputs) got different advice
 * under one limit: a program that calls the function does not say which variant it means.
 */
export function choicesToSave({ advice, noise, workload, date, machine }: MeasureResult): SavedChoice[] {
  if (noise.verdict === 'unusable') return []
  const choices = advice
    .filter(({ isSettled }) => isSettled)
    .map(({ cpus, variant, executor, size, sentence }): SavedChoice => ({
      task: workload.variants[variant]!,
      cpus,
      executor,
      size,
      sentence,
      measuredAt: date,
      node: machine.node,
    }))
  return choices.filter((choice, index) => {
    const alike = choices.filter(({ task, cpus }) => task === choice.task && cpus === choice.cpus)
    const isFirst =
      choices.findIndex(({ task, cpus }) => task === choice.task && cpus === choice.cpus) === index
    return (
      isFirst && alike.every(({ executor, size }) => executor === choice.executor && size === choice.size)
    )
  })
}
