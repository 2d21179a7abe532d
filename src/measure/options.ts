// Options of a measurement: raw once, then resolved and read-only.

import { cpuBudget, measurableCpus, wholeCpus } from '../cpu/cpu-budget.js'
import {
  checkCounts,
  checkFunction,
  checkList,
  checkNames,
  checkObject,
  checkOption,
  checkSignal,
  checkSwitch,
  checkText,
  checkWord,
  optionNames,
  ownOptions,
} from '../errors/check-options.js'
import { withoutPassword } from '../primitives/without-password.js'
import type { ExecutorName, Settings } from './results/result.js'
import { ascending } from './stats/summary.js'
import type { Phase } from './world/task-world-options.js'
import type { CellPlan } from './trial/trial.js'

/** Options of {@link measure}; all have defaults, and each is an option of `threadwise measure` too. */
export interface MeasureOptions {
  /** Measure this exported function of a task module, with `args`; without it the file must export a workload. */
  readonly task?: string | undefined
  /** Argument lists for `task`, cycled. Default: one call without arguments. */
  readonly args?: readonly (readonly unknown[])[] | undefined
  /**
   * Default: all but `bullmq`, which needs a `connection`. `inline` is always measured, since everything is compared with it.
   */
  readonly executors?: readonly ExecutorName[] | undefined
  /** The store of `bullmq`, as a URL such as `redis://localhost` or `postgres://localhost/jobs`. What is kept there is removed at the end. Default: none. */
  readonly connection?: string | undefined
  /** Workers of threads and processes. Default: 1, 2, 4 ... up to the CPUs of the largest limit. */
  readonly sizes?: readonly number[] | undefined
  /** Concurrency of `concurrent`. Default: by what the task does. */
  readonly concurrency?: readonly number[] | undefined
  /** CPU limits. Default: what this process has. */
  readonly cpus?: readonly number[] | undefined
  /** Sizes of libuv's thread pool to try, for tasks that use it. Default: only the one in force. */
  readonly uv?: readonly number[] | undefined
  /** Seconds that the whole run may take. Default: 60 for each variant and limit; with `quick` 40 in all. It ends as soon as it is decided. */
  readonly budget?: number | undefined
  /** How well the best must be known, as half of its interval: 0.1 is 10 %, the default with `quick`; without it 0.07. */
  readonly precision?: number | undefined
  /** At most so many rounds of windows. Default: as many as the budget allows. */
  readonly rounds?: number | undefined
  /** A shorter budget and less precision. */
  readonly quick?: boolean | undefined
  /** Calls per second that are due: how long their callers wait is timed for each cell, beside the closed loop. Default: not timed. */
  readonly rate?: number | undefined
  /** How much faster than inline something must be to be advised. Default 1.2. */
  readonly worth?: number | undefined
  /** 'throughput' (default), or a budget in ms for the p99 of the main thread's loop delay. */
  readonly goal?: 'throughput' | { readonly responsive: number } | undefined
  /** Seed of the order of windows. Default: from the clock. */
  readonly seed?: number | undefined
  /** Aborting ends the run; the result holds what is known by then. Before anything is compared, measure() rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Called after each trial. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** The command that repeats the run, for the report. */
  readonly command?: string | undefined
}

const MEASURE_OPTIONS = optionNames(
  'task args executors connection sizes concurrency cpus uv rounds quick budget precision worth goal rate seed signal onProgress command',
)

/** A step of a measurement. */
export interface Progress {
  readonly variant: string
  readonly cpus: number
  /** Number of the comparison of this variant and limit, from 1, and how many there are. */
  readonly comparison: number
  readonly comparisons: number
  readonly phase: Phase
  /** Since the run began, and in all at most. */
  readonly seconds: number
  readonly budgetSeconds: number
  /** Candidates beside inline that are still in the race, and who leads it; null while nobody knows. */
  readonly live: number
  readonly best: { readonly cell: CellPlan; readonly ratio: number } | null
}

export interface ResolvedOptions {
  readonly executors: readonly ExecutorName[]
  /** Of `bullmq`; undefined: it is not measured. */
  readonly store: StoreToMeasure | undefined
  readonly sizes: readonly number[]
  readonly concurrency: readonly number[] | undefined
  readonly cpus: readonly number[]
  readonly uv: readonly number[]
  readonly settings: Omit<Settings, 'budgetSeconds'> & { readonly budgetSeconds: number | null }
  /** Without a budget, for each variant and limit. */
  readonly secondsForEach: number
  readonly rounds: number
  readonly rate: number | null
  readonly signal: AbortSignal | undefined
  readonly onProgress: (progress: Progress) => void
}

export interface StoreToMeasure {
  readonly connection: string
  /** Begins the names of all keys of this run. */
  readonly prefix: string
}

const onThisMachine: readonly ExecutorName[] = ['inline', 'concurrent', 'threads', 'processes']
const executorNames: readonly ExecutorName[] = [...onThisMachine, 'bullmq']
const MAX_WORKERS = 1024
const MAX_RATE = 100_000
const MAX_UV = 1024 // libuv's own limit

