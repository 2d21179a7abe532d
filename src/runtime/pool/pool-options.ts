// The options of threads and processes: checked once, filled with their defaults, and read-only from then on.

import type { Size } from '../executor/executor.js'
import {
  type CommonOptions,
  type Most,
  type SizeRange,
  checkPositive,
  checkMilliseconds,
  resolveCommonOptions,
  type ResolvedCommonOptions,
  resolveSize,
} from '../executor/shared-options.js'
import { resolveModules, type NamedModules } from '../executor/task-module.js'
import { type Balance, checkBalance, shareOfWorker } from './balance.js'
import type { ExecutorKind } from '../executor/stats.js'
import {
  checkFunction,
  checkNames,
  checkObject,
  checkOption,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import { SIDE_BY_SIDE } from '../task/call-each.js'
import { checkEnvironment, type ResourceLimits } from './node-options.js'
import { carryData, type CarriedData } from './carried-data.js'
import { startsItself } from '../../primitives/task-modules.js'
import type { PoolOptions } from './pool.js'
import type { Output } from './workers/print-output.js'
import type { FailedWorker } from '../core/worker-errors.js'
import type { RetryPolicy } from './dispatch/retries.js'

export type { ResourceLimits }

export interface PoolExecutorOptions extends CommonOptions {
  /**
   * Number of workers, or a range such as `{ min: 1, max: 4 }`: then workers start when calls wait, and leave when they were not
   * needed for idleTimeout. Default: what `budget` gives.
   */
  readonly size?: Size
  /**
   * CPUs for a pool without a `size`, one worker each. 'shared': those of the process (see `cpuBudget`), divided among all such
   * pools, and again when one is closed or the limit changes; at least 1. A number: for this pool alone. Default 'shared'.
   */
  readonly budget?: 'shared' | number
  /** Milliseconds after which a worker beyond `size.min` that was not needed leaves. Default 30 000. */
  readonly idleTimeout?: number
  /** When a worker is replaced, without losing a call. Default: never. */
  readonly recycle?: Recycle
  /**
   * What becomes of a call whose worker dies while it runs. 'reject': TW_ERR_WORKER_EXITED. `{ retries: 2 }`: it is tried again
   * up to twice, alone in a worker, after `backoff` ms (default 100), and twice as long each further time. Only for tasks that may
   * run more than once. Default 'reject'.
   */
  readonly onWorkerExit?: 'reject' | { readonly retries: number; readonly backoff?: number }
  /**
   * Called when a worker ends by itself, or does not start: with the error, and with who it was. Calls that it held are rejected or tried
   * again all the same. Without it an error that belongs to no call is told by a warning, TW_WARN_WORKER_ERROR. Default: none.
   */
  readonly onWorkerError?: (error: unknown, worker: FailedWorker) => void
  /** Milliseconds that a worker may take to start, import the module and run its `setup`. Default 10 000. */
  readonly startTimeout?: number
  /**
   * Calls that may run at a time in all workers, those that wait on promises included; the others wait in the queue. Workers beyond it
   * would have nothing to do, and are not started. Default: `tasksPerWorker` for each worker.
   */
  readonly concurrency?: number
  /**
   * Calls that one worker may hold at a time; more than one runs only while others wait on promises. Default: an even share of
   * `concurrency`; without that 1024, and 1 where `maxQueue` bounds the queue.
   */
  readonly tasksPerWorker?: number
  /**
   * Which worker gets a call. 'shared': all take calls from one queue, so nobody is idle while a call waits. The others
   * choose when the call is made, and it waits for that worker: 'round-robin', 'random', 'least-busy' (with the fewest open
   * calls), or a function that gives its number. Default 'shared'.
   */
  readonly balance?: Balance
  /**
   * Milliseconds of run time after which the process gets a warning with code TW_WARN_SLOW_TASK, once for each call, that says
   * which worker the call keeps busy, and where in its code a thread is. Each call then costs some microseconds more.
   * Default: never.
   */
  readonly warnAfter?: number
  /** Environment variables of the workers, added to the caller's; undefined removes one. */
  readonly env?: Record<string, string | undefined>
  /**
   * What workers print: 'inherit' lets it through as it is, 'labelled' prints it line by line, as `[name-1] text`, so that lines of
   * different workers do not mix and tell where they come from; `{ stdout, stderr }` gives it to streams of yours, which stay open: one
   * that is left out is that of the program. What a task has printed is there before its result. Default 'inherit'.
   */
  readonly output?: Output
  /** What `process.argv` of the workers holds after the program and its file. Default: nothing. */
  readonly argv?: readonly string[]
  /**
   * Memory limits of each worker, as for node:worker_threads. A worker that exceeds them ends, its calls reject, and another takes
   * its place. For processes they become options of Node.
   */
  readonly resourceLimits?: ResourceLimits
  /** Node options of the workers, such as ['--max-old-space-size=512']. Default: the caller's. */
  readonly execArgv?: readonly string[]
  /**
   * `threadwise pools` lists this pool and `threadwise resize` changes it while the program runs, through a socket that only its user can reach. Needs
   * a `name`. Default: whether the environment variable THREADWISE_CONTROL is 1, for pools with a name.
   */
  readonly control?: boolean
}

/** Of executors whose calls all go to workers. */
export interface IsolatingOptions {
  /**
   * Each call has a worker of its own, which has run nothing before; the next one starts while it runs, so there are up to two for each of
   * `size`. Calls that run at a time: `size`. Default false.
   */
  readonly isolate?: boolean
}

/** Those of all kinds of pools. */
export interface AnyPoolOptions extends PoolExecutorOptions, IsolatingOptions {
  /** Of processes. */
  readonly cwd?: string
}

/** What a pool takes from around it. */
interface Surroundings {
  readonly kind: ExecutorKind
  readonly joinBudget: () => BudgetShare
  readonly most: Most
  /** Workers that the memory of a container holds. */
  readonly fitting: number
}

export interface BudgetShare {
  readonly size: number
  onBusy(): void
  leave(): void
}

/** What a runtime needs to start a worker. */
export interface WorkerSettings {
  readonly module: string
  readonly name: string
  readonly env: Record<string, string | undefined> | undefined
  readonly execArgv: readonly string[] | undefined
  readonly output: Output
  readonly argv: readonly string[]
  /** Of processes. */
  readonly cwd: string | undefined
  readonly resourceLimits: ResourceLimits | undefined
  readonly size: SizeRange
  readonly tasksPerWorker: number
  /** Promises of a call for many inputs that may be open at a time in a worker: see call-each.ts. */
  readonly sideBySide: number
  /** Calls after which a worker is replaced; Infinity: never for that. */
  readonly maxTasks: number
  /** Bytes after which a worker asks to be recycled; Infinity: never. */
  readonly maxHeapBytes: number
  readonly carriedData: CarriedData
}

/** When a worker is replaced: another starts, takes over, and the old one ends when it has done what it has. */
export interface Recycle {
  /** Calls, about. With 1 exactly: each call has a fresh worker, and waits until it is up. */
  readonly maxTasks?: number
  /** Bytes of its heap and of the buffers outside of it, with garbage that was not collected yet. */
  readonly maxHeapBytes?: number
  /** Milliseconds since it came up. */
  readonly maxAge?: number
}

export interface ResolvedPoolOptions extends ResolvedCommonOptions, WorkerSettings, PoolOptions {
  readonly balance: Balance
  /** Infinity: never. */
  readonly warnAfter: number
}

const NOT_ITSELF =
  'one whose workers do not make this pool again as they load it, and so on without end ' +
  '(keep the tasks in a file of their own, which makes no pool)'
const DEFAULT_BACKOFF_MS = 100
const DEFAULT_TASKS = 1024
const RECYCLE_OPTIONS = optionNames('maxTasks maxHeapBytes maxAge')
const RETRY_OPTIONS = optionNames('retries backoff')

/** @throws TW_ERR_INVALID_OPTION */
export function resolvePoolOptions(
  module: URL | string | NamedModules,
  given: AnyPoolOptions,
  surroundings: Surroundings,
): ResolvedPoolOptions {
  const raw = ownOptions(given)
  const common = resolveCommonOptions(surroundings.kind, raw)
  const { startTimeout = 10_000, idleTimeout = 30_000 } = raw
  const { balance = 'shared', env, execArgv, argv = [], output = 'inherit', isolate = false } = raw
  const { cwd } = raw
  const resourceLimits = ownOptions(raw.resourceLimits)
  const { warnAfter = Infinity, onWorkerError } = raw
  checkFunction('onWorkerError', onWorkerError)
  checkCalls(raw)
  for (const [option, ms] of Object.entries({ startTimeout, idleTimeout, warnAfter }))
    checkMilliseconds(option, ms)
  checkBalance(balance)
  checkEnvironment(surroundings.kind, raw)
  const url = resolveModules(module)
  checkOption(!startsItself(url), 'module', NOT_ITSELF, url)
  const recycle = isolate ? isolated(raw) : resolveRecycle(raw.recycle, surroundings.kind)
  const onWorkerExit = resolveRetries(raw.onWorkerExit)
  const carriedData = carryData(surroundings.kind, raw.workerData)
  const workers = resolveWorkers(raw, surroundings) // last: it changes other pools
  return {
    ...common,
    ...recycle,
    ...workers,
    ...resolveCalls(isolate ? { ...raw, tasksPerWorker: 1 } : raw, workers.size),
    isolates: isolate,
    // Of what its caller has limited each promise is a call by itself, which the pool counts.
    sideBySide: isLimited(raw) ? 1 : SIDE_BY_SIDE,
    onWorkerExit,
    onWorkerError,
    module: url,
    startTimeout,
    idleTimeout,
    warnAfter,
    balance,
    env,
    execArgv,
    argv,
    cwd,
    output: ownOptions(output),
    resourceLimits,
    carriedData,
    holdsCalls: common.maxQueue < Infinity || raw.concurrency !== undefined,
    // A worker and the one that takes over from it would each run as many as one may.
    isStrict: raw.concurrency !== undefined || (common.maxQueue < Infinity && recycle.recycles),
  }
}

function checkCalls({ concurrency, tasksPerWorker }: PoolExecutorOptions): void {
  if (concurrency !== undefined) checkPositive('concurrency', concurrency)
  if (tasksPerWorker !== undefined) checkPositive('tasksPerWorker', tasksPerWorker)
}

/** How many calls may run: in each worker, and in all. A bounded queue says nothing where what leaves it is not bounded. */
function resolveCalls(
  { concurrency, tasksPerWorker, maxQueue = Infinity }: PoolExecutorOptions,
  size: SizeRange,
) {
  if (concurrency === undefined)
    return { concurrency, tasksPerWorker: tasksPerWorker ?? (maxQueue < Infinity ? 1 : DEFAULT_TASKS) }
  const share = shareOfWorker(concurrency, size.max, tasksPerWorker)
  return { concurrency, tasksPerWorker: share, mostPerWorker: tasksPerWorker }
}

function isLimited({ concurrency, tasksPerWorker, maxQueue, isolate }: AnyPoolOptions): boolean {
  return (
    concurrency !== undefined || tasksPerWorker !== undefined || maxQueue !== undefined || isolate === true
  )
}

/** Workers beyond the calls that may run would have nothing to do. */
export function withinConcurrency({ min, max }: SizeRange, concurrency = Infinity): SizeRange {
  return { min: Math.min(min, concurrency), max: Math.min(max, concurrency) }
}

function resolveWorkers(raw: PoolExecutorOptions, surroundings: Surroundings) {
  const { size, ...share } = resolveSizeOf(raw, surroundings)
  return { ...share, size: withinConcurrency(size, raw.concurrency) }
}

function resolveSizeOf(raw: PoolExecutorOptions, { joinBudget, most, fitting }: Surroundings) {
  const { size, budget = 'shared' } = raw
  const isBudget = budget === 'shared' || (typeof budget === 'number' && budget > 0)
  checkOption(isBudget, 'budget', "'shared' or a number of CPUs above 0", budget)
  const isOfUse = raw.budget === undefined || size === undefined
  checkOption(isOfUse, 'budget', 'left out beside size, which says how many workers there are', budget)
  if (size !== undefined) return { size: resolveSize(size, most) }
  if (budget !== 'shared') {
    checkOption(budget < most.count + 1, 'budget', `'shared' or a number of CPUs up to ${most.text}`, budget)
    return { size: resolveSize(Math.max(1, Math.floor(budget))) }
  }
  const share = joinBudget()
  return { size: resolveSize(Math.min(share.size, most.count, fitting)), onBusy: () => share.onBusy() }
}

function resolveRecycle(given: Recycle = {}, kind?: ExecutorKind) {
  checkObject('recycle', given)
  const recycle = ownOptions(given)
  checkNames(recycle, RECYCLE_OPTIONS, 'recycle.')
  const { maxTasks = Infinity, maxHeapBytes = Infinity, maxAge = Infinity } = recycle
  if (maxTasks !== Infinity) checkPositive('recycle.maxTasks', maxTasks)
  if (maxHeapBytes !== Infinity) checkPositive('recycle.maxHeapBytes', maxHeapBytes)
  const tellsHeap = maxHeapBytes === Infinity || kind !== 'web'
  checkOption(tellsHeap, 'recycle.maxHeapBytes', 'left out: a browser does not tell it', maxHeapBytes)
  const isAge = typeof maxAge === 'number' && maxAge > 0
  checkOption(isAge, 'recycle.maxAge', 'a number of milliseconds above 0', maxAge)
  return { maxTasks, maxHeapBytes, maxAge, recycles: Math.min(maxTasks, maxHeapBytes, maxAge) < Infinity }
}

/** Each worker is for one call. */
function isolated({ recycle, tasksPerWorker }: PoolExecutorOptions) {
  const { maxTasks = 1 } = { ...recycle }
  checkOption(maxTasks === 1, 'recycle.maxTasks', 'left out beside isolate, where it is 1', maxTasks)
  const isOne = tasksPerWorker === undefined || tasksPerWorker === 1
  checkOption(isOne, 'tasksPerWorker', 'left out beside isolate, where it is 1', tasksPerWorker)
  return resolveRecycle({ ...recycle, maxTasks })
}

function resolveRetries(onWorkerExit: PoolExecutorOptions['onWorkerExit']): RetryPolicy | undefined {
  if (onWorkerExit === undefined || onWorkerExit === 'reject') return undefined
  checkObject('onWorkerExit', onWorkerExit, "'reject' or { retries }")
  checkNames(onWorkerExit, RETRY_OPTIONS, 'onWorkerExit.')
  const { retries, backoff = DEFAULT_BACKOFF_MS } = ownOptions(onWorkerExit)
  checkPositive('onWorkerExit.retries', retries)
  checkMilliseconds('onWorkerExit.backoff', backoff)
  return { retries, backoff }
}
