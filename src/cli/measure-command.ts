// `threadwise measure`: its options.

import type { Command } from 'commander'
import { parseArgumentLists, parseGoal, parseNumber, parseNumbers, parseWords } from './parse-values.js'
import { runMeasure, type MeasureFlags } from './run-measure.js'

export function addMeasureCommand(program: Command): void {
  program
    .command('measure')
    .argument('<file>', 'a workload file, or a task module with --task')
    .description('measure a task on every executor and CPU limit, and say which one to use')
    .option('--task <name>', 'exported function of a task module to measure')
    .option('--args <json>', "argument lists for --task, cycled: '[[1, 2], [3, 4]]'", parseArgumentLists)
    .option('--executors <list>', 'of inline,concurrent,threads,processes (default: all)', parseWords)
    .option('--sizes <list>', 'workers of threads and processes (default: 1, 2, 4 ... CPUs)', parseNumbers)
    .option('--concurrency <list>', 'open calls of concurrent (default: by what the task does)', parseNumbers)
    .option('--cpus <list>', 'CPU limits, such as 0.6,1,2 (default: what this process has)', parseNumbers)
    .option('--uv <list>', "sizes of libuv's thread pool to try, if the task uses it", parseNumbers)
    .option('--rounds <n>', 'rounds; fewer than 6 give no verdict (default: 8)', parseNumber)
    .option('--quick', 'shorter trials and 6 rounds: within 45 s for one task, two sizes, one limit')
    .option('--budget <seconds>', 'the whole run takes at most about this long', parseNumber)
    .option('--worth <factor>', 'how much faster than inline is worth it (default: 1.2)', parseNumber)
    .option('--goal <goal>', 'throughput, or responsive=MS: p99 of the loop delay stays below', parseGoal)
    .option('--seed <n>', 'order of the trials and of the statistics (default: from the clock)', parseNumber)
    .option('--json <file>', 'write the result as JSON; - is standard output')
    .option('--html <file>', 'write the report as one HTML file')
    .option('--save', 'write the advice to threadwise.json, for executor()')
    .addHelpText(
      'after',
      `
Examples:
  threadwise measure render.workload.js --cpus 0.6,1,2 --html report.html
  threadwise measure tasks.js --task render --args '[[{"me":"Ada"}]]' --quick
  threadwise measure tasks.js --task readOne --uv 4,8,16
  threadwise measure render.workload.js --goal responsive=20 --save`,
    )
    .action(async (file: string, flags: MeasureFlags) => {
      process.exitCode = await runMeasure(file, flags)
    })
}
