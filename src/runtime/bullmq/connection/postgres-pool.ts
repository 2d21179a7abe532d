// The connections to PostgreSQL for jobs and for what is told: asked as long as the server is away, and with the tables in place.

import { randomBytes } from 'node:crypto'
import type * as BullMq from 'bullmq'
import type { PgPool, PgPoolClient } from 'bullmq'
import type { StorePatience } from './patience.js'
import type { ListeningClient } from './postgres-listener.js'
import { TABLES } from './postgres-marks.js'

type PooledClient = PgPoolClient & Pick<ListeningClient, 'unref' | 'connection'>

export interface OpenPool {
  readonly pool: PgPool
  readonly prepared: Promise<void>
  readonly destroyAll: () => void
}

/** Asks as long as the server is away, with the tables in place. */
export function openPool(
  pool: PgPool,
  schema: string,
  { bullmq, patience }: { bullmq: typeof BullMq; patience: StorePatience },
): OpenPool {
  const clients = clientsOf(pool)
  const take = takeIn(pool, bullmq.quoteSchemaName(schema))
  const prepared = patience.try(() => prepare(take, schema, bullmq))
  prepared.catch(ignore) // each query tells it
  const destroyAll = () => {
    for (const { connection } of clients) connection.stream.destroy()
  }
  const patient: PgPool = {
    async connect() {
      await prepared
      return patience.try(take)
    },
    async query<Row>(text: string, values?: readonly unknown[]) {
      await prepared
      return patience.try(() => ask<Row>(take, text, values))
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
      destroyAll()
      await pool.end().catch(ignore)
    },
  }
  return { pool: patient, prepared, destroyAll }
}

function clientsOf(pool: PgPool): ReadonlySet<PooledClient> {
  const clients = new Set<PooledClient>()
  pool.on('error', ignore) // a connection that nobody uses was lost
  pool.on('connect', (given) => {
    const client = given as PooledClient
    clients.add(client)
    client.on('end', () => clients.delete(client))
    client.on('error', ignore) // what is asked on it fails, or nothing is
    client.unref() // who has no call open is not kept from ending
  })
  return clients
}

const ignore = () => {}
const READ_ONLY = '25006'

type Take = () => Promise<PgPoolClient>

/**
 * Before anything else is asked on it: the functions of BullMQ name no schema. Not as an option of the connection, which the URL may have too;
 * and pg warns of a client that is asked while it is asked.
 */
function takeIn(pool: PgPool, schema: string): Take {
  const isSet = new WeakSet<PgPoolClient>()
  return async () => {
    const client = await pool.connect()
    if (isSet.has(client)) return client
    try {
      await client.query(`set search_path to ${schema}`)
    } catch (error) {
      client.release(true)
      throw error
    }
    isSet.add(client)
    return client
  }
}

async function ask<Row>(take: Take, text: string, values?: readonly unknown[]) {
  const client = await take()
  try {
    const answer = await client.query<Row>(text, values)
    client.release()
    return answer
  } catch (error) {
    const { severity, code } = Object(error) as { severity?: unknown; code?: unknown }
    // Without an answer it is of no use any more; and one that may only read keeps to that, whatever the database allows by then.
    client.release(severity === undefined || severity === 'FATAL' || code === READ_ONLY)
    throw error
  }
}

/** Makes the tables where there are none, or old ones. A user who may not make any can use those that are there. */
async function prepare(take: Take, schema: string, bullmq: typeof BullMq): Promise<void> {
  const client = await take()
  let isWhole = false
  try {
    const version = await bullmq.assertSchemaCompatibility(client, schema).catch((error: Error) => {
      if (error.name === 'SchemaMigrationRequiredError') return 0
      throw error
    })
    if (version < bullmq.LATEST_SCHEMA_VERSION) await bullmq.runMigrations(client, schema)
    const own = await client.query<{ found: string | null }>(
      `select to_regclass('threadwise_secret') as found`,
    )
    if (own.rows[0]!.found === null) await makeTables(client)
    isWhole = true
  } finally {
    client.release(!isWhole)
  }
}

/** One after the other: two that make the same table at once get in each other's way. */
async function makeTables(client: PgPoolClient): Promise<void> {
  await client.query(
    `begin; select pg_advisory_xact_lock(hashtext('threadwise:tables')); ${TABLES};
    insert into threadwise_secret (secret) values ('${randomBytes(32).toString('base64url')}') on conflict do nothing; commit`,
  )
}
