// An Executor over the worker pool: what threads and processes have in common.

import type {
  Capabilities,
  Executor,
  ExecutorKind,
  RunOptions,
  Size,
  WorkerStats,
} from '../executor/executor.js'
import { executorFromCore, type ExecutorCore } from '../executor/from-core.js'
import type { CommonOptions } from '../executor/options.js'
import type { EachResult } from '../protocol/run-each.js'
import { boundPool, type BoundedPool } from './bounded-pool.js'
import { createRule, type Balance } from './balance.js'
import { DirectedPool } from './directed-pool.js'
import type { CallPool } from './call-pool.js'
import type { SubmitFork } from './fork-calls.js'
import type { SizeRange } from './elastic-size.js'
import { Observer } from './observer.js'
import { Pool } from './pool.js'
import { resolvePoolOptions, type ResolvedPoolOptions } from './pool-options.js'
import { resolveSize } from './pool-size.js'
import { streamsOf } from './stream-calls.js'
import type { SharedCalls, StartWorker } from './pool-worker.js'

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
  /** Milliseconds that a worker may take to start and import the module. Default 10 000. */
  readonly startTimeout?: number
  /** Calls that one worker may hold at a time; more than one runs only while others wait on promises. Default 1024. */
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
   * different workers do not mix and tell where they come from. Default 'inherit'.
   */
  readonly output?: 'inherit' | 'labelled'
  /**
   * Memory limits of each worker, as for node:worker_threads. A worker that exceeds them ends, its calls reject, and another takes
   * its place. For processes they become options of Node.
   */
  readonly resourceLimits?: ResourceLimits
  /** Node options of the workers, such as ['--max-old-space-size=512']. Default: the caller's. */
  readonly execArgv?: readonly string[]
}

export interface PoolKind {
  readonly kind: ExecutorKind
  readonly capabilities: Capabilities
  /** The share of a pool without a size in the CPUs of this process. */
  readonly shareBudget: (sharer: { resize(workers: number): void; isBusy(): boolean }) => BudgetShare
  readonly createRuntime: (settings: WorkerSettings) => Runtime
}

export interface BudgetShare {
  readonly size: number
  onBusy(): void
  leave(): void
}

export interface Runtime {
  readonly startWorker: StartWorker
  readonly shared?: SharedCalls | undefined
}

/** What a runtime needs to start a worker. */
export interface WorkerSettings {
  readonly module: string
  readonly name: string
  readonly env: Record<string, string | undefined> | undefined
  readonly execArgv: readonly string[] | undefined
  readonly output: 'inherit' | 'labelled'
  readonly resourceLimits: ResourceLimits | undefined
  readonly size: SizeRange
  readonly tasksPerWorker: number
  /** Bytes after which a worker says that it is worn; Infinity: never. */
  readonly maxHeapBytes: number
}

/** As the ResourceLimits of node:worker_threads. */
export interface ResourceLimits {
  /** MiB of the main heap. */
  readonly maxOldGenerationSizeMb?: number
  /** MiB of the heap for young objects. */
  readonly maxYoungGenerationSizeMb?: number
  /** MiB for generated code; threads only. */
  readonly codeRangeSizeMb?: number
  /** MiB of the stack. */
  readonly stackSizeMb?: number
}

/** When a worker is replaced: another starts, takes over, and the old one ends when it has done what it has. */
export interface Recycle {
  /** Calls, about. */
  readonly maxTasks?: number
  /** Bytes of its heap and of the buffers outside of it, with garbage that was not collected yet. */
  readonly maxHeapBytes?: number
  /** Milliseconds since it came up. */
  readonly maxAge?: number
}

/** Calls that map() keeps open for each worker: enough for full batches of short calls, without holding all inputs. */
const MAP_CALLS_PER_WORKER = 2048

/** An executor over a pool, before it has the interface of users: part of another executor. */
export interface PoolCore extends ExecutorCore {
  readonly observer: Observer
  /** Calls that are not settled. */
  readonly open: number
  /** It takes calls. */
  readonly isOpen: boolean
}

export function createPoolExecutor<T>(
  module: URL | string,
  options: PoolExecutorOptions,
  kind: PoolKind,
): Executor<T> {
  return executorFromCore<T>(createPoolCore(module, options, kind))
}

