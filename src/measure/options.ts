// Options of a measurement: raw once, then resolved and read-only.

import { cpuBudget, measurableCpus, wholeCpus } from '../cpu/cpu-budget.js'
import {
  checkCount,
  checkCounts,
  checkList,
  checkNames,
  checkOption,
  optionNames,
} from '../errors/check-options.js'
import type { ExecutorName, Settings } from './results/result.js'
import type { Progress } from './rounds.js'
import { ascending } from './stats/summary.js'

/** Options of {@link measure}; all have defaults, and each is an option of `threadwise measure` too. */
export interface MeasureOptions {
  /** Measure this exported function of a task module, with `args`; without it the file must export a workload. */
  readonly task?: string | undefined
  /** Argument lists for `task`, cycled. Default: one call without arguments. */
  readonly args?: readonly (readonly unknown[])[] | undefined
  /** Default: all four. `inline` is always measured, since everything is compared with it. */
  readonly executors?: readonly ExecutorName[] | undefined
  /** Workers of threads and processes. Default: 1, 2, 4 ... up to the CPUs of the largest limit. */
  readonly sizes?: readonly number[] | undefined
  /** Concurrency of `concurrent`. Default: by what the task does. */
  readonly concurrency?: readonly number[] | undefined
  /** CPU limits. Default: what this process has. */
  readonly cpus?: readonly number[] | undefined
  /** Sizes of libuv's thread pool to try, for tasks that use it. Default: only the one in force. */
  readonly uv?: readonly number[] | undefined
  /** Default 8, with `quick` 6. Fewer than 6 give no verdict. */
  readonly rounds?: number | undefined
  /** Shorter trials: within 45 s for one task, two sizes and one limit. */
  readonly quick?: boolean | undefined
  /** Seconds that the whole run may take: trials get shorter, and the last rounds are dropped, to stay within. */
  readonly budget?: number | undefined
  /** How much faster than inline something must be to be advised. Default 1.2. */
  readonly worth?: number | undefined
  /** 'throughput' (default), or a budget in ms for the p99 of the main thread's loop delay. */
  readonly goal?: 'throughput' | { readonly responsive: number } | undefined
  /** Seed of the order of trials and of the bootstrap. Default: from the clock. */
  readonly seed?: number | undefined
  /** Aborting ends the run; the result holds what is known by then. Before the first round, measure() rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Called after each trial. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** The command that repeats the run, for the report. */
  readonly command?: string | undefined
}

const MEASURE_OPTIONS = optionNames(
  'task args executors sizes concurrency cpus uv rounds quick budget worth goal seed signal onProgress command',
)

export interface ResolvedOptions {
  readonly executors: readonly ExecutorName[]
  readonly sizes: readonly number[]
  readonly concurrency: readonly number[] | undefined
  readonly cpus: readonly number[]
  readonly uv: readonly number[]
  readonly settings: Settings
  readonly warmUpMs: { readonly least: number; readonly most: number }
  readonly signal: AbortSignal | undefined
  readonly onProgress: (progress: Progress) => void
}

const executorNames: readonly ExecutorName[] = ['inline', 'concurrent', 'threads', 'processes']
const MAX_WORKERS = 1024
const MAX_UV = 1024 // libuv's own limit
const MAX_ROUNDS = 100

/** A quick run ends within 45 s; the rest is for the scout, the look at the machine and the last trial. */
const QUICK_BUDGET_SECONDS = 40
/**
 * Milliseconds at least. V8 compiles for about that long: after 80 to 240 ms of warm-up a task for which two threads do 1.38 times as much
 * (1.33-1.43) was measured at 1.15 times (1.10-1.20), since what they run through was still slow.
 */
const WARM_UP_MS = 300

export function resolveOptions(raw: MeasureOptions): ResolvedOptions {
  checkOption(typeof raw === 'object' && raw !== null, 'options', 'an object', raw)
  checkNames(raw, MEASURE_OPTIONS)
  const {
    executors = executorNames,
    quick = false,
    uv = [],
    cpus = [Math.min(cpuBudget().cpus, measurableCpus())],
  } = raw
  checkList('cpus', cpus, 'positive numbers', (value) => Number.isFinite(value) && value > 0)
  const { sizes = powersOfTwo(wholeCpus(Math.max(...cpus))) } = raw
  checkList('executors', executors, executorNames.join(', '), (name) => executorNames.includes(name))
  checkCounts('sizes', sizes, MAX_WORKERS)
  if (!Array.isArray(uv) || uv.length > 0) checkCounts('uv', uv, MAX_UV)
  if (raw.concurrency !== undefined) checkCounts('concurrency', raw.concurrency, MAX_WORKERS)
  return {
    executors,
    sizes: ascending(sizes),
    concurrency: raw.concurrency && ascending(raw.concurrency),
    cpus: ascending(cpus),
    uv: ascending(uv),
    warmUpMs: { least: WARM_UP_MS, most: quick ? 600 : 1200 },
    settings: resolveSettings(raw, quick),
    signal: raw.signal,
    onProgress: raw.onProgress ?? (() => {}),
  }
}

function resolveSettings(raw: MeasureOptions, quick: boolean): Settings {
  const { rounds = quick ? 6 : 8, seed = Date.now() >>> 0, worth = 1.2, goal = 'throughput' } = raw
  const { budget = quick ? QUICK_BUDGET_SECONDS : undefined } = raw
  checkCount('rounds', rounds, MAX_ROUNDS)
  checkOption(Number.isFinite(worth) && worth >= 1, 'worth', 'a number of at least 1', worth)
  checkOption(
    budget === undefined || (Number.isFinite(budget) && budget > 0),
    'budget',
    'a number of seconds',
    budget,
  )
  checkOption(Number.isInteger(seed), 'seed', 'a whole number', seed)
  return {
    rounds,
    quick,
    trialMs: quick ? 300 : 600,
    worth,
    goal: resolveGoal(goal),
    budgetSeconds: budget ?? null,
    seed,
    command: raw.command ?? 'measure() from threadwise/measure',
  }
}

function resolveGoal(goal: NonNullable<MeasureOptions['goal']>): Settings['goal'] {
  if (goal === 'throughput') return { kind: 'throughput' }
  const loopDelayMs = typeof goal === 'object' && goal !== null ? goal.responsive : NaN
  const isTime = Number.isFinite(loopDelayMs) && loopDelayMs > 0
  checkOption(isTime, 'goal', "'throughput' or { responsive: milliseconds }", goal)
  return { kind: 'responsive', loopDelayMs }
}

function powersOfTwo(largest: number): number[] {
  const powers: number[] = []
  for (let n = 1; n < largest; n *= 2) powers.push(n)
  return [...powers, largest]
}
