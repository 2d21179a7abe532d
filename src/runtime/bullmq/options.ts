// The options of both sides of a queue: checked once, filled with their defaults, and read-only from then on.

import {
  checkNames,
  checkObject,
  checkOption,
  checkWord,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import {
  checkPositive,
  checkMilliseconds,
  resolveCommonOptions,
  type WhenFull,
} from '../executor/shared-options.js'
import { checkPrefix, kindOf, type StoreAddress } from './connection/address.js'
import { MAX_KEEP_MS } from '../queue/messages.js'

/** Which queue, of which store. */
export interface QueueAddress {
  /**
   * The store: `redis://`, `rediss://` (TLS), `redis+sentinel://host1,host2/name`, `redis+cluster://host1,host2` or `postgres://`; an object
   * with the options of the package `ioredis` that names a server, such as `{ host, port, tls }` or `{ sentinels, name }`, or with
   * `connectionString: 'postgres://...'` and further options of the package `pg`; an instance of `Redis`, `Cluster` or `Pool`, of which own
   * connections are made, as it stays yours; or a function that gives one of these, or a promise of it.
   */
  readonly connection: string | object
  /** Name of the queue; callers and workers of one task module have the same. Letters, digits, `-`, `_` and `.`. */
  readonly queue: string
  /** Begins the names of all keys; in PostgreSQL the schema of the tables. Default 'bull', and 'bullmq' there, as BullMQ. */
  readonly prefix?: string
  /**
   * Known to the callers and workers of a queue only: jobs, results and messages are signed with it, so that whoever can write to the store can
   * have nothing run. Of several the first one signs, and all are accepted, so that it can be changed: the new one second everywhere, then first,
   * then alone. Default: messages alone are signed, by the password of the connection.
   */
  readonly secret?: string | readonly string[]
}

/** Options of {@link bullmq}. Times are in milliseconds. */
export interface BullmqOptions extends QueueAddress {
  /** Shown in errors and in `stats()`. Default: 'threadwise'. */
  readonly name?: string
  /** Time for `ready` to reach the store. Default 10 000. */
  readonly startTimeout?: number
  /** Time that close() waits for accepted calls. Default 30 000. */
  readonly closeTimeout?: number
  /** Calls of this caller that may wait, beside as many as the workers run at a time, as far as these have told. Default: no limit. */
  readonly maxQueue?: number
  /**
   * What happens to a call beyond maxQueue. 'reject': TW_ERR_QUEUE_FULL. 'wait': it waits here until there is room, its signal aborts or
   * its queueTimeout passes. 'discard': TW_ERR_DISCARDED. Default 'reject'.
   */
  readonly whenFull?: 'reject' | 'wait' | 'discard'
  /**
   * What becomes of a call whose worker dies while it runs, or whose job the store has lost. 'reject': TW_ERR_WORKER_EXITED or
   * TW_ERR_CALL_LOST, and no call runs twice. `{ retries: 2 }`: it is tried again up to twice. Only for tasks that may run more than
   * once. Default 'reject'.
   */
  readonly onWorkerExit?: 'reject' | { readonly retries: number }
  /** Time for which calls wait while no worker is there; then TW_ERR_NO_WORKER. Infinity: for ever. Default 30 000. */
  readonly workerTimeout?: number
  /** Time for which calls wait while the store gives no answer; then TW_ERR_STORE_UNAVAILABLE. Default 30 000. */
  readonly storeTimeout?: number
  /**
   * Time for which the store keeps what became of a job, for callers that come back; by the store's clock, from the end of the job, or from when
   * its caller knows of it. Default 600 000 (ten minutes).
   */
  readonly keepResults?: number
  /** Bytes that the arguments of a call, or its result, may take in the store. Default 16 777 216 (16 MiB). */
  readonly maxPayload?: number
}

export interface ResolvedAddress {
  readonly connection: StoreAddress
  readonly queue: string
  readonly prefix: string | undefined
  readonly secrets: readonly string[]
}

export interface ResolvedBullmqOptions extends ResolvedAddress {
  readonly name: string
  readonly startTimeout: number
  readonly closeTimeout: number
  readonly maxQueue: number
  readonly whenFull: WhenFull
  readonly retries: number
  readonly workerTimeout: number
  readonly storeTimeout: number
  readonly keepResults: number
  readonly maxPayload: number
}

const WHEN_FULL: readonly WhenFull[] = ['reject', 'wait', 'discard']
const RETRY_OPTIONS = optionNames('retries')

/** A key of PostgreSQL has at most 2704 bytes, with the id of a job. */
const QUEUE = /^[\w.-]{1,200}$/

/** Letters: what is shorter is found by trying. */
const MIN_SECRET = 16

/** Of what a worker may hold by default, too. */
export const MAX_PAYLOAD = 16 * 1024 * 1024

/** @throws TW_ERR_INVALID_OPTION */
export function resolveBullmqOptions(given: BullmqOptions): ResolvedBullmqOptions {
  const raw = ownOptions(given)
  const { name, closeTimeout, maxQueue, whenFull } = resolveCommonOptions('bullmq', raw)
  checkWord('whenFull', whenFull, WHEN_FULL) // a job that waits belongs to the store, and the module is not loaded here
  const { startTimeout = 10_000, workerTimeout = 30_000, storeTimeout = 30_000, keepResults = 600_000 } = raw
  const { maxPayload = MAX_PAYLOAD } = raw
  for (const [option, value] of Object.entries({ startTimeout, workerTimeout, storeTimeout, keepResults }))
    checkMilliseconds(option, value)
  const isKept = keepResults <= MAX_KEEP_MS
  checkOption(isKept, 'keepResults', `milliseconds up to ${MAX_KEEP_MS} (a year)`, keepResults)
  checkPositive('maxPayload', maxPayload)
  const times = { startTimeout, closeTimeout, workerTimeout, storeTimeout, keepResults }
  const retries = resolveRetries(raw.onWorkerExit)
  return { name, ...resolveQueueAddress(raw), ...times, maxQueue, whenFull, maxPayload, retries }
}

/** @throws TW_ERR_INVALID_OPTION */
export function resolveQueueAddress({ connection, queue, prefix, secret }: QueueAddress): ResolvedAddress {
  const kind = kindOf(connection)
  const isQueue = typeof queue === 'string' && QUEUE.test(queue)
  checkOption(isQueue, 'queue', 'the name of a queue, of letters, digits, -, _ and ., at most 200', queue)
  checkPrefix(prefix, kind)
  return { connection, queue, prefix, secrets: resolveSecrets(secret) }
}

/** What was given is not shown. */
function resolveSecrets(secret: QueueAddress['secret']): readonly string[] {
  if (secret === undefined) return []
  const secrets = (Array.isArray(secret) ? secret.slice() : [secret]) as readonly unknown[]
  const isValid =
    secrets.length > 0 && secrets.every((one) => typeof one === 'string' && one.length >= MIN_SECRET)
  checkOption(
    isValid,
    'secret',
    `a text of at least ${MIN_SECRET} letters, or a list of these`,
    typeof secret,
  )
  return secrets as readonly string[]
}

function resolveRetries(onWorkerExit: BullmqOptions['onWorkerExit']): number {
  if (onWorkerExit === undefined || onWorkerExit === 'reject') return 0
  checkObject('onWorkerExit', onWorkerExit, "'reject' or { retries }")
  checkNames(onWorkerExit, RETRY_OPTIONS, 'onWorkerExit.')
  checkPositive('onWorkerExit.retries', onWorkerExit.retries)
  return onWorkerExit.retries
}
