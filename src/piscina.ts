// 'threadwise/piscina': what users import; the comment below opens its page of the reference.

/**
 * The interface of piscina 5 on the threads of threadwise: one line changes, and the program runs on this package. See docs/from-piscina.md
 * for what differs, and for the native way.
 *
 * @example
 * import { Piscina } from 'threadwise/piscina' // before: from 'piscina'
 * const pool = new Piscina({ filename: new URL('./worker.js', import.meta.url).href })
 * console.log(await pool.run({ a: 4, b: 6 }))
 *
 * @module threadwise/piscina
 */

export {
  Piscina as default,
  Piscina,
  isWorkerThread,
  version,
  workerData,
} from './runtime/piscina/piscina.js'
export { move, queueOptionsSymbol, transferableSymbol, valueSymbol } from './runtime/piscina/movable.js'
export { ArrayTaskQueue, FixedQueue } from './runtime/piscina/task-queue.js'
export type { Transferable } from './runtime/piscina/movable.js'
export type { PiscinaLoadBalancer, PiscinaWorker } from './runtime/piscina/balanced-threads.js'
export type { PiscinaTask, TaskQueue } from './runtime/piscina/task-queue.js'
export type { FilledOptions, PiscinaOptions } from './runtime/piscina/options.js'
export type { RunOptions } from './runtime/piscina/run-request.js'
export type { AbortSignalAny } from './runtime/piscina/abort.js'
export type { PiscinaHistogram, PiscinaHistogramSummary } from './runtime/piscina/histogram.js'
export type { PiscinaThread } from './runtime/piscina/thread-views.js'
export type { ResourceLimits } from './runtime/pool/pool-options.js'
