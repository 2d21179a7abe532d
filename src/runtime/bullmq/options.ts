// The options of both sides of a queue: checked once, filled with their defaults, and read-only from then on.

import {
  checkNames,
  checkObject,
  checkOption,
  checkText,
  checkWord,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import { withoutPassword } from '../../primitives/without-password.js'
import {
  checkCount,
  checkMilliseconds,
  resolveCommonOptions,
  type WhenFull,
} from '../executor/shared-options.js'
import { isPostgres, isStoreUrl } from './connection/connect.js'

/** Which queue, of which store. */
export interface QueueAddress {
  /**
   * The store: `redis://`, `rediss://` (TLS) or `postgres://`; or an object with the options of the package `ioredis`, such as
   * `{ host, port, tls }`, or with `connectionString: 'postgres://...'` and further options of the package `pg`.
   */
  readonly connection: string | object
  /** Name of the queue; callers and workers of one task module have the same. Letters, digits, `-`, `_` and `.`. */
  readonly queue: string
  /** Begins the names of all keys; in PostgreSQL the schema of the tables. Default 'bull', and 'bullmq' there, as BullMQ. */
  readonly prefix?: string
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
  /** Time for which the store keeps what became of a job, for callers that come back. Default 600 000 (ten minutes). */
  readonly keepResults?: number
  /** Bytes that the arguments of a call, or its result, may take in the store. Default 16 777 216 (16 MiB). */
  readonly maxPayload?: number
}

export interface ResolvedAddress {
  readonly connection: string | object
  readonly queue: string
  readonly prefix: string | undefined
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
const EXPECTED_CONNECTION =
  "the URL of a store, such as 'redis://localhost:6379' or 'postgres://localhost/jobs', or an object with the options of ioredis or pg"
/** As BullMQ takes it. */
const SCHEMA = /^[A-Za-z_][\w$]{0,62}$/

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
  checkCount('maxPayload', maxPayload)
  const times = { startTimeout, closeTimeout, workerTimeout, storeTimeout, keepResults }
  const retries = resolveRetries(raw.onWorkerExit)
  return { name, ...resolveAddress(raw), ...times, maxQueue, whenFull, maxPayload, retries }
}

/** @throws TW_ERR_INVALID_OPTION */
export function resolveAddress({ connection, queue, prefix }: QueueAddress): ResolvedAddress {
  checkConnection(connection)
  const isQueue = typeof queue === 'string' && /^[\w.-]+$/.test(queue)
  checkOption(isQueue, 'queue', 'the name of a queue, of letters, digits, -, _ and .', queue)
  checkText('prefix', prefix, 'a non-empty string')
  const isSchema = prefix === undefined || !isPostgres(connection) || SCHEMA.test(prefix)
  checkOption(
    isSchema,
    'prefix',
    'the name of a schema of PostgreSQL: letters, digits and _, at most 63',
    prefix,
  )
  return { connection, queue, prefix }
}

function checkConnection(connection: unknown): void {
  const isUrl = typeof connection === 'string' && isStoreUrl(connection)
  const isObject = typeof connection === 'object' && connection !== null && !Array.isArray(connection)
  // What was given may hold a password.
  const shown = typeof connection === 'string' ? withoutPassword(connection) : connection
  checkOption(isUrl || isObject, 'connection', EXPECTED_CONNECTION, shown)
}

function resolveRetries(onWorkerExit: BullmqOptions['onWorkerExit']): number {
  if (onWorkerExit === undefined || onWorkerExit === 'reject') return 0
  checkObject('onWorkerExit', onWorkerExit, "'reject' or { retries }")
  checkNames(onWorkerExit, RETRY_OPTIONS, 'onWorkerExit.')
  checkCount('onWorkerExit.retries', onWorkerExit.retries)
  return onWorkerExit.retries
}
