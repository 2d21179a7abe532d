// The executor bullmq with a worker of its own, in one process: the CPU limit of a trial holds for both sides of the queue.

import { randomUUID } from 'node:crypto'
import { bullmq } from '../../runtime/bullmq/bullmq-executor.js'
import { work } from '../../runtime/bullmq/work.js'
import type { Executor } from '../../runtime/executor/executor.js'

export interface QueueToOpen {
  readonly connection: string
  readonly prefix: string
  readonly workers: { readonly size: number; readonly concurrency?: number }
}

/** A store that is there answers much sooner. */
const START_MS = 5000

/** Its calls wait for as long as the trial does. */
export function openQueue(module: string, { connection, prefix, workers }: QueueToOpen): Executor {
  const address = { connection, prefix, queue: `trial-${randomUUID()}` }
  const worker = work(module, { ...address, ...workers, startTimeout: START_MS })
  const caller = bullmq(module, { ...address, startTimeout: START_MS, keepResults: 0 })
  const ready = Promise.all([caller.ready, worker.ready]).then(() => {})
  ready.catch(() => {}) // as that of every executor: who never looks at it learns of the failure from the calls
  return Object.defineProperty(caller, 'ready', { value: ready })
}
