// 'threadwise/bullmq': what users import; the comment below opens its page of the reference.

/**
 * The same call on a cluster: tasks run by workers that take their jobs from a queue of BullMQ, on as many machines as you like. Needs the
 * package `bullmq` (6.4 or later), and `ioredis` or `pg`.
 *
 * @example
 * import { bullmq } from 'threadwise/bullmq'
 * const pool = bullmq(new URL('./tasks.js', import.meta.url), { connection: 'redis://localhost', queue: 'images' })
 * const html = await pool.tasks.render(data)
 * await pool.close()
 * // the other side, on each machine: threadwise worker tasks.js --queue images --connection redis://localhost
 *
 * @module threadwise/bullmq
 */

export { bullmq } from './runtime/bullmq/bullmq-executor.js'
export { work } from './runtime/bullmq/work.js'
export type { QueueWorker, QueueWorkerStats } from './runtime/queue/queue-worker.js'
export { queueStatus, type QueueStatus } from './runtime/bullmq/queue-status.js'
export { jobs, type JobInfo, type QueueJobs } from './runtime/bullmq/queue-jobs.js'
export type { BullmqOptions, QueueAddress } from './runtime/bullmq/options.js'
export type { MakePool, WorkOptions } from './runtime/bullmq/work-options.js'
export type { QueueCounts } from './runtime/queue/store.js'
export type { WorkerPresence } from './runtime/queue/messages.js'
