// `threadwise doctor`: its options; diagnoses, shows progress, prints the result, writes the file.

import { readBody } from './load-command.js'
import type { Command } from 'commander'
import { checkOption } from '../../errors/check-options.js'
import { diagnose } from '../../measure/doctor/doctor.js'
import type { TryOptions } from '../../measure/doctor/options.js'
import { renderDoctorHtml } from '../../measure/report/html.js'
import { formatDoctor } from '../../measure/report/terminal/terminal.js'
import type { DoctorResult } from '../../measure/results/doctor-result.js'
import { checkName } from '../../serve/contract/service-name.js'
import { askService } from '../../serve/control/control-client.js'
import { commandWords } from './command-words.js'
import { linesAfterDoctor } from './lines-to-paste.js'
import { runInterruptibly } from '../terminal/interrupt.js'
import { parseHeader, parseNumber, parseOutput } from '../terminal/parse-values.js'
import { createProgressOf } from '../terminal/progress.js'
import { writePage, writeResult } from '../terminal/write-result.js'

export function addDoctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .argument('[words...]', 'the file that starts your app, and its arguments; or after -- a command')
    .description(
      'run your app, and say which functions it is busy with and which can move to a thread; --try writes the patch and measures it',
    )
    .option(
      '--path <path>',
      'a path to ask for; may be repeated, /a=2 is asked for twice as often (default: /)',
      collect,
    )
    .option(
      '--rate <n>',
      'requests per second, of all paths (default: 0.4 of what one connection gets)',
      parseNumber,
    )
    .option('--method <name>', 'HTTP method (default: GET, or POST with a body)')
    .option('--header <line>', "'Name: value'; may be repeated", parseHeader)
    .option('--body <text>', 'text to send, or @FILE')
    .option('--pid <n>', 'a process that runs already: look at it as it is, and let it go on', parseNumber)
    .option('--attach <name>', 'the same for an instance of this service of threadwise serve')
    .option('--for <seconds>', 'you send the requests: look for so long', parseNumber)
    .option('--out <folder>', 'for the files of tasks that can move (default: .threadwise)')
    .option(
      '--write <folder>',
      'for task modules that can be committed, such as src/tasks (default: in --out)',
    )
    .option('--no-inputs', 'write no inputs of real calls')
    .option('--raw', 'write them as they were, but for what looks secret (default: with other words)')
    .option('--json <file>', 'write the result as JSON; - is standard output', parseOutput)
    .option('--html <file>', 'write the report as one HTML file', parseOutput)
  addTrialOptions(command)
    .addHelpText('after', examples)
    .action(async (words: string[], flags: DoctorFlags) => {
      process.exitCode = await runDoctor(words, flags)
    })
}

function addTrialOptions(command: Command): Command {
  return command
    .option('--try', 'try what can move on your app itself, and write the patch that moves it')
    .option('--patch <file>', 'with --try: for the patch (default: threadwise.patch)')
    .option('--apply', 'with --try: apply the patch, in a git repository without changes')
    .option('--build <command>', "with --try: builds the patched version, such as 'npm run build'")
    .option('--setup <command>', 'with --try: runs before both versions start')
    .option('--reset <command>', 'with --try: runs before both versions get their load')
    .option(
      '--cpus <n>',
      'with --try: the CPU limit of each version, such as 0.6 (default: none)',
      parseNumber,
    )
    .option('--allow-writes', 'with --try: send requests other than GET and HEAD to both versions')
}

const examples = `
Examples:
  threadwise doctor server.js --path /report --rate 50
  threadwise doctor --path /report=2 --path /search -- npm start
  threadwise doctor --for 30 -- npx tsx server.ts
  threadwise doctor server.js --path /report --path /health --rate 100 --try --cpus 2
  threadwise doctor script.js
  threadwise doctor --pid 4711
  threadwise doctor --attach api

Exit codes: 0 done, 1 no diagnosis, 2 wrong usage, 130 interrupted.`

