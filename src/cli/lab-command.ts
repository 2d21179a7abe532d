// `threadwise lab`: one subcommand for each experiment, with its parameters as options.

import type { Command } from 'commander'
import { checkOption } from '../errors.js'
import type { Experiment } from '../lab/experiment.js'
import { experiments } from '../lab/experiments.js'
import { parseNumber, parseNumbers, parseOutput } from './parse-values.js'
import { runLabCommand, type LabFlags } from './run-lab-command.js'

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
      const names = experiments.map((each) => each.name).join(', ')
      checkOption(name === undefined, 'the name of the experiment', `one of ${names}`, name)
      process.stdout.write(list())
    })
  for (const experiment of experiments) addExperiment(lab, experiment)
}

function addExperiment(lab: Command, experiment: Experiment): void {
  const command = lab.command(experiment.name).description(`${experiment.question} (${experiment.takes})`)
  for (const { flag, description, initial } of Object.values(experiment.parameters)) {
    const shown = `${description} (default: ${String(initial)})`
    if (typeof initial === 'string' || typeof initial === 'boolean') command.option(flag, description)
    else if (typeof initial === 'number') command.option(flag, shown, parseNumber)
    else command.option(flag, shown, parseNumbers)
  }
  command
    .option('--rounds <n>', 'rounds; fewer than 6 give no verdict', parseNumber)
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
