// `threadwise measure`: measures, shows progress, prints the result, writes the files.

import { measure } from '../measure/measure.js'
import type { MeasureOptions } from '../measure/options.js'
import type { ExecutorName, MeasureResult } from '../measure/result.js'
import { saveProfile } from '../profile/save-profile.js'
import { renderHtml } from '../report/html.js'
import { formatResult } from '../report/terminal.js'
import { choicesToSave } from './choices-to-save.js'
import { createProgress } from './progress.js'
import { repeatCommand } from './repeat-command.js'
import { runInterruptibly } from './run-interruptibly.js'
import { writePage, writeResult } from './write-result.js'

export interface MeasureFlags {
  task?: string
  args?: unknown[][]
  executors?: ExecutorName[]
  sizes?: number[]
  concurrency?: number[]
  cpus?: number[]
  uv?: number[]
  rounds?: number
  quick?: boolean
  budget?: number
  worth?: number
  goal?: MeasureOptions['goal']
  seed?: number
  json?: string
  html?: string
  save?: boolean
}

/** The exit code. */
export async function runMeasure(file: string, flags: MeasureFlags): Promise<number> {
  const { json, html, save, ...options } = flags
  const progress = createProgress(process.stderr)
  const { result, signal } = await runInterruptibly(progress, (signal) => {
    progress.note('Looking at the machine and at the task ...')
    return measure(file, {
      ...options,
      signal,
      onProgress: (step) => progress.show(step),
      command: repeatCommand('measure', process.argv.slice(3)),
    })
  })
  if (result === null) return 130
  writeResult(result, json, formatResult)
  if (html !== undefined) writePage(html, renderHtml(result), (text) => progress.note(text))
  if (save) progress.note(saveAdvice(result))
  return exitCode(result, signal)
}

function saveAdvice(result: MeasureResult): string {
  if (!result.complete) return 'Not saved: the run was not completed.'
  const choices = choicesToSave(result)
  if (choices.length === 0) return 'Not saved: nothing could be told from this run.'
  return `Saved: ${saveProfile(result.workload.module, choices)}`
}

function exitCode(result: MeasureResult, signal: AbortSignal): number {
  if (signal.aborted) return 130
  if (result.noise.verdict === 'unusable') return 3
  return result.cells.every((cell) => cell.failed !== null) ? 1 : 0
}
