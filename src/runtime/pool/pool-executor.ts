// An Executor over the worker pool: what threads and processes have in common.

import { ON_THIS_MACHINE, type OwnCapabilities } from '../executor/capabilities.js'
import { CHUNKS_PER_WORKER, ON_WORKERS } from '../executor/chunk-size.js'
import type { Executor, WorkerStats } from '../executor/executor.js'
import type { ChunkLimits } from '../executor/map-inputs.js'
import type { ExecutorKind } from '../executor/stats.js'
import type { Submit } from '../executor/submit.js'
import { executorFromCore, type EachCall, type ExecutorCore } from '../executor/from-core.js'
import { boundPool, type BoundedPool } from '../core/bounded-pool.js'
import { createCallerRuns } from '../local/caller-runs.js'
import { createRule } from './balance.js'
import { isForTaskOf } from '../core/for-task.js'
import { areCallsTold, Observer } from '../core/observer.js'
import { Pool } from './pool.js'
import {
  resolvePoolOptions,
  withinConcurrency,
  type ResolvedPoolOptions,
  type AnyPoolOptions,
  type BudgetShare,
  type WorkerSettings,
} from './pool-options.js'
import { NO_OPTIONS, resolveSize, type Most, type SizeRange } from '../executor/shared-options.js'
import { streamsOf } from '../core/call-stream.js'
import type { Runtime } from './worker-group.js'
import type { NamedModules } from '../executor/task-module.js'

export interface PoolKind {
  readonly kind: ExecutorKind
  readonly capabilities: OwnCapabilities
  /** The share of a pool without a size in the CPUs of this process. */
  readonly shareBudget: (sharer: { resize(workers: number): void; isBusy(): boolean }) => BudgetShare
  /** The most workers of this kind that the machine holds. */
  readonly most: Most
  /** The most of those that are started without being asked for: a container may hold fewer than it has CPUs. */
  readonly inMemory: () => number
  /** Calls of a worker that may wait on promises at a time. Default: all that it holds. */
  readonly waitingPerWorker?: number
  /** Workers start with the first call, or with whoever looks at `ready`. */
  readonly startsLate?: boolean
  /** Calls are written as they are made: no queue in shared memory does that. */
  readonly writesEarly?: boolean
  readonly createRuntime: (settings: WorkerSettings) => Runtime
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
  module: URL | string | NamedModules,
  options: AnyPoolOptions,
  kind: PoolKind,
): Executor<T> {
  return executorFromCore<T>(createPoolCore(module, options, kind))
}

export function createPoolCore(
  module: URL | string | NamedModules,
  options: AnyPoolOptions,
  ofKind: PoolKind,
): PoolCore {
  const { kind, shareBudget, most, inMemory, waitingPerWorker, startsLate, writesEarly } = ofKind
  let share: BudgetShare | undefined
  const fitting = inMemory()
  const joinBudget = () => {
    const resize = (workers: number) => resizePool(resolveSize(Math.min(workers, most.count, fitting)))
    return (share = shareBudget({ resize, isBusy: () => pool.open > 0 }))
  }
  const resolved = resolvePoolOptions(module, options, { kind, joinBudget, most, fitting })
  const observer = new Observer({ name: resolved.name, kind, callsBack: resolved.host !== undefined })
  const settings = { ...resolved, observer, waitingPerWorker, startsLate, writesEarly }
  const pool: Pool = createPoolOr(() => share?.leave(), settings, ofKind.createRuntime)
  const resizePool = (range: SizeRange) => pool.resize(withinConcurrency(range, settings.concurrency))
  const bounded = boundPool(pool, settings, () => createCallerRuns(settings, true))
  return {
    ...callsOf(pool, bounded, resolved),
    ...changesOf(bounded, { most, resizePool, leaveBudget: () => share?.leave() }),
    kind,
    observer,
    capabilities: { ...ofKind.capabilities, ...ON_THIS_MACHINE },
    mapLimit: settings.size.max * MAP_CALLS_PER_WORKER,
    mapChunks: chunksFor(pool),
    ...statsOf({ pool, bounded, observer }, { kind, name: resolved.name }),
    get ready() {
      pool.wake()
      return pool.ready
    },
    get open() {
      return pool.open
    },
    get isOpen() {
      return pool.isOpen
    },
    get size() {
      return pool.size
    },
  }
}

interface Counted {
  readonly pool: Pool
  readonly bounded: BoundedPool
  readonly observer: Observer
}

function statsOf({ pool, bounded, observer }: Counted, who: { kind: ExecutorKind; name: string }) {
  const stats = (workers: readonly WorkerStats[]) => ({
    ...who,
    size: pool.size,
    ...bounded.stats,
    ...observer.durations,
    workers,
  })
  return { stats: () => stats(pool.workers), inspect: async () => stats(await pool.inspect()) }
}

function callsOf(pool: Pool, bounded: BoundedPool, { warnAfter, maxTasks }: ResolvedPoolOptions) {
  const warns = warnAfter < Infinity
  const isEach = !bounded.isBounded && !warns && maxTasks > 1 // inputs can travel as one call
  const warning = <R>(call: Submit<R>) => (warns ? withWarnings(call, warnAfter) : call)
  const submit = warning(bounded.submit)
  return {
    submit,
    submitWhenRoom: warning(bounded.submitWhenRoom),
    hasRoom: bounded.hasRoom,
    whenRoom: bounded.whenRoom,
    recycleNow: () => pool.recycleNow(),
    // Whoever has subscribed to calls is told of each.
    eachCall: () =>
      isEach && !areCallsTold() && !isForTaskOf(pool) ? (pool.submitEach as EachCall) : undefined,
    stream: streamsOf(submit),
    broadcast: warning(pool.broadcast.bind(pool)),
  }
}

interface Changes {
  readonly most: Most
  readonly resizePool: (range: SizeRange) => void
  readonly leaveBudget: () => void
}

function changesOf(
  bounded: BoundedPool,
  { most, resizePool, leaveBudget }: Changes,
): Pick<ExecutorCore, 'resize' | 'close' | 'destroy'> {
  return {
    resize(size) {
      const range = resolveSize(size, most)
      leaveBudget()
      resizePool(range)
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
function withWarnings<R>(submit: Submit<R>, warnAfter: number): Submit<R> {
  return (name, args, options = NO_OPTIONS) =>
    submit(name, args, { ...options, warnAfter: options.warnAfter ?? warnAfter })
}

/** Chunks as those of threadwise/parallel. */
function chunksFor(pool: Pool): ChunkLimits {
  const workers = () => Math.max(1, pool.size)
  return {
    ...ON_WORKERS,
    takesObjects: true,
    workers,
    openCalls: () => workers() * CHUNKS_PER_WORKER,
  }
}

type ObservedOptions = ResolvedPoolOptions & { readonly observer: Observer }

/** An option that only the runtime checks may be wrong. */
function createPoolOr(giveUp: () => void, ...args: Parameters<typeof createPool>): Pool {
  try {
    return createPool(...args)
  } catch (error) {
    giveUp()
    throw error
  }
}

function createPool(settings: ObservedOptions, createRuntime: PoolKind['createRuntime']): Pool {
  const { balance } = settings
  const choose = balance === 'shared' ? undefined : createRule(balance)
  return new Pool((own) => createRuntime({ ...settings, ...own }), { ...settings, choose })
}
