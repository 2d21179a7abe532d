// `threadwise load`: its options.

import type { Command } from 'commander'
import { readFileSync } from 'node:fs'
import { parseHeader, parseNumber, parseOutput } from '../terminal/parse-values.js'
import { checkOption } from '../../errors/check-options.js'
import {
  missedLoadExpectations,
  parseLoadExpectation,
  type LoadExpectation,
} from '../../measure/load/expectations.js'
import {
  besideBaseline,
  isLoadResult,
  type LoadBaseline,
} from '../../measure/report/terminal/load-beside-baseline.js'
import { ownFault } from '../../measure/load/generator.js'
import { load } from '../../measure/load/load.js'
import type { LoadResult } from '../../measure/results/load-result.js'
import type { LoadOptions, LoadProgress } from '../../measure/load/options.js'
import { formatRate } from '../../measure/report/figures/format-number.js'
import { formatLoad } from '../../measure/report/terminal/terminal.js'
import { abortOnSignals } from '../terminal/interrupt.js'
import { writeResult } from '../terminal/write-result.js'

export function addLoadCommand(program: Command): void {
  const command = program
    .command('load')
    .argument('<url>', 'where the requests go: http:// or https://')
    .description('send requests to an HTTP server; latency counts from when each was due')
    .option(
      '--rate <n>',
      'requests per second that are due, whatever the server does (default: as many as it answers)',
      parseNumber,
    )
    .option('--poisson', 'with --rate: due at random, independent times')
    .option('--connections <n>', 'connections at most (default: 10, or 100 with --rate)', parseNumber)
    .option('--pipelining <n>', 'without --rate: requests ahead on each connection (default: 1)', parseNumber)
    .option('-n, --requests <n>', 'end after so many requests', parseNumber)
    .option('--duration <seconds>', 'measured time (default: 10, or until --requests are done)', parseNumber)
    .option(
      '--expect <what>',
      "fail unless it holds: 'p99<50' (ms), 'errors<1%', 'throughput>=500'; may be repeated",
      (text, earlier: LoadExpectation[] = []) => [...earlier, parseLoadExpectation(text)],
    )
    .option(
      '--warmup <seconds>',
      'load before the measured time, which does not count (default: 1)',
      parseNumber,
    )
    .option('--timeout <seconds>', 'time after which a request is given up (default: 10)', parseNumber)
    .option('--json <file>', 'write the result as JSON; - is standard output', parseOutput)
    .option(
      '--baseline <file>',
      'say what is different from an earlier run, whose JSON this is',
      parseBaseline,
    )
  addRequest(command)
  command.addHelpText('after', help).action(async (url: string, flags: LoadFlags) => {
    process.exitCode = await runLoad(url, flags)
  })
}

/** What is sent, and where to. */
function addRequest(command: Command): void {
  command
    .option('--method <name>', 'HTTP method (default: GET, or POST with a body)')
    .option('--header <line>', "'Name: value'; may be repeated", parseHeader)
    .option('--body <text>', 'text to send, or @FILE')
    .option('--socket <path>', 'connect to this Unix socket')
    .option('--insecure', 'accept any certificate, also a self-signed or forged one')
}

const help = `
Examples:
  threadwise load http://localhost:3000/
  threadwise load http://localhost:3000/ --rate 200 --poisson --duration 30
  threadwise load http://localhost:3000/posts --body @post.json --header 'Content-Type: application/json'
  threadwise load http://localhost/ --socket /run/app.sock --json -
  threadwise load http://localhost:3000/report --json before.json
  threadwise load http://localhost:3000/report --baseline before.json
  threadwise load localhost:3000 -n 1000 --expect 'p99<50' --expect 'errors<1%'

Exit codes: 0 done, 1 no request succeeded, --expect was missed, or without it more than 5 % failed, 2 wrong usage, 3 the generator was the bottleneck, 130 interrupted.`

// `threadwise load`: runs the load, shows progress, prints the result, writes the file.

export interface LoadFlags extends Omit<LoadOptions, 'headers' | 'body' | 'signal' | 'onProgress'> {
  header?: Record<string, string[]>
  expect?: LoadExpectation[]
  baseline?: LoadBaseline
  body?: string
  json?: string
}

/** The exit code. */
export async function runLoad(url: string, flags: LoadFlags): Promise<number> {
  const { header, body, json, baseline, expect = [], ...options } = flags
  const interrupted = abortOnSignals()
  const isLive = process.stderr.isTTY
  const result = await load(url, {
    ...options,
    ...(header && { headers: header }),
    ...(body !== undefined && { body: readBody(body) }),
    signal: interrupted.signal,
    ...(isLive && { onProgress: showProgress }),
  }).finally(() => {
    if (isLive) process.stderr.write('\r\x1b[K')
    interrupted.release()
  })
  writeResult(result, json, formatLoad)
  if (baseline !== undefined) {
    const told = json === '-' ? process.stderr : process.stdout
    told.write(`${besideBaseline(result, baseline).join('\n')}\n`)
  }
  const missed = result.complete && !result.limited ? missedLoadExpectations(result, expect) : []
  for (const sentence of missed) process.stderr.write(`Missed: ${sentence}\n`)
  return exitCode(result, missed.length > 0)
}

/** Read before anything is sent: afterwards it would be too late to say that it cannot be. */
function parseBaseline(file: string): LoadBaseline {
  const expected = 'a file that `threadwise load --json` has written'
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    checkOption(false, 'baseline', `${expected} (${(error as Error).message})`, file)
  }
  checkOption(isLoadResult(value), 'baseline', expected, file)
  return { file, result: value as LoadResult }
}

/** "@FILE" is the content of a file. */
export function readBody(text: string): string | Buffer {
  if (!text.startsWith('@')) return text
  try {
    return readFileSync(text.slice(1))
  } catch (error) {
    checkOption(false, 'body', `text, or @ and a file that can be read (${(error as Error).message})`, text)
    throw error
  }
}

function showProgress({ elapsed, total, isWarmup, answers, failures }: LoadProgress): void {
  if (elapsed < 1) return
  const phase = isWarmup ? 'warm-up' : elapsed > total ? 'waiting for the last answers' : 'measuring'
  const failed = failures === 0 ? '' : `, ${failures} failed`
  const rate = formatRate(answers / elapsed)
  const text = `${phase}, ${elapsed.toFixed(0)} of ${total.toFixed(0)} s: ${rate} answered${failed}`
  process.stderr.write(`\r\x1b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`)
}

function exitCode({ complete, statuses, messages, limited }: LoadResult, isMissed: boolean): number {
  if (!complete) return 130
  const succeeded = Object.keys(statuses).some((status) => Number(status) < 400)
  // However late requests were sent: unless none could be, for want of something of this machine.
  if (!succeeded && ownFault(messages.connect) === null) return 1
  if (limited) return 3
  return isMissed ? 1 : 0
}
