// The options of a diagnosis: what they mean, their defaults, and the checks.

import { accessSync, constants, existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { checkOption, checkSignal } from '../../errors/check-options.js'
import { whyOpen } from '../../user/foreign-path.js'
import { whyNotOwn } from '../../user/own-output.js'
import { createTarget } from '../load/target.js'
import { parseWeightedPath } from '../load/weighted-path.js'

/** Options of {@link diagnose}. */
export interface DoctorOptions {
  /** The file that starts the app, and its arguments; or a command such as `['npm', 'start']` with `isCommand`. */
  words: readonly string[]
  isCommand?: boolean
  /** A process that runs, instead of words: it is looked at as it is, and goes on. */
  pid?: number
  /** Paths to ask for; `/a=2` is asked for twice as often as `/b`. Default `/`. */
  paths?: readonly string[]
  /** Requests per second, of all paths. Default: two fifths of what one connection gets. */
  rate?: number
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Seconds: you send the requests yourself, to the port that the app always has. A script runs at most so long. */
  forSeconds?: number
  /** Folder for the files of tasks that can move. Default `.threadwise`. */
  out?: string
  /** Folder for the task modules, to be committed: without inputs, and readable as other files are. Default: they stay in `out`. */
  write?: string
  /** Whether inputs of real calls are written. Default true. */
  inputs?: boolean
  /** Inputs as they were, but for what stands under a key that looks secret. Default false: with other words. */
  raw?: boolean
  /** What moves is tried on the app itself, and its patch is written. Default: it is not. */
  trial?: TryOptions
  signal?: AbortSignal
  onPhase?: (phase: string) => void
}

/** Options of a trial of what could move. */
export interface TryOptions {
  /** File for the patch. Default `threadwise.patch`. */
  patch?: string
  /** The patch is applied, too, where git knows of no change. Default false. */
  apply?: boolean
  /** Words of the command that builds the app. Default `npm run build`, where it is built. */
  build?: readonly string[]
  /** Words of commands: before both versions start, and before they get their load. */
  setup?: readonly string[]
  reset?: readonly string[]
  /** Requests other than GET and HEAD are sent to both versions. Default false. */
  allowWrites?: boolean
  /** The CPU limit of each version, at least 0.01. Default: none but that of this process. */
  cpus?: number
  /** Turns of each version under load. Default 8. */
  rounds?: number
}

export interface ResolvedTry {
  readonly patch: string
  readonly apply: boolean
  readonly build: readonly string[] | null
  readonly setup: readonly string[] | null
  readonly reset: readonly string[] | null
  /** Null: no limit but that of this process. */
  readonly cpus: number | null
  readonly rounds: number
}

export interface ResolvedDoctor extends Pick<DoctorOptions, 'method' | 'headers' | 'body'> {
  readonly command: readonly string[]
  /** Null: the app is started. */
  readonly pid: number | null
  readonly paths: readonly { path: string; weight: number }[]
  readonly rate: number | null
  /** Null: doctor sends the requests. */
  readonly forSeconds: number | null
  /** A server is expected: paths or a rate were given. */
  readonly isServer: boolean
  /** By the clock of `performance`: when all is to be done, on a machine that is not much too busy. */
  readonly until: number
  readonly out: string
  /** Null: task modules stay in `out`. */
  readonly write: string | null
  readonly inputs: 'redacted' | 'raw' | 'none'
  /** Null: nothing is tried. */
  readonly try: ResolvedTry | null
  readonly signal: AbortSignal
  readonly onPhase: (phase: string) => void
}

const MAX_SECONDS = 600
/** A diagnosis takes no more than a minute. */
const ALL_MS = 58_000
const DEFAULT_OUT = '.threadwise'

/** @throws TW_ERR_INVALID_OPTION */
export function resolveDoctor(options: DoctorOptions): ResolvedDoctor {
  const { words, isCommand = false, paths, rate, forSeconds, signal, onPhase = () => {} } = options
  if (options.pid === undefined) checkWords(words, isCommand)
  else checkProcess(options, options.pid)
  checkOption(
    rate === undefined || (rate > 0 && rate <= 100_000),
    'rate',
    'requests per second, above 0',
    rate,
  )
  const isTime = forSeconds === undefined || (forSeconds >= 4 && forSeconds <= MAX_SECONDS)
  checkOption(isTime, 'for', `seconds from 4 to ${MAX_SECONDS}`, forSeconds)
  checkSignal('signal', signal)
  if (options.pid === undefined) checkOut(options.out ?? DEFAULT_OUT)
  if (options.write !== undefined) checkWrite(options.write)
  checkOption(
    !options.raw || !process.env.CI,
    'raw',
    'left out in CI: the inputs of real calls would lie there',
    options.raw,
  )
  const sends = paths !== undefined || rate !== undefined
  checkOption(
    !sends || forSeconds === undefined,
    'for',
    'left out with --path and --rate: it means that you send the requests',
    forSeconds,
  )
  return {
    ...resolveRequest(options),
    command: isCommand || options.pid !== undefined ? words : [process.execPath, ...words],
    pid: options.pid ?? null,
    paths: (paths ?? ['/']).map(parseWeightedPath),
    rate: rate ?? null,
    forSeconds: forSeconds ?? null,
    isServer: sends,
    until: performance.now() + ALL_MS + 2 * 1000 * (forSeconds ?? 0), // which it may wait for the first request, too
    out: options.out ?? DEFAULT_OUT,
    write: options.write ?? null,
    inputs: options.inputs === false ? 'none' : options.raw ? 'raw' : 'redacted',
    try: options.trial === undefined ? null : resolveTry(options, options.trial),
    signal: signal ?? new AbortController().signal,
    onPhase,
  }
}

const DEFAULT_PATCH = 'threadwise.patch'

/** Told before the app is started. */
function resolveTry({ pid, forSeconds, method, body }: DoctorOptions, given: TryOptions): ResolvedTry {
  const {
    patch = DEFAULT_PATCH,
    apply = false,
    build,
    setup,
    reset,
    cpus,
    allowWrites = false,
    rounds = 8,
  } = given
  checkOption(
    pid === undefined && forSeconds === undefined,
    'try',
    'left out with --pid, --attach and --for: both versions are started, and get the same requests',
    true,
  )
  const isReading = /^(GET|HEAD)$/i.test(method ?? (body === undefined ? 'GET' : 'POST'))
  checkOption(
    isReading || allowWrites,
    'method',
    'GET or HEAD with --try, since each request is sent to both versions many times; --allow-writes sends others, too',
    method ?? 'POST',
  )
  const folder = dirname(resolve(patch))
  const isFree =
    patch !== '' &&
    !(existsSync(patch) && isFolder(patch)) &&
    existsSync(folder) &&
    isFolder(folder) &&
    isWritable(folder)
  checkOption(isFree, 'patch', 'a file in a folder that can be written', patch)
  checkOwn('patch', 'a file of your own', patch)
  checkOption(
    cpus === undefined || (Number.isFinite(cpus) && cpus >= 0.01),
    'cpus',
    'a number of CPUs, at least 0.01',
    cpus,
  )
  return {
    patch,
    apply,
    build: build ?? null,
    setup: setup ?? null,
    reset: reset ?? null,
    cpus: cpus ?? null,
    rounds,
  }
}

/** Where others may write, a link of theirs would lead what is written to files of this user. */
function checkOwn(option: string, expected: string, path: string): void {
  const problem = whyNotOwn(path)
  checkOption(problem === null, option, `${expected} (${problem})`, path)
}

/** It may hold other files. */
function checkWrite(write: string): void {
  let above = resolve(write)
  while (!existsSync(above)) above = dirname(above)
  checkOption(
    write !== '' && isFolder(above) && isWritable(above),
    'write',
    'a folder that can be written',
    write,
  )
  checkOwn('write', 'a folder of your own', write)
}

/** Told before the app is started: at the end its calls would be lost. All that is in the folder stays out of git, so nothing else may be there. */
function checkOut(out: string): void {
  const isThere = out !== '' && existsSync(out)
  const expected = 'a folder of its own, new or empty: all that is in it is kept out of git'
  checkOption(out !== '' && (!isThere || (isFolder(out) && isOwn(out))), 'out', expected, out)
  const foreign = isThere ? whyNotOurs(out) : null
  checkOption(foreign === null, 'out', `a folder that is yours alone (${foreign})`, out)
  let above = resolve(out)
  while (!existsSync(above)) above = dirname(above)
  checkOption(isFolder(above) && isWritable(above), 'out', 'a folder that can be written', out)
  checkOwn('out', 'a folder that is yours alone', out)
}

/** Its files are run later, and hold inputs of real calls. Of a link too: that of somebody else may lead anywhere. */
function whyNotOurs(folder: string): string | null {
  const own = process.getuid?.()
  if (own === undefined) return null
  for (const stats of [lstatSync(folder), statSync(folder)])
    if (stats.uid !== own) return `it belongs to another user, uid ${stats.uid}`
  return readdirSync(folder).length === 0 ? null : whyOpen(folder, statSync(folder))
}

function isOwn(folder: string): boolean {
  const names = readdirSync(folder)
  if (!names.includes('.gitignore')) return names.length === 0
  return /^\*$/m.test(readFileSync(join(folder, '.gitignore'), 'utf8'))
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory()
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function checkWords(words: readonly string[], isCommand: boolean): void {
  checkOption(
    words.length > 0,
    'file',
    'the file that starts your app, or -- and a command such as npm start',
    words,
  )
  if (!isCommand) checkOption(isFile(words[0]!), 'file', 'a file that exists', words[0])
}

/** Nothing is sent to it, and nothing of its calls is written. */
function checkProcess(options: DoctorOptions, pid: number): void {
  checkOption(Number.isInteger(pid) && pid > 0, 'pid', 'the id of a process', pid)
  checkOption(options.words.length === 0, 'file', 'left out with --pid and --attach', options.words)
  for (const name of ['paths', 'rate', 'method', 'headers', 'body', 'out', 'write', 'raw'] as const)
    checkOption(options[name] === undefined, name, 'left out with --pid and --attach', options[name])
}

/** What is wrong with it is told before the app is started. */
function resolveRequest({ method, headers, body }: DoctorOptions) {
  const request = {
    ...(method !== undefined && { method }),
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  }
  createTarget('http://localhost/', request)
  return request
}

/** "/a=2". In a query the sign belongs to the path. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
