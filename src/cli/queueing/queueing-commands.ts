// `threadwise worker` and `threadwise queue`: their options.

import { InvalidArgumentError, type Command } from 'commander'
import { DEFAULT_CONNECTION, defaultConnection } from '../terminal/connection.js'
import { parseNumber } from '../terminal/parse-values.js'
import { ACTIONS, operateQueue } from './operate-queue.js'
import type { QueueFlags } from './queue-flags.js'
import { runQueue } from './run-queue.js'
import { runWorker, type WorkerFlags } from './run-worker.js'

export function addQueueCommands(program: Command): void {
  addWorkerCommand(program)
  addQueueCommand(program)
}

function addWorkerCommand(program: Command): void {
  const worker = program
    .command('worker')
    .argument('<file>', 'the task module')
    .description('run the jobs of a queue: the other side of the executor bullmq')
    .requiredOption('--queue <name>', 'the queue')
    .option('--executor <kind>', 'what runs the jobs: threads or processes (default: threads)', parseKind)
    .option('--size <n>', 'its workers, or max: one for each CPU of this process (default: max)', parseSize)
    .option('--concurrency <n>', 'jobs at a time (default: one for each worker)', parseNumber)
    .option('--grace <ms>', 'time for jobs that run, after SIGTERM (default: 30000)', parseNumber)
    .option(
      '--lock <ms>',
      'time without a sign of life after which others take over (default: 10000)',
      parseNumber,
    )
    .option(
      '--wait-store <s>',
      'time for the store to be there when it starts, in seconds (default: 60)',
      parseNumber,
    )
    .option('--name <name>', 'shown in thread names, process titles and errors (default: that of the queue)')
    .option('--port <n>', 'answer GET /health, and /metrics for Prometheus, on this port', parseNumber)
  addConnection(worker)
  worker.addHelpText(
    'after',
    `
Examples:
  threadwise worker tasks.js --queue images
  threadwise worker tasks.js --queue images --size 4 --port 9090

The variable THREADWISE_SECRET holds the secret of the queue, or several with a comma between each two.
Signals: SIGTERM and SIGINT let jobs end and stop it, a second one stops at once.
Exit codes: 0 stopped, 1 it could not start, 2 wrong usage, 130 stopped at once.`,
  )
  // A job that was left behind when the grace was over, and BullMQ's timers for it, would keep the process alive.
  worker.action(async (file: string, flags: WorkerFlags) =>
    process.exit(await runWorker(file, withConnection(flags))),
  )
}

function addQueueCommand(program: Command): void {
  const queue = program
    .command('queue')
    .argument('<name>', 'the queue')
    .argument('[action]', `${ACTIONS} (default: show what waits, what runs, workers and failures)`)
    .argument('[id]', 'of a job: that of its call, or that of the store')
    .description('show what waits in a queue, what runs, its workers and failures; and operate it')
    .option('--json', 'print JSON')
    .option('--all', 'retry or remove all failed jobs')
    .option('--yes', 'do it without asking')
  addConnection(queue)
  queue.addHelpText('after', EXAMPLES)
  queue.action((name: string, action: string | undefined, id: string | undefined, given: QueueFlags) => {
    const flags = withConnection(given)
    return finish(
      action === undefined ? runQueue(name, flags) : operateQueue({ queue: name, action, id }, flags),
    )
  })
}

const EXAMPLES = `
Examples:
  threadwise queue images
  threadwise queue images failures --json
  threadwise queue images retry invoice-17
  threadwise queue images retry --all --yes

Exit codes: 0 done, 1 there is no such job or the store is away, 2 wrong usage.`

function addConnection(command: Command): void {
  command
    .option(
      '--connection <url>',
      `the store: redis://, rediss://, redis+sentinel://HOST,HOST/NAME, redis+cluster://HOST,HOST or postgres:// (default: THREADWISE_CONNECTION, or ${DEFAULT_CONNECTION})`,
    )
    .option('--prefix <text>', 'what the names of all keys begin with (default: that of BullMQ)')
}

/** No default of the option: help would show it, with its password. The secret comes from the environment alone, as ps shows arguments. */
function withConnection<Flags extends { readonly connection: string; readonly secret?: readonly string[] }>(
  flags: Flags,
): Flags {
  const secrets = (process.env.THREADWISE_SECRET ?? '').split(',').filter((secret) => secret !== '')
  const connection = (flags.connection as string | undefined) ?? defaultConnection()
  return { ...flags, connection, ...(secrets.length > 0 && { secret: secrets }) }
}

async function finish(run: Promise<number>): Promise<void> {
  process.exitCode = await run
}

function parseKind(text: string): 'threads' | 'processes' {
  if (text === 'threads' || text === 'processes') return text
  throw new InvalidArgumentError('It must be threads or processes.')
}

function parseSize(text: string): number | 'max' {
  if (text === 'max') return text
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidArgumentError('It must be a whole number of at least 1, or max.')
  return count
}
