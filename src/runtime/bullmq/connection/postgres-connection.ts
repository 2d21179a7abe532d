// A connection to PostgreSQL by pg: a pool for jobs and for what is told, and a client of its own that listens.

import type * as BullMq from 'bullmq'
import type { PgPool, PgPoolClient } from 'bullmq'
import type { Connection, ConnectionEvents } from './connection.js'
import { loadPackage } from './load-package.js'
import { createPublisher } from './notices.js'
import { createPatience, type Patience } from './patience.js'
import { PostgresListener, type ListeningClient } from './postgres-listener.js'

interface Pg {
  readonly Pool: new (config: object) => PgPool
  readonly Client: new (config: object) => ListeningClient
}

type PooledClient = PgPoolClient & Pick<ListeningClient, 'unref' | 'connection'>

/** Milliseconds for a connection, or a free one of the pool; then it is tried again. */
const CONNECT_MS = 10_000

/** `prefix` is the schema that holds the tables. Its default is that of BullMQ. */
export async function connectPostgres(
  given: object,
  prefix: string | undefined,
  { onUp, onProblem }: ConnectionEvents,
): Promise<Connection> {
  const bullmq = await loadPackage<typeof BullMq>('bullmq')
  const loaded = await loadPackage<Pg & { default?: Pg }>('pg')
  const { Pool, Client } = loaded.default ?? loaded
  const schema = prefix ?? bullmq.DEFAULT_SCHEMA
  const config = { keepAlive: true, allowExitOnIdle: true, connectionTimeoutMillis: CONNECT_MS, ...given }
  const patience = createPatience(onProblem)
  const { pool, prepared } = openPool(new Pool(config), schema, { bullmq, patience })
  const listener = new PostgresListener(() => new Client(config), patience, onUp)
  return {
    ...{ connection: pool, backend: backendIn(schema, bullmq), prefix: undefined },
    get isUp() {
      return listener.isUp
    },
    risks: async () => risksIn((await pool.query<Setting>(SETTINGS)).rows),
    publish: createPublisher((text, values) => pool.query(text, values)),
    async subscribe(channel, receive) {
      await prepared // who may listen, and not make the tables, cannot use it
      return listener.subscribe(channel, receive)
    },
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

/** BullMQ takes the schema from options of a pool that it makes itself, which would not be patient. */
function backendIn(schema: string, { createPostgresBackend }: typeof BullMq): BullMq.BackendFactory {
  return (...args) => {
    const backend = (createPostgresBackend as BullMq.BackendFactory)(...args) as BullMq.PostgresQueueBackend
    Object.assign(backend.connection, { schema })
    return Object.assign(backend, { schema })
  }
}

/** Asks as long as the server is away, with the tables in place. */
function openPool(
  pool: PgPool,
  schema: string,
  { bullmq, patience }: { bullmq: typeof BullMq; patience: Patience },
): { pool: PgPool; prepared: Promise<void> } {
  const clients = new Set<PooledClient>()
  pool.on('error', ignore) // a connection that nobody uses was lost
  pool.on('connect', (given) => {
    const client = given as PooledClient
    clients.add(client)
    client.on('end', () => clients.delete(client))
    setUp(client, bullmq.quoteSchemaName(schema))
  })
  const prepared = patience.try(() => prepare(pool, schema, bullmq))
  prepared.catch(ignore) // each query tells it
  const patient: PgPool = {
    async connect() {
      await prepared
      return patience.try(() => pool.connect())
    },
    async query<Row>(text: string, values?: readonly unknown[]) {
      await prepared
      return patience.try(() => pool.query<Row>(text, values))
    },
    on(event: 'error' | 'connect', listener: (value: never) => void) {
      pool.on(event as 'error', listener as (error: Error) => void)
      return this
    },
    removeAllListeners() {
      return this // they are ours, too
    },
    /** At once: it would wait for queries that nobody answers. */
    async end() {
      for (const { connection } of clients) connection.stream.destroy()
      await pool.end().catch(ignore)
    },
  }
  return { pool: patient, prepared }
}

const ignore = () => {}

/** Before anything is asked on it: the functions of BullMQ name no schema. Not as an option of the connection, which the URL may have too. */
function setUp(client: PooledClient, schema: string): void {
  client.on('error', ignore) // what is asked on it fails, or nothing is
  client.unref() // who has no call open is not kept from ending
  client.query(`set search_path to ${schema}`).catch(ignore)
}

/** Makes the tables where there are none, or old ones. A user who may not make any can use those that are there. */
async function prepare(pool: PgPool, schema: string, bullmq: typeof BullMq): Promise<void> {
  const client = await pool.connect()
  try {
    const version = await bullmq.assertSchemaCompatibility(client, schema).catch((error: Error) => {
      if (error.name === 'SchemaMigrationRequiredError') return 0
      throw error
    })
    if (version < bullmq.LATEST_SCHEMA_VERSION) await bullmq.runMigrations(client, schema)
  } finally {
    client.release()
  }
}

interface Setting {
  readonly name: string
  readonly setting: string
}

const SETTINGS = `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit')`

export function risksIn(settings: readonly Setting[]): string[] {
  const off = settings.filter(({ setting }) => setting === 'off')
  return off.map(
    ({ name }) => `PostgreSQL forgets its last jobs when its machine fails (${name} off). Set it to on.`,
  )
}
