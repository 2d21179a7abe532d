// What both sides open of the store of a queue: the connection, what is kept beside its jobs, and the seal of what is said.

import type { StoreEvents } from '../queue/store.js'
import type * as BullMq from 'bullmq'
import type { Queue } from 'bullmq'
import { connect } from './connection/connect.js'
import type { StoreConnection, Marks } from './connection/connection.js'
import { loadPackage } from './connection/load-package.js'
import type { ResolvedAddress } from './options.js'
import { createSeal, type Seal } from './connection/seal.js'
import type { QueueCounts } from '../queue/store.js'

export interface Opened {
  readonly bullmq: typeof BullMq
  readonly connection: StoreConnection
  readonly marks: Marks
  /** Once the store can be reached. */
  readonly seal: Promise<Seal>
}

export async function openConnection(settings: ResolvedAddress, events: StoreEvents): Promise<Opened> {
  const { queue, prefix, secrets } = settings
  const bullmq = await loadPackage<typeof BullMq>('bullmq')
  const connection = await connect(settings.connection, prefix, events)
  const { scope } = connection
  const makeSeal = async () => {
    await connection.ready
    const known = secrets.length > 0 ? '' : await connection.secret()
    return createSeal({ prefix: `${connection.prefix ?? 'bull'}:${queue}`, scope, secrets, known })
  }
  const seal = makeSeal()
  seal.catch(() => {}) // each use of it tells
  return { bullmq, connection, marks: connection.marks(queue), seal }
}

/** Events hold results, and nothing here reads them. BullMQ takes 0 for its default. */
const KEPT_EVENTS = 1

/** `isReader`: who only asks leaves nothing behind. */
export function makeQueue({ bullmq, connection }: Opened, name: string, isReader: boolean): Queue {
  const streams = { events: { maxLen: KEPT_EVENTS } }
  const options = { ...bullOptions(connection), streams, skipMetasUpdate: isReader }
  const queue = new bullmq.Queue(name, options, connection.backend as never)
  queue.on('error', () => {}) // it tries again by itself
  return queue
}

export function bullOptions({ connection, prefix }: StoreConnection) {
  return { connection: connection as never, ...(prefix !== undefined && { prefix }), skipVersionCheck: true }
}

const COUNTED = ['waiting', 'prioritized', 'active', 'completed', 'failed'] as const

export async function countJobs(queue: Queue, marks: Marks): Promise<QueueCounts> {
  const [counts, oldest, now, isPaused] = await Promise.all([
    queue.getJobCounts(...COUNTED),
    marks.oldest(),
    marks.now(),
    queue.isPaused(),
  ])
  const { waiting, prioritized, active, completed, failed } = counts as Record<
    (typeof COUNTED)[number],
    number
  >
  const oldestMs = oldest === undefined ? null : Math.max(0, now - oldest)
  return { waiting: waiting + prioritized, running: active, completed, failed, oldestMs, isPaused }
}
