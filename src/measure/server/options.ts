// Options of the measurement of a server: raw once, then resolved and read-only.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuBudget, measurableCpus } from '../../cpu/cpu-budget.js'
import {
  checkCount,
  checkCounts,
  checkList,
  checkNames,
  checkOption,
  optionNames,
} from '../../errors/check-options.js'
import type { ServerSettings } from '../results/server-result.js'
import { ascending } from '../stats/summary.js'
import type { ServerRow } from './server-trial.js'

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
  /** Connections of the load. Default 32. */
  readonly connections?: number | undefined
  /** Default 8, with `quick` 6. Fewer than 6 give no verdict. */
  readonly rounds?: number | undefined
  /** Shorter trials. */
  readonly quick?: boolean | undefined
  /** Seconds that the whole run may take: trials get shorter, and the last rounds are dropped, to stay within. */
  readonly budget?: number | undefined
  /** How many times the requests of one process something must answer to be advised. Default 1.2. */
  readonly worth?: number | undefined
  /** Variables for the server, besides those of this process and PORT=0. Default none. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Seed of the order of trials and of the bootstrap. Default: from the clock. */
  readonly seed?: number | undefined
  /** Aborting ends the run; the result holds what is known by then. Before the first round, it rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Called after each trial. */
  readonly onProgress?: ((progress: ServerProgress) => void) | undefined
  /** The command that repeats the run, for the report. */
  readonly command?: string | undefined
}

const SERVER_OPTIONS = optionNames(
  'path offloadPath cpus instances connections rounds quick budget worth env seed signal onProgress command',
)

export interface ResolvedServerOptions {
  readonly file: string
  readonly path: string
  readonly offloadPath: string | null
  readonly cpus: readonly number[]
  readonly instances: readonly number[] | undefined
  readonly env: Readonly<Record<string, string>>
  readonly settings: ServerSettings
  readonly signal: AbortSignal | undefined
  readonly onProgress: (progress: ServerProgress) => void
}

const MAX_ROUNDS = 100
const MAX_CONNECTIONS = 10_000
const MAX_INSTANCES = 64
/** A quota counts in periods of 100 ms: whole ones are measured. */
const LENGTHS = {
  full: { saturationMs: 1000, latencyMs: 1000, warmUpMs: 600 },
  quick: { saturationMs: 500, latencyMs: 500, warmUpMs: 300 },
}

/** @throws TW_ERR_INVALID_OPTION */
export function resolveServerOptions(file: string | URL, raw: MeasureServerOptions): ResolvedServerOptions {
  checkOption(typeof raw === 'object' && raw !== null, 'options', 'an object', raw)
  checkNames(raw, SERVER_OPTIONS)
  const { path = '/', offloadPath, env = {}, instances } = raw
  const { cpus = [Math.min(cpuBudget().cpus, measurableCpus())] } = raw
  checkPath('path', path)
  if (offloadPath !== undefined) checkPath('offloadPath', offloadPath)
  checkOption(offloadPath !== path, 'offloadPath', `another path than ${path}`, offloadPath)
  checkList('cpus', cpus, 'positive numbers', (value) => Number.isFinite(value) && value > 0)
  if (instances !== undefined) checkCounts('instances', instances, MAX_INSTANCES)
  checkOption(typeof env === 'object' && env !== null, 'env', 'an object of variables', env)
  return {
    ...{ file: resolveFile(file), path, offloadPath: offloadPath ?? null, env },
    ...{ cpus: ascending(cpus), instances: instances && ascending(instances) },
    ...{ settings: resolveSettings(raw), signal: raw.signal, onProgress: raw.onProgress ?? (() => {}) },
  }
}

function resolveSettings(raw: MeasureServerOptions): ServerSettings {
  const { quick = false, rounds = quick ? 6 : 8, connections = 32, worth = 1.2, budget } = raw
  const { seed = Date.now() >>> 0, command = 'measureServer() from threadwise/measure' } = raw
  checkCount('rounds', rounds, MAX_ROUNDS)
  checkCount('connections', connections, MAX_CONNECTIONS)
  checkOption(Number.isFinite(worth) && worth >= 1, 'worth', 'a number of at least 1', worth)
  const isTime = budget === undefined || (Number.isFinite(budget) && budget > 0)
  checkOption(isTime, 'budget', 'a number of seconds', budget)
  checkOption(Number.isInteger(seed), 'seed', 'a whole number', seed)
  return {
    ...{ rounds, quick, connections, ...LENGTHS[quick ? 'quick' : 'full'] },
    ...{ worth, budgetSeconds: budget ?? null, seed, command },
  }
}

function resolveFile(file: unknown): string {
  const isUrl = file instanceof URL || /^file:/.test(String(file))
  const isPath = (typeof file === 'string' && file !== '') || (isUrl && String(file).startsWith('file:'))
  checkOption(isPath, 'file', 'a path or a file: URL', file)
  const path = isUrl ? fileURLToPath(file as URL) : resolve(String(file))
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  checkOption(isFile, 'file', 'a file that exists, and that starts an HTTP server', path)
  return path
}

function checkPath(option: string, path: unknown): void {
  const isPath = typeof path === 'string' && /^\/[!-~]*$/.test(path)
  checkOption(isPath, option, 'a path that begins with /', path)
}

/** How far a measurement of a server is. */
export interface ServerProgress {
  readonly phase: 'saturation' | 'latency'
  readonly round: number
  readonly rounds: number
  readonly done: number
  readonly total: number
  readonly row: ServerRow
  /** Requests per second; null when the trial failed, absent in the second phase. */
  readonly throughput?: number | null
}
