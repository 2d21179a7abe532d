// The parent's side of one worker thread.

import { Worker, type ResourceLimits } from 'node:worker_threads'
import { describe } from '../errors.js'
import { inheritedThreadExecArgv, workerEnv } from '../pool/inherited-options.js'
import type { PoolWorker, WorkerEvents, WorkerExit } from '../pool/pool-worker.js'
import type { WorkerSettings } from '../pool/pool-executor.js'
import { unwrap } from '../protocol/envelope.js'

export interface ThreadSettings extends WorkerSettings {
  readonly resourceLimits: ResourceLimits | undefined
}

/** What the entry finds in its workerData. */
export interface ThreadData {
  readonly module: string
  readonly name: string
  readonly id: number
  /** One Int32: how many calls have started. Written by the worker only, read by the parent after the worker's death. */
  readonly started: SharedArrayBuffer
}

const entry = new URL('./thread-entry.js', import.meta.url)

export function startThread(settings: ThreadSettings, id: number, events: WorkerEvents): PoolWorker {
  const { module, name, env, execArgv, resourceLimits } = settings
  const started = new Int32Array(new SharedArrayBuffer(4))
  const options = execArgv ?? inheritedThreadExecArgv()
  const workerData: ThreadData = { module, name, id, started: started.buffer }
  const worker = new Worker(entry, {
    workerData,
    name: `${name}-${id}`,
    env: workerEnv(env),
    ...(options && { execArgv: [...options] }),
    ...(resourceLimits && { resourceLimits }),
  })
  let cause: unknown
  worker.on('message', (received: unknown) => {
    const message = unwrap(received)
    if (message) events.onMessage(message)
  })
  // A message that cannot be read here carries the results of unknown calls: without the worker they settle as lost.
  worker.on('messageerror', (error) => {
    cause = error
    void worker.terminate()
  })
  worker.on('error', (error) => (cause = error))
  worker.on('exit', (code) => events.onExit(describeExit(code, cause)))
  worker.unref() // see keep-alive.ts; only now, since adding a 'message' listener references the worker again
  return {
    channel: {
      send: (message, transfer) => worker.postMessage(message, transfer as never),
      startedCalls: () => Atomics.load(started, 0),
    },
    terminate: () => void worker.terminate(),
  }
}

function describeExit(code: number, cause: unknown): WorkerExit {
  const exit = { how: `with exit code ${code}` }
  if (cause === undefined) return exit
  if (isOutOfMemory(cause)) return { how: 'because it ran out of memory', cause }
  return { how: `because of an error outside of any task (${describe(cause)})`, cause }
}

function isOutOfMemory(cause: unknown): boolean {
  // Whatever was thrown outside of a task arrives here, null too.
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