export function createPoolCore(
  module: URL | string,
  options: PoolExecutorOptions,
  { kind, capabilities, shareBudget, createRuntime }: PoolKind,
): PoolCore {
  let share: BudgetShare | undefined
  const resolved = resolvePoolOptions(module, options, () => {
    const resize = (workers: number) => pool.resize({ min: workers, max: workers })
    share = shareBudget({ resize, isBusy: () => pool.open > 0 })
    return share
  })
  const { name, warnAfter } = resolved
  const observer = new Observer({ name, kind })
  const settings = { ...resolved, observer }
  const pool: CallPool = createPoolOr(() => share?.leave(), settings, createRuntime)
  const bounded = boundPool(pool, { ...settings, copies: true })
  const stats = (workers: readonly WorkerStats[]) => ({
    ...{ kind, name, size: pool.size, ...bounded.stats, ...observer.durations, workers },
  })
  return {
    kind,
    capabilities,
    observer,
    get open() {
      return pool.open
    },
    get isOpen() {
      return pool.isOpen
    },
    get size() {
      return pool.size
    },
    ready: pool.ready,
    mapLimit: settings.size.max * MAP_CALLS_PER_WORKER,
    ...callsOf(pool, bounded, warnAfter),
    stats: () => stats(pool.workers),
    inspect: async () => stats(await pool.inspect()),
    ...endsOf(pool, bounded, () => share?.leave()),
  }
}

function callsOf(pool: CallPool, bounded: BoundedPool, warnAfter: number) {
  const warns = warnAfter < Infinity
  const warning = <R>(call: Call<R>) => (warns ? withWarnings(call, warnAfter) : call)
  const submit = warning(bounded.submit)
  return {
    submit,
    submitPatiently: warning(bounded.submitPatiently),
    submitEach: bounded.isBounded || warns ? undefined : eachOf(pool),
    stream: streamsOf(submit),
    broadcast: warning(pool.broadcast.bind(pool)),
  }
}

function endsOf(
  pool: CallPool,
  bounded: BoundedPool,
  leaveBudget: () => void,
): Pick<ExecutorCore, 'resize' | 'close' | 'destroy'> {
  return {
    resize(size) {
      const range = resolveSize(size)
      leaveBudget()
      pool.resize(range)
    },
    close(timeout) {
      leaveBudget()
      return bounded.close(timeout)
    },
    destroy(reason) {
      leaveBudget()
      return bounded.destroy(reason)
    },
  }
}

/** Calls get the pool's option unless they have their own. */
function withWarnings<R>(submit: Call<R>, warnAfter: number): Call<R> {
  return (name, args, options) => submit(name, args, { warnAfter, ...options })
}

type Call<R> = (name: string, args: readonly unknown[], options: RunOptions | undefined) => Promise<R>

function eachOf(pool: CallPool): ExecutorCore['submitEach'] {
  return pool.submitEach && ((name, inputs) => pool.submitEach!(name, inputs) as Promise<EachResult>)
}

/** An option that only the runtime checks may be wrong. */
function createPoolOr(giveUp: () => void, ...terms: Parameters<typeof createPool>): CallPool {
  try {
    return createPool(...terms)
  } catch (error) {
    giveUp()
    throw error
  }
}

function createPool(settings: ResolvedPoolOptions, createRuntime: PoolKind['createRuntime']): CallPool {
  const { balance, size, closeTimeout } = settings
  if (balance === 'shared') {
    const { startWorker, shared } = createRuntime(settings)
    return new Pool(startWorker, settings, shared)
  }
  let lastId = 0
  const createLane = (startsAtOnce: boolean) => {
    const own = { ...settings, size: { min: startsAtOnce ? 1 : 0, max: 1 } }
    const { startWorker, shared } = createRuntime(own)
    const withForks = { ...own, forkTo: (...call: Parameters<SubmitFork>) => directed.submitFork(...call) }
    return new Pool((_, events) => startWorker(++lastId, events), withForks, shared)
  }
  const directed: DirectedPool = new DirectedPool({
    size,
    closeTimeout,
    createLane,
    choose: createRule(balance),
  })
  return directed
}
