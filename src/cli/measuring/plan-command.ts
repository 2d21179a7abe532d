// `threadwise plan`: its options; plans, shows progress, prints the result, writes the files.

import type { Command } from 'commander'
import { checkOption } from '../../errors/check-options.js'
import { plan } from '../../measure/plan/plan.js'
import type { Handover } from '../../measure/plan/options.js'
import { writeHandover } from '../../measure/plan/written/write-handover.js'
import { renderPlanHtml } from '../../measure/report/html.js'
import { formatPlan } from '../../measure/report/terminal/terminal.js'
import type { PlanResult } from '../../measure/results/plan-result.js'
import { runInterruptibly } from '../terminal/interrupt.js'
import { parseNumber, parseNumbers, parseOutput } from '../terminal/parse-values.js'
import { createProgressOf, type ProgressView } from '../terminal/progress.js'
import { repeatCommand } from '../terminal/repeat-command.js'
import { terminalOptions } from '../terminal/terminal-options.js'
import { writePage, writeResult } from '../terminal/write-result.js'

export function addPlanCommand(program: Command): void {
  program
    .command('plan')
    .argument('[words...]', 'the file that starts your server, and after -- its arguments')
    .description(
      'how many containers of which size a load needs, with how many instances and threads in each',
    )
    .option(
      '--path <path>',
      'a path to ask for; may be repeated, /a=2 is asked for twice as often (default: /)',
      collect,
    )
    .option('--rate <n>', 'requests per second, of all paths (default: that of the access log)', parseNumber)
    .option(
      '--arrivals <how>',
      'poisson, even, burst=3x10s, or an access log: when requests come (default: poisson)',
    )
    .option('--p99 <ms>', '99 of 100 requests take at most so many milliseconds', parseNumber)
    .option('--cpus <list>', 'CPU limits that a container may have (default: 0.5,1,2,4)', parseNumbers)
    .option('--price <prices>', 'of a CPU and of a GB of memory for a month, such as cpu=29.55,gb=3.24')
    .option('--spare <n>', 'so many containers may be lost (default: 0)', parseNumber)
    .option(
      '--from <file>',
      'the JSON of threadwise doctor: its app, its paths, and what can move to threads',
    )
    .option('--check', 'start the best two here, as far as this machine reaches, and compare')
    .option(
      '--write <what>',
      'kubernetes, compose or systemd: print its settings, and the table on standard error',
    )
    .option('--seed <n>', 'of the random numbers (default: 1)', parseNumber)
    .option('--json <file>', 'write the result as JSON; - is standard output', parseOutput)
    .option('--html <file>', 'write the report as one HTML file', parseOutput)
    .addHelpText('after', examples)
    .action(async (words: string[], flags: PlanFlags) => {
      process.exitCode = await runPlan(words, flags)
    })
}

const examples = `
Examples:
  threadwise plan server.js --path /report=1 --path /health=9 --rate 600 --p99 50
  threadwise plan server.js --rate 200 --p99 100 --cpus 0.5,1,2 --price cpu=29.55,gb=3.24 --spare 1
  threadwise plan --from doctor.json --rate 600 --p99 50 --check
  threadwise plan server.js --arrivals access.log --p99 80 --write kubernetes > deployment.yaml

Exit codes: 0 done, 1 none of them holds, or the server failed, 2 wrong usage, 3 the machine was too busy to tell, 130 interrupted.`

interface PlanFlags {
  path?: string[]
  rate?: number
  arrivals?: string
  p99?: number
  cpus?: number[]
  price?: string
  spare?: number
  from?: string
  check?: boolean
  write?: string
  seed?: number
  json?: string
  html?: string
}

function collect(path: string, earlier: string[] = []): string[] {
  return [...earlier, path]
}

/** The exit code. */
async function runPlan([file, ...args]: readonly string[], flags: PlanFlags): Promise<number> {
  const { path, json, html, ...options } = flags
  const isFree = json !== '-' || flags.write === undefined
  checkOption(isFree, 'write', 'left out beside --json -, which has standard output for itself', flags.write)
  const progress = createProgressOf<string>(process.stderr, (text) => ({
    text,
    part: text.replace(/\d.*/, ''),
  }))
  const { result, signal } = await runInterruptibly(progress, (signal) =>
    plan({
      ...options,
      file,
      args,
      paths: path,
      signal,
      onPhase: (text) => progress.show(text),
      command: repeatCommand('plan', process.argv.slice(3)),
    }),
  )
  if (result === null) return 130
  if (flags.write === undefined) writeResult(result, json, formatPlan)
  else handOver(result, { what: flags.write as Handover, json, progress })
  if (html !== undefined) writePage(html, renderPlanHtml(result), (text) => progress.note(text))
  return exitCode(result, signal)
}

interface HandingOver {
  readonly what: Handover
  readonly json: string | undefined
  readonly progress: ProgressView<string>
}

/** Settings alone go to standard output, so that they can be written to a file. */
function handOver(result: PlanResult, { what, json, progress }: HandingOver): void {
  process.stderr.write(formatPlan(result, terminalOptions(process.stderr)))
  if (json !== undefined) writeResult(result, json, () => '')
  if (result.advice.configuration === null)
    progress.note('No settings were written, since there is no answer.')
  else process.stdout.write(writeHandover(what, result))
}

function exitCode({ disturbed, advice }: PlanResult, signal: AbortSignal): number {
  if (signal.aborted) return 130
  if (disturbed !== null) return 3
  return advice.configuration === null ? 1 : 0
}
