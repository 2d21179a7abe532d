// What the queues hold, as it was when their store last answered: a store that is slow or away holds up nothing else.

import { resolveAddress } from '../../../runtime/bullmq/options.js'
import { queueStatus, type QueueStatus } from '../../../runtime/bullmq/queue-status.js'
import { withoutPassword } from '../../../primitives/without-password.js'
import { shown } from './log-tail.js'
import type { QueueRow } from './view.js'

/** A look opens a connection to the store. */
const PAUSE_MS = 10_000

export interface QueueAddresses {
  readonly queues: readonly string[]
  readonly connection: string
  readonly prefix?: string
  readonly secret?: readonly string[]
}

/** @throws TW_ERR_INVALID_OPTION */
export function checkQueues({ queues, ...address }: QueueAddresses): void {
  for (const queue of queues) resolveAddress({ ...address, queue })
}

const NOTHING = { waiting: 0, running: 0, failed: 0, oldestMs: null, isPaused: false, workers: 0 }

/** Gives what is known, and asks anew when that is old. It is called while somebody watches. */
export function watchQueues({ queues, ...address }: QueueAddresses): () => readonly QueueRow[] {
  const rows = new Map<string, QueueRow>(queues.map((queue) => [queue, { queue, ...NOTHING, problem: 'not asked yet' }])) // prettier-ignore
  let isAsking = false
  let askedAt = -Infinity
  const askAll = async () => {
    for (const queue of queues) {
      const row = await queueStatus({ ...address, queue }).then(rowOf, (error: Error) => ({ queue, ...NOTHING, problem: shown(withoutPassword(error.message)) })) // prettier-ignore
      rows.set(queue, row)
    }
  }
  return () => {
    if (queues.length > 0 && !isAsking && performance.now() - askedAt > PAUSE_MS) {
      isAsking = true
      void askAll().finally(() => {
        isAsking = false
        askedAt = performance.now()
      })
    }
    return [...rows.values()]
  }
}

function rowOf({ queue, waiting, running, failed, oldestMs, isPaused, workers }: QueueStatus): QueueRow {
  return { queue, waiting, running, failed, oldestMs, isPaused, workers: workers.length, problem: null }
}
