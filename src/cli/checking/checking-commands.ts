// The command that checks a build, or the sources, before they run.

import { Option, type Command } from 'commander'
import { parseOutput } from '../terminal/parse-values.js'
import { INSIDE, loadInside } from './load-module.js'
import { runCheck } from './run-check.js'

export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .argument('[files...]', 'files and folders of your program, built or not (default: .)')
    .description('load each task module that your program names, as its workers would')
    .option('--json <file>', 'write the result as JSON; - is standard output', parseOutput)
    .addOption(new Option(INSIDE).hideHelp())
    .addHelpText('after', examples)
    .action(async (files: string[], { json, inside }: { json?: string; inside?: boolean }) => {
      if (inside) return loadInside(files)
      process.exitCode = await runCheck(files.length > 0 ? files : ['.'], json)
    })
}

const examples = `
Examples:
  threadwise check dist
  NODE_OPTIONS='--import tsx' threadwise check src

Exit codes: 0 all load, 1 one does not, or none was found, 2 wrong usage.`