/** Seconds: of a quick run in all, and of another one for each variant and limit. */
const BUDGET = { quick: 40, each: 60 }

const PRECISION = { quick: 0.1, full: 0.07 }

export function resolveOptions(given: MeasureOptions): ResolvedOptions {
  checkObject('options', given)
  const raw = ownOptions(given)
  checkNames(raw, MEASURE_OPTIONS)
  const {
    executors = onThisMachine,
    quick = false,
    uv = [],
    cpus = [Math.min(cpuBudget().cpus, measurableCpus())],
  } = raw
  checkList('cpus', cpus, 'positive numbers', (value) => Number.isFinite(value) && value > 0)
  const { sizes = powersOfTwo(Math.min(MAX_WORKERS, wholeCpus(Math.max(...cpus)))) } = raw
  checkList('executors', executors, executorNames.join(', '), (name) => {
    checkWord('executors', name, executorNames)
    return true
  })
  checkCounts('sizes', sizes, MAX_WORKERS)
  if (!Array.isArray(uv) || uv.length > 0) checkCounts('uv', uv, MAX_UV)
  const { rate, concurrency } = raw
  checkOption(
    rate === undefined || (Number.isFinite(rate) && rate > 0 && rate <= MAX_RATE),
    'rate',
    `a number of calls per second up to ${MAX_RATE}`,
    rate,
  )
  if (concurrency !== undefined) checkCounts('concurrency', concurrency, MAX_WORKERS)
  checkUse(raw, executors)
  checkSwitch('quick', raw.quick)
  checkSignal('signal', raw.signal)
  checkFunction('onProgress', raw.onProgress)
  checkText('command', raw.command, 'the command that repeats the run')
  checkText('task', raw.task, 'the name of an exported function')
  return {
    executors,
    store: resolveStore(raw.connection, executors),
    sizes: ascending(sizes),
    concurrency: concurrency && ascending(concurrency),
    cpus: ascending(cpus),
    uv: ascending(uv),
    rounds: raw.rounds ?? Infinity,
    rate: rate ?? null,
    secondsForEach: BUDGET.each,
    settings: resolveSettings(raw, quick),
    signal: raw.signal,
    onProgress: raw.onProgress ?? (() => {}),
  }
}

/** Of executors that are not measured. */
function checkUse({ sizes, concurrency }: MeasureOptions, executors: readonly ExecutorName[]): void {
  const hasPools = executors.some((name) => name !== 'inline' && name !== 'concurrent')
  checkOption(sizes === undefined || hasPools, 'sizes', 'left out without threads and processes', sizes)
  const hasConcurrent = concurrency === undefined || executors.includes('concurrent')
  checkOption(hasConcurrent, 'concurrency', 'left out without the executor concurrent', concurrency)
}

function resolveStore(connection: unknown, executors: readonly ExecutorName[]): StoreToMeasure | undefined {
  const isUsed = executors.includes('bullmq')
  if (connection === undefined && !isUsed) return undefined
  const isUrl = typeof connection === 'string' && /^(?:rediss?|postgres(?:ql)?):\/\/./.test(connection)
  // What was given may hold a password.
  const shown = typeof connection === 'string' ? withoutPassword(connection) : connection
  checkOption(isUsed, 'connection', 'left out without the executor bullmq', shown)
  checkOption(
    isUrl,
    'connection',
    'the URL of the store of bullmq, such as redis://localhost:6379 or postgres://localhost/jobs',
    shown,
  )
  return {
    connection: connection as string,
    prefix: `threadwise_measure_${crypto.randomUUID().replaceAll('-', '_')}`,
  }
}

function resolveSettings(raw: MeasureOptions, quick: boolean): ResolvedOptions['settings'] {
  const { rounds = Infinity, seed = Date.now() >>> 0, worth = 1.2, goal = 'throughput' } = raw
  const { budget = quick ? BUDGET.quick : null, precision = quick ? PRECISION.quick : PRECISION.full } = raw
  const isRounds = rounds === Infinity || (Number.isInteger(rounds) && rounds >= 1)
  checkOption(isRounds, 'rounds', 'a whole number of at least 1', rounds)
  checkOption(Number.isFinite(worth) && worth >= 1, 'worth', 'a number of at least 1', worth)
  const isTime = raw.budget === undefined || (Number.isFinite(budget) && Number(budget) > 0)
  checkOption(isTime, 'budget', 'a number of seconds above 0', budget)
  const isShare = Number.isFinite(precision) && precision > 0 && precision < 1
  checkOption(isShare, 'precision', 'a share such as 0.1, for 10 %', precision)
  checkOption(Number.isInteger(seed), 'seed', 'a whole number', seed)
  return {
    quick,
    precision,
    worth,
    goal: resolveGoal(goal),
    budgetSeconds: budget,
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
