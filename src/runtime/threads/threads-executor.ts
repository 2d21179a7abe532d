// threads: runs tasks in worker threads of this process.

import { checkOverride, cpuBudget } from '../../cpu/cpu-budget.js'
import { mostWorkers, workersInMemory } from '../../cpu/most-workers.js'
import { shareBudget } from '../../cpu/share-budget.js'
import { controlled } from '../control/controlled.js'
import type { Executor } from '../executor/executor.js'
import type { ExecutorKind } from '../executor/stats.js'
import { executorFromCore } from '../executor/from-core.js'
import { namedPool } from '../executor/named-pool.js'
import { createPoolCore, type PoolCore } from '../pool/pool-executor.js'
import type { IsolatingOptions, PoolExecutorOptions, WorkerSettings } from '../pool/pool-options.js'
import { startGuard } from '../../primitives/starts/start-guard.js'
import { startTimer } from '../../primitives/timers.js'
import { checkWord, ownOptions } from '../../errors/check-options.js'
import type { Call } from '../pool/calls/call.js'
import { SharedQueue } from '../shared-memory/main/shared-queue.js'
import { startThread } from './thread-worker.js'
import type { NamedModules } from '../executor/task-module.js'

/** Options of {@link threads}; all have defaults. Times are in milliseconds. */
export interface ThreadsOptions extends PoolExecutorOptions, IsolatingOptions {
  /**
   * How calls reach the threads. 'shared': through shared memory where the values allow it, which is faster; 'message':
   * always by postMessage. Results are the same. Default 'shared' where there is SharedArrayBuffer.
   */
  readonly transport?: 'shared' | 'message'
}

/** Microseconds for which an idle worker, and the main thread, look for work before they sleep. */
const SPIN_US = { worker: 40, main: 50 }

/** Milliseconds in which two workers are up, also on a slow machine. */
const AFTER_START_MS = 200

/**
 * Runs tasks in worker threads. Arguments and results are structured clones; `transfer` among the run
 * options moves ArrayBuffers instead. The pool does not keep the process alive unless a call is open.
 *
 * @param module the task module, or several by their names: a task is then called by both, as in `images.resize`
 * @throws TW_ERR_INVALID_OPTION
 * @example
 * await using pool = threads(new URL('./tasks.js', import.meta.url), { size: 2 })
 * const html = await pool.tasks.render(data)
 */
export function threads<T = object>(
  module: URL | string | NamedModules,
  options: ThreadsOptions = {},
): Executor<T> {
  return namedPool<T>({ kind: 'threads', module, options }, () =>
    controlled<T>(options, () => executorFromCore<T>(createThreadsCore(module, options, 'threads'))),
  )
}

/** The same as part of another executor, whose kind is told. */
export function createThreadsCore(
  module: URL | string | NamedModules,
  options: ThreadsOptions,
  kind: ExecutorKind,
): PoolCore {
  const mayStart = startGuard('threads()')
  return createPoolCore(module, options, {
    kind,
    capabilities: { parallel: true, isolated: true, copies: true, transfer: true, sharedMemory: true },
    shareBudget,
    most: mostWorkers('thread'),
    inMemory: () => workersInMemory('thread'),
    createRuntime: (settings) => {
      // From the shared queue a worker takes calls by itself, more than one.
      const isShared = usesSharedMemory(options) && settings.maxTasks > 1
      const shared = isShared ? createSharedQueue(settings) : undefined
      return {
        shared,
        startWorker(ids, events) {
          mayStart(ids.slot)
          return startThread(settings, ids, events, shared)
        },
      }
    },
  })
}

function usesSharedMemory(options: ThreadsOptions): boolean {
  const { transport = 'shared' } = ownOptions(options)
  checkWord('transport', transport, ['shared', 'message'])
  return transport !== 'message' && typeof SharedArrayBuffer === 'function'
}

function createSharedQueue({ size, tasksPerWorker }: WorkerSettings): SharedQueue<Call> {
  const asked = checkOverride()
  const queue = new SharedQueue<Call>(size.max, tasksPerWorker)
  // Below two CPUs whoever spins keeps the others from working, and uses up the quota. To read the budget takes 3 to 9 ms of CPU time,
  // which the workers need for their start.
  startTimer(AFTER_START_MS, () => {
    const { cpus } = cpuBudget(asked)
    queue.setCpus(cpus)
    if (cpus >= 2) queue.spinFor(SPIN_US)
  })?.unref()
  return queue
}
