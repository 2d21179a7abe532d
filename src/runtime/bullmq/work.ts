// work(): the other side of bullmq.

import { resolveModule } from '../executor/task-module.js'
import { threads } from '../threads/threads-executor.js'
import { createQueueWorker, type QueueWorker } from '../queue/queue-worker.js'
import { openWorkerStore } from './worker-store.js'
import { storeErrors } from './store-errors.js'
import { resolveWorkOptions, type WorkOptions } from './work-options.js'

/**
 * Takes jobs from a queue and runs them in a pool of this process: the other side of {@link bullmq}, and what `threadwise worker` does.
 * It keeps the process alive until it is closed. The module is also loaded in this thread, for its classes and contexts.
 *
 * @param module the task module, as for other executors
 * @throws TW_ERR_INVALID_OPTION; `ready` rejects also with TW_ERR_START_FAILED, TW_ERR_START_TIMEOUT, TW_ERR_STORE_UNAVAILABLE and
 *   TW_ERR_PACKAGE_MISSING
 * @example
 * const worker = work(new URL('./tasks.js', import.meta.url), { connection: 'redis://localhost', queue: 'images' })
 * process.once('SIGTERM', () => worker.close())
 */
export function work(module: URL | string, options: WorkOptions): QueueWorker {
  const url = resolveModule(module)
  const resolved = resolveWorkOptions(options, threads)
  const { makePool, name, size, startTimeout } = resolved
  const pool = makePool(url, { name, startTimeout, ...(size !== undefined && { size }) })
  return createQueueWorker(url, pool, {
    ...resolved,
    openStore: (onProblem) => openWorkerStore(resolved, onProblem),
    storeErrors,
  })
}
