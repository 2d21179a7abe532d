// `threadwise measure`: its options.

import type { Command } from 'commander'
import { checkOption } from '../../errors/check-options.js'
import { DEFAULT_CONNECTION } from '../terminal/connection.js'
import {
  ARGUMENT_LISTS,
  parseArgumentLists,
  parseGoal,
  parseNumber,
  parseNumbers,
  parseOutput,
  parseWords,
} from '../terminal/parse-values.js'
import { parseBaseline, parseExpected } from './parse-gate.js'
import { runMeasure, type MeasureFlags } from './run-measure.js'
import { runMeasureServer, type MeasureServerFlags } from './run-measure-server.js'

const ofTasks = [
  'task',
  'args',
  'executors',
  'connection',
  'sizes',
  'concurrency',
  'uv',
  'goal',
  'precision',
  'expect',
  'baseline',
]
const ofServers = ['path', 'offloadPath', 'instances', 'connections']

export function addMeasureCommand(program: Command): void {
  const command = program
    .command('measure')
    .argument(
      '<file>',
      'a workload file; with --task a task module; with --server the file that starts the server',
    )
    .argument('[args...]', 'with --server, after --: for the file')
    .description('measure a task on every executor and CPU limit (or a server), and say which one to use')
  addTaskOptions(command)
  addServerOptions(command)
  addSharedOptions(command)
  command.addHelpText('after', examples).action(async (file: string, args: string[], flags: Flags) => {
    const { server = false, ...others } = flags
    checkFlags(server, others)
    const isUsed = server || args.length === 0
    checkOption(isUsed, 'args', 'given by --args: only a server gets words after --', args.join(' '))
    process.exitCode = await (server ? runMeasureServer(file, args, others) : runMeasure(file, others))
  })
}

type Flags = MeasureFlags & MeasureServerFlags & { server?: boolean }

const examples = `
Examples:
  threadwise measure render.workload.js --cpus 0.6,1,2 --html report.html
  threadwise measure tasks.js --task render --args '[[{"me":"Ada"}]]' --quick
  threadwise measure tasks.js --task readOne --uv 4,8,16
  threadwise measure render.workload.js --executors inline,threads,bullmq --connection redis://localhost
  threadwise measure render.workload.js --goal responsive=20 --save
  threadwise measure --server server.js --path / --cpus 0.6,1,2 --save
  threadwise measure --server server.js --path /main --offload-path /offload --quick
  threadwise measure --server server.js --rate 200 -- --config production.json`

function addTaskOptions(command: Command): void {
  command
    .optionsGroup('A task:')
    .option('--task <name>', 'the exported function of a task module to measure')
    .option('--args <json>', ARGUMENT_LISTS, parseArgumentLists)
    .option(
      '--executors <list>',
      'some of inline,concurrent,threads,processes,bullmq (default: all but bullmq)',
      parseWords,
    )
    .option(
      '--connection <url>',
      `with the executor bullmq: the store (default: THREADWISE_CONNECTION, or ${DEFAULT_CONNECTION})`,
    )
    .option('--sizes <list>', 'numbers of threads and processes (default: 1, 2, 4 ... CPUs)', parseNumbers)
    .option(
      '--concurrency <list>',
      'numbers of open calls of concurrent (default: by what the task does)',
      parseNumbers,
    )
    .option('--uv <list>', "sizes of libuv's thread pool to try, if the task uses it", parseNumbers)
    .option('--goal <goal>', 'throughput, or responsive=MS: p99 of the loop delay stays below', parseGoal)
    .option(
      '--precision <share>',
      'how well the best must be known: 0.1 is 10 % (default: 0.07)',
      parseNumber,
    )
    .option(
      '--expect <what>',
      "exit code 1 unless: 'faster=threads', 'ratio>=1.3'; may be repeated",
      parseExpected,
    )
    .option(
      '--baseline <file>',
      'exit code 1 where a gain is less than in this JSON (of code: see compare)',
      parseBaseline,
    )
}

function addServerOptions(command: Command): void {
  command
    .optionsGroup('A server:')
    .option('--server', 'the file starts an HTTP server: one process against clusters of several sizes')
    .option('--path <path>', 'with --server: the path to ask for (default: /)')
    .option('--offload-path <path>', 'with --server: a path that does the same work on threads')
    .option(
      '--instances <list>',
      'with --server: sizes of the cluster (default: 1 to the limit, and one more)',
      parseNumbers,
    )
    .option('--connections <n>', 'with --server: connections of the load, at most (default: 32)', parseNumber)
}

function addSharedOptions(command: Command): void {
  command
    .optionsGroup('How it is measured, and what is written:')
    .option('--cpus <list>', 'CPU limits, such as 0.6,1,2 (default: what this process has)', parseNumbers)
    .option(
      '--budget <seconds>',
      'the whole run takes at most so long (default: 60 for each task and limit)',
      parseNumber,
    )
    .option('--quick', 'at most 40 s in all, and 10 % are precise enough')
    .option('--rounds <n>', 'at most so many rounds (default: as many as the budget allows)', parseNumber)
    .option(
      '--worth <n>',
      'times as fast as inline, or as one process, that is worth the change (default: 1.2)',
      parseNumber,
    )
    .option(
      '--rate <n>',
      'calls or requests per second that are due: how long do their callers wait?',
      parseNumber,
    )
    .option('--seed <n>', 'order of the windows (default: from the clock)', parseNumber)
    .option('--json <file>', 'write the result as JSON; - is standard output', parseOutput)
    .option('--html <file>', 'write the report as one HTML file', parseOutput)
    .option('--save', 'write the advice to threadwise.json, for executor() and serve -i auto')
}

/** An option that would be ignored is a mistake of the user. */
function checkFlags(isServer: boolean, flags: object): void {
  const [wrong, expected] = isServer
    ? [ofTasks, 'left out with --server: it is for tasks']
    : [ofServers, 'used together with --server']
  for (const [name, value] of Object.entries(flags))
    checkOption(!wrong.includes(name) || value === undefined, name, expected, value)
}
