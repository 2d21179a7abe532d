// `threadwise pools` and `threadwise resize`: their options.

import { InvalidArgumentError, type Command } from 'commander'
import type { Size } from '../../runtime/executor/executor.js'
import { runPools, type PoolsFlags } from './run-pools.js'
import { runResize } from './run-resize.js'

export function addPoolCommands(program: Command): void {
  program
    .command('pools')
    .description('list the named pools of your running programs, with their load')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Programs are listed that were started with THREADWISE_CONTROL=1, or have pools with the option control: true.

Examples:
  THREADWISE_CONTROL=1 node server.js
  threadwise pools
  threadwise pools --json

Exit codes: 0 done, also when there are none; 1 failed; 2 wrong usage.`,
    )
    .action(async (flags: PoolsFlags) => {
      process.exitCode = await runPools(flags)
    })
  program
    .command('resize')
    .argument('<pid>', 'the process, as in threadwise pools', parsePid)
    .argument('<pool>', 'the name of the pool')
    .argument('<size>', 'workers: a number, or a range such as 1-4', parseSize)
    .description('change the number of workers of a pool while its program runs')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Surplus workers finish what they have.

Examples:
  threadwise resize 4711 render 4
  threadwise resize 4711 render 1-4

Exit codes: 0 done; 1 there is no such pool, or its program does not answer; 2 wrong usage, or a size that it refuses.`,
    )
    .action(async (pid: number, pool: string, size: Size, flags: PoolsFlags) => {
      process.exitCode = await runResize({ pid, pool, size }, flags)
    })
}

function parsePid(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be the number of a process.')
}

function parseSize(text: string): Size {
  const [, min, max] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? []
  if (min === undefined) throw new InvalidArgumentError('It must be a whole number, or a range such as 1-4.')
  return max === undefined ? Number(min) : { min: Number(min), max: Number(max) }
}
