// What the queues hold, as it was when their store last answered: a store that is slow or away holds up nothing else.

import { setTimeout as delay } from 'node:timers/promises'
import { resolveQueueAddress } from '../../../runtime/bullmq/options.js'
import { queueStatus, type QueueStatus } from '../../../runtime/bullmq/queue-status.js'
import { withoutPassword } from '../../../primitives/without-password.js'
import { shown } from './log-tail.js'
import type { QueueRow } from './view.js'

/** A look opens a connection to the store. */
const PAUSE_MS = 10_000
const WAIT_MS = 1500

export interface QueueAddresses {
  readonly queues: readonly string[]
  readonly connection: string
  readonly prefix?: string
  readonly secret?: readonly string[]
}

/** @throws TW_ERR_INVALID_OPTION */
export function checkQueues({ queues, ...address }: QueueAddresses): void {
  for (const queue of queues) resolveQueueAddress({ ...address, queue })
}

const NOTHING = { waiting: 0, running: 0, failed: 0, oldestMs: null, isPaused: false, workers: 0 }

/** Gives what is known, and asks anew when that is old. Whoever asks first waits for the answers, for a while. */
export function watchQueues({ queues, ...address }: QueueAddresses): () => Promise<readonly QueueRow[]> {
  const rows = new Map<string, QueueRow>(
    queues.map((queue) => [queue, { queue, ...NOTHING, problem: 'not asked yet' }]),
  )
  let asking: Promise<unknown> | undefined
  let knownAt = -Infinity
  const ask = async (queue: string) => {
    const row = await queueStatus({ ...address, queue }).then(rowOf, (error: Error) => ({
      queue,
      ...NOTHING,
      problem: shown(withoutPassword(error.message)),
    }))
    rows.set(queue, row)
  }
  return async () => {
    const isOld = performance.now() - knownAt > PAUSE_MS
    if (queues.length > 0 && isOld && !asking) {
      asking = Promise.all(queues.map(ask)).finally(() => {
        asking = undefined
        knownAt = performance.now()
      })
      await Promise.race([asking, delay(WAIT_MS, undefined, { ref: false })])
    }
    return [...rows.values()]
  }
}

function rowOf({ queue, waiting, running, failed, oldestMs, isPaused, workers }: QueueStatus): QueueRow {
  return { queue, waiting, running, failed, oldestMs, isPaused, workers: workers.length, problem: null }
}
