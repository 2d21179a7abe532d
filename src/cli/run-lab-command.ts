// `threadwise lab NAME`: checks the values, runs the experiment, prints what it shows.

import { checkOption } from '../errors.js'
import type { Experiment, Parameters, Values } from '../lab/experiment.js'
import { runLab } from '../lab/run-lab.js'
import { renderLabHtml } from '../report/html.js'
import { formatLab } from '../report/terminal.js'
import { abortOnSignals } from './abort-on-signals.js'
import { createProgress, createProgressOf } from './progress.js'
import { repeatCommand } from './repeat-command.js'
import { describeServerStep } from './run-measure-server.js'
import { writePage, writeResult } from './write-result.js'

export type LabFlags = Record<string, unknown> & { rounds?: number; json?: string; html?: string }

/** The exit code. */
export async function runLabCommand(experiment: Experiment, flags: LabFlags): Promise<number> {
  const { rounds, json, html } = flags
  const isCount = rounds === undefined || (Number.isInteger(rounds) && rounds >= 1 && rounds <= 100)
  checkOption(isCount, 'rounds', 'a whole number from 1 to 100', rounds)
  const values = valuesOf(experiment.parameters, flags)
  const progress = createProgress(process.stderr)
  const servers = createProgressOf(process.stderr, describeServerStep)
  const interrupted = abortOnSignals()
  progress.note(`${experiment.question} (${experiment.takes})`)
  const result = await runLab(experiment, values, {
    rounds,
    signal: interrupted.signal,
    onProgress: (step) => progress.show(step),
    onServer: (step) => servers.show(step),
    command: repeatCommand('lab', process.argv.slice(3)),
  }).finally(() => {
    progress.end()
    servers.end()
    interrupted.release()
  })
  writeResult(result, json, formatLab)
  if (html !== undefined) writePage(html, renderLabHtml(result), (text) => progress.note(text))
  if (interrupted.signal.aborted) return 130
  return result.noise.verdict === 'unusable' ? 3 : 0
}

function valuesOf<P extends Parameters>(parameters: P, flags: LabFlags): Values<P> {
  const entries = Object.entries(parameters).map(([name, { initial, least = 1 }]) => {
    const value = flags[name] ?? initial
    if (typeof initial === 'string' || typeof initial === 'boolean') return [name, value] // a path: whoever opens it says what is wrong with it
    const isValid = [value].flat().every((item) => isAtLeast(least, item))
    const kind =
      least === 'fraction' ? 'made of numbers above 0' : `made of whole numbers of at least ${least}`
    checkOption(isValid, name, kind, value)
    return [name, value]
  })
  return Object.fromEntries(entries) as Values<P>
}

function isAtLeast(least: number | 'fraction', value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false
  return least === 'fraction' ? value > 0 : Number.isInteger(value) && value >= least
}
