// bullmq: runs tasks on workers that take their jobs from a queue, on this machine and others.

import { checkObject } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { boundPool, type CallerRuns } from '../core/bounded-pool.js'
import { areCallsTold, Observer } from '../core/observer.js'
import type { Capabilities, Executor } from '../executor/executor.js'
import { executorFromCore, type EachCall } from '../executor/from-core.js'
import type { ChunkLimits } from '../executor/map-inputs.js'
import { resolveModule } from '../executor/task-module.js'
import { openCallerStore } from './caller-store.js'
import { storeErrors } from './store-errors.js'
import { resolveBullmqOptions, type BullmqOptions } from './options.js'
import { RemoteCalls } from '../queue/remote-calls.js'

const capabilities: Capabilities = {
  parallel: true,
  isolated: true,
  copies: true,
  transfer: false,
  sharedMemory: false,
  streams: false,
  keys: false,
  broadcast: false,
  remote: true,
  durable: true,
}

/** Inputs that map() keeps in flight: enough for full jobs on many workers, without holding all of a long source. */
const MAP_LIMIT = 65_536
/** Jobs of map() that are open at a time: four for each that workers run, as one that ends should find the next one waiting. */
const MAP_JOBS = { least: 64, perPlace: 4 }
/** A job of map() should take far longer than the way to a worker and back. */
const MAP_CHUNKS: Omit<ChunkLimits, 'openCalls'> = { targetUs: 30_000, maxItems: 4096, takesObjects: true }

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
  const kind = 'bullmq'
  checkObject('options', options)
  resolveModule(module)
  const resolved = resolveBullmqOptions(options)
  const { name } = resolved
  const observer = new Observer({ name, kind })
  const openStore = openCallerStore(resolved)
  const calls = new RemoteCalls({ ...resolved, observer, openStore, storeErrors })
  const bounded = boundPool(calls, { ...resolved, observer }, () => nowhere)
  const { submit, submitWhenRoom } = bounded
  const eachCall = calls.submitEach.bind(calls) as EachCall
  return executorFromCore<T>({
    kind,
    capabilities,
    submit,
    submitWhenRoom,
    ready: calls.ready,
    get size() {
      return calls.size
    },
    mapLimit: MAP_LIMIT,
    mapChunks: {
      ...MAP_CHUNKS,
      openCalls: () => Math.max(MAP_JOBS.least, MAP_JOBS.perPlace * calls.size),
    },
    eachCall: () => (bounded.isBounded || areCallsTold() ? undefined : eachCall),
    stream: (task) => refuse(`stream("${task}")`),
    broadcast: async (task) => refuse(`broadcast("${task}")`),
    resize: () => refuse('resize()'),
    hasRoom: bounded.hasRoom,
    whenRoom: bounded.whenRoom,
    recycleNow: async () => refuse('recycleNow()'),
    stats: () => ({
      kind,
      name,
      size: calls.size,
      ...bounded.stats,
      ...observer.durations,
      workers: [],
    }),
    close: (timeout) => bounded.close(timeout),
    destroy: (reason) => bounded.destroy(reason),
  })
}

/** The module is not loaded here, and so the caller runs none of its tasks. */
const nowhere: CallerRuns = {
  submit: (task) => refuse(`run("${task}")`),
  isBusy: true,
  onFree: undefined,
  pool: undefined,
}

function refuse(call: string): never {
  const expected = 'an executor whose workers are its own, such as threads'
  throw new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected, received: 'bullmq' })
}
