// A connection to PostgreSQL by pg: a pool for jobs and for what is told, and a client of its own that listens.

import type { StoreEvents } from '../../queue/store.js'
import type * as BullMq from 'bullmq'
import type { PgPool } from 'bullmq'
import type { StoreAddress } from './address.js'
import type { StoreConnection } from './connection.js'
import { loadPackage } from './load-package.js'
import { createPublisher } from './notices.js'
import { createPatience } from './patience.js'
import { backendIn } from './postgres-backend.js'
import { openPg } from './postgres-client.js'
import { PostgresListener } from './postgres-listener.js'
import { postgresMarks } from './postgres-marks.js'
import { openPool } from './postgres-pool.js'

/** `prefix` is the schema that holds the tables. Its default is that of BullMQ. */
export async function connectPostgres(
  given: StoreAddress,
  prefix: string | undefined,
  { onUp, onProblem }: StoreEvents,
): Promise<StoreConnection> {
  const bullmq = await loadPackage<typeof BullMq>('bullmq')
  const { Pool, Client, config } = await openPg(given)
  const schema = prefix ?? bullmq.DEFAULT_SCHEMA
  const patience = createPatience(onProblem)
  const { pool, prepared, destroyAll } = openPool(new Pool(config), schema, { bullmq, patience })
  const listener = new PostgresListener(() => new Client(config), patience, onUp)
  const settings = 'select name, setting from pg_settings where name = any($1)'
  return {
    connection: pool,
    backend: backendIn(schema, bullmq),
    prefix: undefined,
    scope: schema,
    ready: prepared,
    maxMessage: 0,
    secret: () => secretIn(pool),
    get isUp() {
      return listener.isUp
    },
    get breaks() {
      return patience.breaks
    },
    marks: (queue) => postgresMarks(pool, queue),
    guard() {}, // its backend guards
    risks: async () => postgresRisks((await pool.query<Setting>(settings, [AT_RISK])).rows),
    publish: createPublisher((text, values) => pool.query(text, values)),
    async subscribe(channel, receive) {
      await prepared // who may listen, and not make the tables, cannot use it
      return listener.subscribe(channel, receive)
    },
    ping: () => listener.ping(),
    replace: () => (destroyAll(), listener.replace()),
    async removeKeys() {
      await pool.query(`drop schema if exists ${bullmq.quoteSchemaName(schema)} cascade`)
    },
    end() {
      patience.end()
      listener.end()
      void pool.end()
    },
  }
}

/** Whoever may read the tables has it, and nobody else. */
async function secretIn(pool: PgPool): Promise<string> {
  return (await pool.query<{ secret: string }>('select secret from threadwise_secret')).rows[0]!.secret
}

interface Setting {
  readonly name: string
  readonly setting: string
}

const AT_RISK = ['fsync', 'synchronous_commit']

export function postgresRisks(settings: readonly Setting[]): string[] {
  const off = settings.filter(({ setting }) => setting === 'off')
  return off.map(
    ({ name }) => `PostgreSQL forgets its last jobs when its machine fails (${name} off). Set it to on.`,
  )
}
