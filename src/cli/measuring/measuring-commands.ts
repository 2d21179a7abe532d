// The commands that measure. `threadwise serve` stays in memory for months, so it does not load what it does not need.

import type { Command } from 'commander'
import { addCompareCommand } from './compare-command.js'
import { addDoctorCommand } from './doctor-command.js'
import { addLabCommand } from './lab-command.js'
import { addLoadCommand } from './load-command.js'
import { addMeasureCommand } from './measure-command.js'
import { addPlanCommand } from './plan-command.js'
import { runCpus } from './run-cpus.js'

export function addMeasuringCommands(program: Command): void {
  addMeasureCommand(program)
  program
    .command('cpus')
    .description('show how many CPUs this process really has, and why')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => {
      process.exitCode = runCpus({ json: options.json ?? false })
    })
  addLabCommand(program) // its initial values are those of this machine, which THREADWISE_CPUS may describe wrongly
  addLoadCommand(program)
  addDoctorCommand(program)
  addCompareCommand(program)
  addPlanCommand(program)
}
