// bullmq: runs tasks on workers that take their jobs from a queue, on this machine and others.

import { checkObject } from '../../errors/check-options.js'
import type { Executor } from '../executor/executor.js'
import { resolveModule } from '../executor/task-module.js'
import { openCallerStore } from './caller-store.js'
import { storeErrors } from './store-errors.js'
import { resolveBullmqOptions, type BullmqOptions } from './options.js'
import { createQueueExecutor } from '../queue/queue-executor.js'

/**
 * Runs tasks on workers that take them from a queue of BullMQ in Redis or PostgreSQL: on as many machines as you like, each with
 * `threadwise worker FILE --queue NAME`, or {@link work}. The call is the same as on other executors. A job must take far longer than the
 * way to the store and back, which is some milliseconds. `stream()`, `broadcast()`, `resize()` and the option `key` are refused.
 *
 * Needs the packages `bullmq`, and `ioredis` or `pg`.
 *
 * @param module the task module, as for other executors; it is loaded by the workers, not here
 * @throws TW_ERR_INVALID_OPTION; calls reject also with TW_ERR_STORE_UNAVAILABLE, TW_ERR_CALL_LOST, TW_ERR_NO_WORKER,
 *   TW_ERR_PAYLOAD_TOO_LARGE and TW_ERR_PACKAGE_MISSING
 * @example
 * await using pool = bullmq(new URL('./tasks.js', import.meta.url), { connection: 'redis://localhost', queue: 'images' })
 * const html = await pool.tasks.render(data)
 */
export function bullmq<T = object>(module: URL | string, options: BullmqOptions): Executor<T> {
  checkObject('options', options)
  resolveModule(module)
  const resolved = resolveBullmqOptions(options)
  return createQueueExecutor<T>('bullmq', { ...resolved, openStore: openCallerStore(resolved), storeErrors })
}
