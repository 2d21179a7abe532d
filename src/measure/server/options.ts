// Options of the measurement of a server: raw once, then resolved and read-only.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuBudget, measurableCpus } from '../../cpu/cpu-budget.js'
import {
  checkCount,
  checkCounts,
  checkFunction,
  checkList,
  checkNames,
  checkObject,
  checkOption,
  checkSignal,
  checkSwitch,
  checkText,
  checkVariables,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import { isUrl } from '../../primitives/any-realm.js'
import type { ServerSettings } from '../results/server-result.js'
import { ascending } from '../stats/summary.js'

/** Options of {@link measureServer}; all have defaults, and each is an option of `threadwise measure --server` too. */
export interface MeasureServerOptions {
  /** Path that is asked for. Default `/`. */
  readonly path?: string | undefined
  /** Path that gives the same answer by work on other threads, compared with `path`. Default: none. */
  readonly offloadPath?: string | undefined
  /** CPU limits for the server with all its processes; the load comes from outside of them. Default: what this process has. */
  readonly cpus?: readonly number[] | undefined
  /** Sizes of the cluster. Default, for each limit: 1 up to the limit rounded up, and one more. */
  readonly instances?: readonly number[] | undefined
  /** Connections of the load, at most: fewer where answers take long. Default 32. */
  readonly connections?: number | undefined
  /** Requests per second that are due when answers are timed. Default: 50, 70 and 90 % of what one process answers. */
  readonly rate?: number | undefined
  /** Seconds that the whole run may take. Default: 60 for each limit, with `quick` 40. It ends as soon as it is decided. */
  readonly budget?: number | undefined
  /** At most so many rounds of windows. Default: as many as the budget allows. */
  readonly rounds?: number | undefined
  /** A shorter budget and less precision. */
  readonly quick?: boolean | undefined
  /** How many times the requests of one process something must answer to be advised. Default 1.2. */
  readonly worth?: number | undefined
  /** What the server gets as process.argv after its file. Default none. */
  readonly args?: readonly string[] | undefined
  /** Variables for the server, besides those of this process and PORT=0. Default none. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Seed of the order of windows. Default: from the clock. */
  readonly seed?: number | undefined
  /** Aborting ends the run; the result holds what is known by then. Before anything is compared, it rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Called after each trial. */
  readonly onProgress?: ((progress: ServerProgress) => void) | undefined
  /** The command that repeats the run, for the report. */
  readonly command?: string | undefined
}

const SERVER_OPTIONS = optionNames(
  'path offloadPath cpus instances connections rate rounds quick budget worth args env seed signal onProgress command',
)

export interface ResolvedServerOptions {
  readonly file: string
  readonly path: string
  readonly offloadPath: string | null
  readonly cpus: readonly number[]
  readonly instances: readonly number[] | undefined
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Null: by what one process answers. */
  readonly rate: number | null
  readonly settings: Omit<ServerSettings, 'budgetSeconds'> & { readonly budgetSeconds: number | null }
  /** Without a budget, for each limit. */
  readonly secondsForEach: number
  readonly rounds: number
  readonly signal: AbortSignal | undefined
  readonly onProgress: (progress: ServerProgress) => void
}

const MAX_CONNECTIONS = 10_000
const MAX_INSTANCES = 64
const MAX_RATE = 1_000_000
/** Seconds for each limit. */
const BUDGET = { quick: 40, full: 60 }
const PRECISION = { quick: 0.1, full: 0.07 }

/** @throws TW_ERR_INVALID_OPTION */
export function resolveServerOptions(file: string | URL, given: MeasureServerOptions): ResolvedServerOptions {
  checkObject('options', given)
  const raw = ownOptions(given)
  checkNames(raw, SERVER_OPTIONS)
  const { path = '/', offloadPath, args = [], env = {}, instances, rate } = raw
  const { cpus = [Math.min(cpuBudget().cpus, measurableCpus())] } = raw
  checkPath('path', path)
  if (offloadPath !== undefined) checkPath('offloadPath', offloadPath)
  checkOption(offloadPath !== path, 'offloadPath', `another path than ${path}`, offloadPath)
  checkList('cpus', cpus, 'positive numbers', (value) => Number.isFinite(value) && value > 0)
  if (instances !== undefined) checkCounts('instances', instances, MAX_INSTANCES)
  const isRate = rate === undefined || (Number.isFinite(rate) && rate > 0 && rate <= MAX_RATE)
  checkOption(isRate, 'rate', `a number of requests per second up to ${MAX_RATE}`, rate)
  const areTexts = Array.isArray(args) && args.every((each) => typeof each === 'string')
  checkOption(areTexts, 'args', 'a list of strings', args)
  checkVariables('env', env)
  checkSwitch('quick', raw.quick)
  checkSignal('signal', raw.signal)
  checkFunction('onProgress', raw.onProgress)
  checkText('command', raw.command, 'the command that repeats the run')
  return {
    file: resolveFile(file),
    path,
    offloadPath: offloadPath ?? null,
    args,
    env,
    rate: rate ?? null,
    cpus: ascending(cpus),
    instances: instances && ascending(instances),
    rounds: raw.rounds ?? Infinity,
    secondsForEach: raw.quick ? BUDGET.quick : BUDGET.full,
    settings: resolveSettings(raw),
    signal: raw.signal,
    onProgress: raw.onProgress ?? (() => {}),
  }
}

function resolveSettings(raw: MeasureServerOptions): ResolvedServerOptions['settings'] {
  const { quick = false, rounds, connections = 32, worth = 1.2 } = raw
  const { budget = null, seed = Date.now() >>> 0 } = raw
  const isRounds = rounds === undefined || (Number.isInteger(rounds) && rounds >= 1)
  checkOption(isRounds, 'rounds', 'a whole number of at least 1', rounds)
  checkCount('connections', connections, MAX_CONNECTIONS)
  checkOption(Number.isFinite(worth) && worth >= 1, 'worth', 'a number of at least 1', worth)
  const isTime = raw.budget === undefined || (Number.isFinite(budget) && Number(budget) > 0)
  checkOption(isTime, 'budget', 'a number of seconds above 0', budget)
  checkOption(Number.isInteger(seed), 'seed', 'a whole number', seed)
  const precision = quick ? PRECISION.quick : PRECISION.full
  const command = raw.command ?? 'measureServer() from threadwise/measure'
  return { quick, precision, connections, worth, budgetSeconds: budget, seed, command }
}

function resolveFile(file: unknown): string {
  const isByUrl = isUrl(file) || /^file:/.test(String(file))
  const isPath = (typeof file === 'string' && file !== '') || (isByUrl && String(file).startsWith('file:'))
  checkOption(isPath, 'file', 'a path or a file: URL', file)
  const path = isByUrl ? fileURLToPath(file as URL) : resolve(String(file))
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  checkOption(isFile, 'file', 'a file that exists, and that starts an HTTP server', path)
  return path
}

function checkPath(option: string, path: unknown): void {
  const isPath = typeof path === 'string' && /^\/[!-~]*$/.test(path)
  checkOption(isPath, option, 'a path that begins with /', path)
}

/** What the measurement of a server does now. */
export type ServerPhase = 'starting' | 'warming up' | 'measuring' | 'timing answers'

/** A step of the measurement of a server. */
export interface ServerProgress {
  readonly cpus: number
  /** Number of the limit, from 1, and how many there are. */
  readonly comparison: number
  readonly comparisons: number
  readonly phase: ServerPhase
  /** Since the run began, and in all at most. */
  readonly seconds: number
  readonly budgetSeconds: number
  /** Rows beside one process that are still in the race, and which of them leads; null while nobody knows. */
  readonly live: number
  readonly best: { readonly name: string; readonly ratio: number } | null
}
