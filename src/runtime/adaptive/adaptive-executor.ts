// adaptive: runs each call in the caller's own thread or in a worker thread, wherever it costs less.

import { checkOverride, cpuBudget } from '../../cpu/cpu-budget.js'
import { afterMicrotasks, nextTurn, soon } from '../../primitives/timers.js'
import { ownOptions } from '../../errors/check-options.js'
import { controlled } from '../control/controlled.js'
import type { Executor, ExecutorStats } from '../executor/executor.js'
import { executorFromCore, type ExecutorCore } from '../executor/from-core.js'
import { namedPool } from '../executor/named-pool.js'
import { checkMilliseconds, resolveCommonOptions } from '../executor/shared-options.js'
import { resolveModule } from '../executor/task-module.js'
import { addCounts } from '../executor/stats.js'
import type { PoolCore } from '../pool/pool-executor.js'
import { createThreadsCore, type ThreadsOptions } from '../threads/threads-executor.js'
import { copiedTasks, OwnThread } from './own-thread.js'
import { Decider } from './decider.js'
import { FunctionModel, FunctionModels, type CreateModel } from './function-model.js'
import { LoopTurns } from './loop-turns.js'

/** Options of {@link adaptive}: those of its threads, and how long it may run calls inline. All have defaults. */
export interface AdaptiveOptions extends Omit<ThreadsOptions, 'isolate'> {
  /**
   * Milliseconds for which calls that would be as well off in a worker may hold up the event loop in one turn, and for which a
   * function may run there at all. 0: all calls go to workers. Default 5: about a pause of the garbage collector.
   */
  readonly maxBlock?: number
}

/**
 * Learns how long each function runs and what its way to a worker costs, and runs each call in the caller's own thread or in a
 * worker thread by that. Arguments, results and errors are copies in both places. What it has learned is in
 * `stats().decisions`. A function that may end or block the program belongs to `threads`: here it may run in the caller's thread.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example
 * await using executor = adaptive(new URL('./tasks.js', import.meta.url))
 * const html = await executor.tasks.render(data)
 */
export function adaptive<T = object>(module: URL | string, options: AdaptiveOptions = {}): Executor<T> {
  const createModel: CreateModel = (name, maxBlockUs) => new FunctionModel(name, maxBlockUs)
  return namedPool<T>({ kind: 'adaptive', module, options }, () =>
    controlled<T>(options, () => adaptiveWith<T>(createModel, module, options)),
  )
}

/** The same for tests, whose models learn from given times: those of the machine depend on what else it does. */
export function adaptiveWith<T = object>(
  createModel: CreateModel,
  module: URL | string,
  options: AdaptiveOptions,
): Executor<T> {
  const url = resolveModule(module) // not several: a function that is loaded by its first call gives a promise, and would count as asynchronous
  const common = resolveCommonOptions('adaptive', options)
  const { maxBlock = 5, startTimeout = 10_000 } = ownOptions(options)
  checkMilliseconds('maxBlock', maxBlock)
  const turns = createTurns(1000 * maxBlock) // checks what the pool may not need, so it comes before that starts
  const core = createThreadsCore(module, options, 'adaptive')
  const models = new FunctionModels(1000 * maxBlock, createModel)
  const own = new OwnThread({
    ...common,
    startTimeout,
    module: url,
    observer: core.observer,
    // What a short function forks may be long.
    forkTo: (name, args, options) => (core.isOpen ? core.submit(name, args, options) : undefined),
    wrap: (find) =>
      copiedTasks(find, models, (model, runUs, copyUs) => {
        model.ranInline(runUs, copyUs)
        if (model.place === 'alone') turns.used(runUs + copyUs)
      }),
  })
  const decider = new Decider({ core, own, models, turns })
  return executorFromCore<T>(join(core, own, decider))
}

function join(core: PoolCore, own: OwnThread, decider: Decider): ExecutorCore {
  const withOwn = (stats: ExecutorStats): ExecutorStats => ({
    ...stats,
    ...(own.pool && addCounts(stats, own.pool.counts)),
    decisions: decider.decisions,
  })
  return {
    ...core,
    get size() {
      return core.size
    },
    capabilities: { ...core.capabilities, isolated: false },
    mapChunks: { ...core.mapChunks!, takesObjects: false }, // each of those goes where it costs less
    submit: decider.submit,
    submitWhenRoom: decider.submitWhenRoom,
    // The module has one more copy: what all of them must do, it must do too.
    async broadcast(name, args, options) {
      const here = own.isReady ? [own.submit(name, args, options)] : []
      const [all, ...last] = await Promise.all([core.broadcast(name, args, options), ...here])
      return [...all, ...last]
    },
    stats: () => withOwn(core.stats()),
    inspect: async () => withOwn(await core.inspect!()),
    async close(timeout) {
      await Promise.all([core.close(timeout), own.pool?.close(timeout)])
    },
    async destroy(reason) {
      await Promise.all([core.destroy(reason), own.pool?.destroy(reason)])
    },
  }
}

function createTurns(maxBlockUs: number): LoopTurns {
  const scheduler = {
    microtask: soon,
    afterMicrotasks,
    nextTurn: (callback: () => void) => void nextTurn(callback).unref(),
  }
  const turns = new LoopTurns(scheduler, maxBlockUs)
  const asked = checkOverride()
  // The first reading of the budget takes longer than the start of a worker should wait.
  nextTurn(() => (turns.isParallel = cpuBudget(asked).cpus >= 1.5)).unref()
  return turns
}
