// `threadwise compare`: its options.

import type { Command } from 'commander'
import { parseCompareExpectation, type CompareExpectation } from '../../measure/compare/expectation.js'
import {
  ARGUMENT_LISTS,
  parseArgumentLists,
  parseNumber,
  parseOutput,
  parseWords,
} from '../terminal/parse-values.js'
import type { CompareFlags } from './compare-once.js'
import { runCompare } from './run-compare.js'

const another = (text: string, earlier: string[] = []) => [...earlier, text]

export function addCompareCommand(program: Command): void {
  const command = program
    .command('compare')
    .argument(
      '<files...>',
      'one file; the old file, and those that are compared with it; or, where --against, --node or --with make the versions, workload files',
    )
    .description('is the new version slower than the old one? both side by side, in one run')
  addVersionOptions(command)
  addServerOptions(command)
  addRunOptions(command)
  command.addHelpText('after', examples).action(async (files: string[], flags: CompareFlags) => {
    process.exitCode = await runCompare(files, flags)
  })
}

function addVersionOptions(command: Command): void {
  command
    .option('--task <name>', 'the exported function of task modules; twice: compare these two', another)
    .option('--args <json>', ARGUMENT_LISTS, parseArgumentLists)
    .option('--variants <list>', 'compare these variants of one workload file, the old one first', parseWords)
    .option(
      '--against <ref>',
      'the old version is this branch, tag or commit; HEAD: compare what is not committed',
    )
    .option(
      '--bisect <good..bad>',
      'find the commit between these with which a difference came (default of bad: HEAD)',
    )
    .option(
      '--build <command>',
      "with --against or --bisect: builds the old version there, such as 'npm run build'",
    )
    .option(
      '--node <node>',
      'a path or a version of Node (from npm); at least twice, the old one first',
      another,
    )
    .option(
      '--with <variables>',
      'the old version is without them: NODE_OPTIONS=--max-semi-space-size=64; may be repeated',
      another,
    )
}

function addServerOptions(command: Command): void {
  command
    .option('--server', 'the files start HTTP servers: the same load on each version')
    .option('--path <path>', 'with --server: the path to ask for (default: /)')
    .option('--rate <n>', 'with --server: requests per second that are due, to compare latency', parseNumber)
    .option('--connections <n>', 'with --server: connections of the load, at most (default: 32)', parseNumber)
}

function addRunOptions(command: Command): void {
  command
    .option('--executor <name>', 'what runs the calls: inline (default), concurrent, threads, processes')
    .option('--size <n>', 'with --executor: workers, or open calls of concurrent', parseNumber)
    .option('--cpus <n>', 'the CPU limit of each process, such as 0.6 (default: none)', parseNumber)
    .option(
      '--budget <seconds>',
      'the whole run takes at most so long (default: 20 for each workload; 60 for servers, and with --executor or --cpus)',
      parseNumber,
    )
    .option('--processes <n>', 'processes of each version, 2 to 16 (default: 4)', parseNumber)
    .option(
      '--expect <what>',
      "exit code 1 where it is missed for sure: 'slower<5%', 'allocated<10%'; may be repeated",
      (text, earlier: CompareExpectation[] = []) => [...earlier, parseCompareExpectation(text)],
    )
    .option('--strict', 'with --expect: exit code 1, too, where it cannot be told')
    .option('--seed <n>', 'order of processes and windows (default: from the clock)', parseNumber)
    .option('--json <file>', 'write the result as JSON; - is standard output', parseOutput)
    .option('--html <file>', 'write the report as one HTML file', parseOutput)
}

const examples = `
Examples:
  threadwise compare tasks.js --task render --task renderJoined --args '[[{"me":"Ada"}]]'
  threadwise compare old/tasks.js new/tasks.js --task render
  threadwise compare render.workload.js --variants short,joined
  threadwise compare tasks.js --task render --against main --args '[[{"me":"Ada"}]]'
  threadwise compare bench/*.workload.js --against main --expect 'slower<5%' --expect 'allocated<10%'
  threadwise compare tasks.js --task render --bisect v1.0.0..main --build 'npm run build'
  threadwise compare --server server.js --against main --path /report --rate 200
  threadwise compare render.workload.js --node 22 --node 24
  threadwise compare render.workload.js --with NODE_OPTIONS=--max-semi-space-size=64

Exit codes: 0 done, or the commit was found, 1 an expectation is missed for sure (with --strict: or cannot be told) or no commit was found, 2 wrong usage, 3 the machine was too busy for a verdict, 130 interrupted.`
