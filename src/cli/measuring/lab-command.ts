// `threadwise lab`: one subcommand for each experiment, with its parameters as options.

import type { Command } from 'commander'
import { checkCount, checkOption, checkWord } from '../../errors/check-options.js'
import type { Experiment, Parameters, Values } from '../../lab/runner/experiment.js'
import { experiments } from '../../lab/all-experiments.js'
import { parseNumber, parseNumbers, parseOutput } from '../terminal/parse-values.js'
import { runLab } from '../../lab/runner/run-lab.js'
import { renderLabHtml } from '../../measure/report/html.js'
import { formatLab } from '../../measure/report/terminal/terminal.js'
import { runInterruptibly } from '../terminal/interrupt.js'
import { createProgress, createProgressOf } from '../terminal/progress.js'
import { repeatCommand } from '../terminal/repeat-command.js'
import { describeServerStep } from './run-measure-server.js'
import { writePage, writeResult } from '../terminal/write-result.js'

export function addLabCommand(program: Command): void {
  const lab = program
    .command('lab')
    .description('ready experiments that show what this machine does')
    .addHelpText(
      'after',
      `\nExamples:\n  threadwise lab\n  threadwise lab files --count 20000\n  threadwise lab matrix --html matrix.html`,
    )
    .argument('[name]')
    .action((name?: string) => {
      if (name !== undefined)
        checkWord(
          'the name of the experiment',
          name,
          experiments.map((each) => each.name),
        )
      process.stdout.write(list())
    })
  for (const experiment of experiments) addExperiment(lab, experiment)
}

function addExperiment(lab: Command, experiment: Experiment): void {
  const command = lab.command(experiment.name).description(`${experiment.question} (${experiment.takes})`)
  for (const { flag, description, initial, isOutput } of Object.values(experiment.parameters)) {
    const shown = `${description} (default: ${String(initial)})`
    if (isOutput) command.option(flag, description, parseOutput)
    else if (typeof initial === 'string' || typeof initial === 'boolean') command.option(flag, description)
    else if (typeof initial === 'number') command.option(flag, shown, parseNumber)
    else command.option(flag, shown, parseNumbers)
  }
  command
    .option(
      '--budget <seconds>',
      'the comparisons take at most so long (default: by their number)',
      parseNumber,
    )
    .option('--rounds <n>', 'at most so many rounds', parseNumber)
    .option('--json <file>', 'write the result as JSON; - is standard output', parseOutput)
    .option('--html <file>', 'write the report as one HTML file', parseOutput)
    .action(async (flags: LabFlags) => {
      process.exitCode = await runLabCommand(experiment, flags)
    })
}

function list(): string {
  const lines = experiments.map(({ name, question, takes }) => `  ${name.padEnd(8)} ${question} (${takes})`)
  return [
    'Experiments that anyone can run on their own machine:',
    '',
    ...lines,
    '',
    'Run one: npx threadwise lab NAME (--help for its options)',
    '',
  ].join('\n')
}

// `threadwise lab NAME`: checks the values, runs the experiment, prints what it shows.

const MAX_ROUNDS = 100

export type LabFlags = Record<string, unknown> & {
  rounds?: number
  budget?: number
  json?: string
  html?: string
}

/** The exit code. */
export async function runLabCommand(experiment: Experiment, flags: LabFlags): Promise<number> {
  const { rounds, budget, json, html } = flags
  if (rounds !== undefined) checkCount('rounds', rounds, MAX_ROUNDS)
  const isTime = budget === undefined || budget > 0
  checkOption(isTime, 'budget', 'a number of seconds', budget)
  const values = valuesOf(experiment.parameters, flags)
  const progress = createProgress(process.stderr)
  const servers = createProgressOf(process.stderr, describeServerStep)
  const { result, signal } = await runInterruptibly(progress, (signal) => {
    progress.note(`${experiment.question} (${experiment.takes})`)
    return runLab(experiment, values, {
      rounds,
      budget,
      signal,
      onProgress: (step) => progress.show(step),
      onServer: (step) => servers.show(step),
      command: repeatCommand('lab', process.argv.slice(3)),
    }).finally(() => servers.end())
  })
  if (result === null) return 130
  writeResult(result, json, formatLab)
  if (html !== undefined) writePage(html, renderLabHtml(result), (text) => progress.note(text))
  if (signal.aborted) return 130
  return result.noise.verdict === 'unusable' ? 3 : 0
}

function valuesOf<P extends Parameters>(parameters: P, flags: LabFlags): Values<P> {
  const entries = Object.entries(parameters).map(([name, { initial, least = 1, most = Infinity }]) => {
    const value = flags[name] ?? initial
    if (typeof initial === 'string' || typeof initial === 'boolean') return [name, value] // a path: whoever opens it says what is wrong with it
    const wrong = [value].flat().find((item) => !isAtLeast(least, item) || Number(item) > most)
    const kind =
      least === 'fraction' ? `numbers above 0, up to ${most}` : `whole numbers from ${least} to ${most}`
    checkOption(wrong === undefined, name, `made of ${kind}`, wrong)
    return [name, value]
  })
  return Object.fromEntries(entries) as Values<P>
}

function isAtLeast(least: number | 'fraction', value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false
  return least === 'fraction' ? value > 0 : Number.isInteger(value) && value >= least
}
