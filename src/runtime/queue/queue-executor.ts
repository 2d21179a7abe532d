// An executor whose workers take their calls from a store, whatever keeps it: the caller's side.

import { ThreadwiseError } from '../../errors/errors.js'
import { boundPool, type BoundedPoolOptions, type CallerRuns } from '../core/bounded-pool.js'
import { areCallsTold, Observer } from '../core/observer.js'
import type { Capabilities, Executor } from '../executor/executor.js'
import { executorFromCore, type EachCall } from '../executor/from-core.js'
import type { ChunkLimits } from '../executor/map-inputs.js'
import type { ExecutorKind } from '../executor/stats.js'
import type { QueueOptions } from './queue-options.js'
import { RemoteCalls } from './remote-calls.js'

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

export interface QueueExecutorOptions
  extends Omit<QueueOptions, 'observer'>, Omit<BoundedPoolOptions, 'observer'> {
  readonly name: string
}

/** @example createQueueExecutor<T>('bullmq', { ...resolved, openStore, storeErrors }) */
export function createQueueExecutor<T>(kind: ExecutorKind, options: QueueExecutorOptions): Executor<T> {
  const { name } = options
  const observer = new Observer({ name, kind })
  const calls = new RemoteCalls({ ...options, observer })
  const refuse = (call: string): never => {
    const expected = 'an executor whose workers are its own, such as threads'
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected, received: kind })
  }
  /** The module is not loaded here, and so the caller runs none of its tasks. */
  const nowhere: CallerRuns = {
    submit: (task) => refuse(`run("${task}")`),
    isBusy: true,
    onFree: undefined,
    pool: undefined,
  }
  const bounded = boundPool(calls, { ...options, observer }, () => nowhere)
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
