// processes: runs tasks in child processes.

import { startGuard } from '../../primitives/starts/start-guard.js'
import { checkStartsNode } from '../../primitives/single-executable.js'
import { mostWorkers, workersInMemory } from '../../cpu/most-workers.js'
import { shareBudget } from '../../cpu/share-budget.js'
import { controlled } from '../control/controlled.js'
import type { Executor } from '../executor/executor.js'
import { namedPool } from '../executor/named-pool.js'
import { createPoolExecutor } from '../pool/pool-executor.js'
import type { IsolatingOptions, PoolExecutorOptions } from '../pool/pool-options.js'
import { startProcessWorker } from './process-worker.js'
import type { NamedModules } from '../executor/task-module.js'

/** Options of {@link processes}; all have defaults. Times are in milliseconds. */
export interface ProcessesOptions extends PoolExecutorOptions, IsolatingOptions {
  /** Working directory of the workers. Threads have that of their process, and so no such option. Default: the program's. */
  readonly cwd?: string
}

/**
 * Runs tasks in child processes: for code that is not safe in threads (native addons, process.chdir),
 * or that must not be able to take the program down. A call costs more than with threads, memory is not shared, and
 * nothing can be transferred.
 *
 * @param module the task module, or several by their names: a task is then called by both, as in `images.resize`
 * @throws TW_ERR_INVALID_OPTION
 * @example
 * await using pool = processes(new URL('./tasks.js', import.meta.url), { size: 2 })
 * const html = await pool.tasks.render(data)
 */
export function processes<T = object>(
  module: URL | string | NamedModules,
  options: ProcessesOptions = {},
): Executor<T> {
  checkStartsNode('processes()')
  const mayStart = startGuard('processes()')
  const create = () =>
    createPoolExecutor<T>(module, options, {
      kind: 'processes',
      capabilities: { parallel: true, isolated: true, copies: true, transfer: false, sharedMemory: false },
      shareBudget,
      most: mostWorkers('process'),
      inMemory: () => workersInMemory('process'),
      createRuntime: (settings) => ({
        startWorker(ids, events) {
          mayStart(ids.slot)
          return startProcessWorker(settings, ids, events)
        },
      }),
    })
  return namedPool<T>({ kind: 'processes', module, options }, () => controlled<T>(options, create))
}
