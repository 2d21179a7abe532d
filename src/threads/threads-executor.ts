// threads: runs tasks in worker threads of this process.

import type { ResourceLimits } from 'node:worker_threads'
import { cpuBudget, wholeCpus } from '../cpu/cpu-budget.js'
import type { Executor } from '../executor/executor.js'
import { createPoolExecutor, type PoolExecutorOptions } from '../pool/pool-executor.js'
import { startThread } from './thread-worker.js'

export interface ThreadsOptions extends PoolExecutorOptions {
  /** Memory limits of each thread, as for node:worker_threads. A thread that exceeds them is replaced. */
  readonly resourceLimits?: ResourceLimits
}

/**
 * Runs tasks in a fixed number of worker threads. Arguments and results are structured clones; `transfer` among the run
 * options moves ArrayBuffers instead. The pool does not keep the process alive unless a call is open.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example
 * await using pool = threads(new URL('./tasks.js', import.meta.url), { size: 2 })
 * const html = await pool.tasks.render(data)
 */
export function threads<T = object>(module: URL | string, options: ThreadsOptions = {}): Executor<T> {
  return createPoolExecutor<T>(module, options, {
    kind: 'threads',
    capabilities: { parallel: true, isolated: true, copies: true, transfer: true, sharedMemory: true },
    defaultSize: () => wholeCpus(cpuBudget().cpus),
    createStarter: (settings) => {
      const { resourceLimits } = options
      return (id, events) => startThread({ ...settings, resourceLimits }, id, events)
    },
  })
}