export interface DoctorFlags {
  path?: string[]
  rate?: number
  method?: string
  header?: Record<string, string>
  body?: string
  pid?: number
  attach?: string
  for?: number
  out?: string
  write?: string
  inputs: boolean
  raw?: boolean
  try?: boolean
  patch?: string
  apply?: boolean
  build?: string
  setup?: string
  reset?: string
  cpus?: number
  allowWrites?: boolean
  json?: string
  html?: string
}

function collect(path: string, earlier: string[] = []): string[] {
  return [...earlier, path]
}

/** The exit code. */
async function runDoctor(words: readonly string[], flags: DoctorFlags): Promise<number> {
  const { path, rate, method, header, body, for: forSeconds, out, write, inputs, raw, json, html } = flags
  checkTrialFlags(flags)
  const pid = await pidOf(flags)
  const progress = createProgressOf<string>(process.stderr, (text) => ({ text, part: text }))
  const { result, signal } = await runInterruptibly(progress, (signal) =>
    diagnose({
      words,
      isCommand: isCommand(words),
      signal,
      ...(pid !== undefined && { pid }),
      ...(path && { paths: path }),
      ...(rate !== undefined && { rate }),
      ...(method !== undefined && { method }),
      ...(header && { headers: header }),
      ...(body !== undefined && { body: readBody(body) }),
      ...(forSeconds !== undefined && { forSeconds }),
      inputs,
      ...(out !== undefined && { out }),
      ...(write !== undefined && { write }),
      ...(raw && { raw }),
      ...(flags.try && { trial: trialOf(flags) }),
      onPhase: (text) => progress.show(text),
    }),
  )
  if (result === null) return 130
  writeResult(result, json, formatDoctor)
  if (json !== '-') process.stdout.write(linesAfterDoctor(result, write !== undefined))
  if (html !== undefined) writePage(html, renderDoctorHtml(result), (text) => progress.note(text))
  return exitCode(result, signal)
}

const TRIAL_FLAGS = ['patch', 'apply', 'build', 'setup', 'reset', 'cpus', 'allowWrites'] as const

function checkTrialFlags(flags: DoctorFlags): void {
  const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  for (const name of TRIAL_FLAGS)
    checkOption(flags.try || flags[name] === undefined, dashed(name), 'used together with --try', flags[name])
}

function trialOf({ patch, apply, build, setup, reset, cpus, allowWrites }: DoctorFlags): TryOptions {
  return {
    ...(patch !== undefined && { patch }),
    ...(apply && { apply }),
    ...(allowWrites && { allowWrites }),
    ...(cpus !== undefined && { cpus }),
    ...(build !== undefined && { build: commandWords('build', build) }),
    ...(setup !== undefined && { setup: commandWords('setup', setup) }),
    ...(reset !== undefined && { reset: commandWords('reset', reset) }),
  }
}

/** Undefined: the app is started. Of a service it is the instance that serves for the longest time. */
async function pidOf({ pid, attach }: DoctorFlags): Promise<number | undefined> {
  checkOption(pid === undefined || attach === undefined, 'attach', 'left out beside --pid', attach)
  if (attach === undefined) return pid
  checkName(attach, 'attach')
  const { instances } = await askService(attach, { command: 'status' })
  const serving = instances.find(({ state }) => state === 'serving')
  checkOption(serving !== undefined, 'attach', 'a service of which an instance serves', attach)
  return serving!.pid
}

/** Commander takes the -- away, so what stood before it is compared. */
function isCommand(words: readonly string[]): boolean {
  const line = process.argv.slice(3)
  const at = line.indexOf('--')
  return at >= 0 && line.length - at - 1 === words.length
}

function exitCode({ problem }: DoctorResult, signal: AbortSignal): number {
  if (signal.aborted) return 130
  return problem === null || problem === 'idle' ? 0 : 1
}
