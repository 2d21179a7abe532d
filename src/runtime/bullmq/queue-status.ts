// What waits in a queue, what runs, and which workers answer: for `threadwise queue`, and for programs that watch.

import { randomUUID } from 'node:crypto'
import { checkNames, checkObject, optionNames, ownOptions } from '../../errors/check-options.js'
import { createKeepAlive, inTime } from '../core/lifecycle.js'
import { loadClients } from './connection/connect.js'
import type { WorkerPresence } from '../queue/messages.js'
import { openCallerStore } from './caller-store.js'
import { resolveQueueAddress, type QueueAddress } from './options.js'
import type { CallerStore } from '../queue/store.js'
import { refusal, unreachable } from '../queue/unavailable.js'
import { storeErrors } from './store-errors.js'

/** What a queue holds now. */
export interface QueueStatus {
  readonly queue: string
  readonly waiting: number
  readonly running: number
  /** Of those that are kept still. */
  readonly completed: number
  readonly failed: number
  /** Milliseconds since the first of the jobs that wait was added; null: none waits. */
  readonly oldestMs: number | null
  /** It was paused by hand: no job is started until it goes on. */
  readonly isPaused: boolean
  readonly workers: readonly WorkerPresence[]
}

const ADDRESS_OPTIONS = optionNames('connection queue prefix secret')
/** Milliseconds for the store, and for workers, to answer; and for the connection to end. */
const STORE_MS = 10_000
const WORKERS_MS = 1000
const PARTING_MS = 2000

/**
 * What a queue holds now. Workers that do not answer within a second are left out.
 *
 * @throws (as a rejection) TW_ERR_INVALID_OPTION, TW_ERR_STORE_UNAVAILABLE, TW_ERR_PACKAGE_MISSING
 * @example const { waiting, workers } = await queueStatus({ connection: 'redis://localhost', queue: 'images' })
 */
export async function queueStatus(address: QueueAddress): Promise<QueueStatus> {
  const resolved = resolveQueueAddress(checkAddress(address))
  const { queue } = resolved
  await loadClients(resolved.connection)
  const keepAlive = createKeepAlive() // the connection keeps no program alive
  keepAlive.set(true)
  let why = ''
  const opening = openCallerStore({ ...resolved, isReader: true })({
    onUp() {},
    onProblem: (problem) => (why = problem),
  })
  let status: QueueStatus | undefined
  try {
    await inTime(
      opening.then(async (store) => {
        status = await ask(store, queue)
      }),
      STORE_MS,
    )
  } finally {
    await inTime(
      opening.then((store) => store.close()),
      PARTING_MS,
    ).catch(() => {})
    keepAlive.end()
  }
  if (!status) throw unreachable(queue, STORE_MS, { why })
  return status
}

function checkAddress(given: QueueAddress): QueueAddress {
  checkObject('options', given)
  const own = ownOptions(given)
  checkNames(own, ADDRESS_OPTIONS)
  return own
}

async function ask(store: CallerStore, queue: string): Promise<QueueStatus> {
  const workers: WorkerPresence[] = []
  const reply = randomUUID()
  try {
    await store.listen(reply, (message) => {
      if (message.type === 'here') workers.push(message.worker)
    })
    await store.tellWorkers({ type: 'who', reply })
    const answers = new Promise((resolve) => setTimeout(resolve, WORKERS_MS))
    const [counts] = await Promise.all([store.count(), answers])
    return { queue, ...counts, workers }
  } catch (error) {
    throw refusal(queue, error, storeErrors)
  }
}
