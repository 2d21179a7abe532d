// What connections to PostgreSQL are made of, by what was given: pg, and its options.

import type { PgPool } from 'bullmq'
import { isPostgresInstance, type StoreAddress } from './address.js'
import { loadPackage } from './load-package.js'
import type { ListeningClient } from './postgres-listener.js'

export interface Pg {
  readonly Pool: new (config: object) => PgPool
  readonly Client: new (config: object) => ListeningClient
}

/** Milliseconds for a connection, or a free one of the pool; then it is tried again. */
const CONNECT_MS = 10_000
const TIMES = { keepAlive: true, allowExitOnIdle: true, connectionTimeoutMillis: CONNECT_MS }

export async function openPg(given: StoreAddress): Promise<Pg & { readonly config: object }> {
  const loaded = await loadPackage<Pg & { default?: Pg }>('pg')
  const { Pool, Client } = loaded.default ?? loaded
  return { Pool, Client, config: { ...TIMES, ...optionsIn(given) } }
}

/** Of an instance, what it was made with: it stays the user's own. Its password is no property that can be listed. */
function optionsIn(given: StoreAddress): object {
  if (typeof given === 'string') return { connectionString: given }
  if (!isPostgresInstance(given as Record<string, unknown>)) return given
  const { options, connectionParameters } = given as { options?: object; connectionParameters?: object }
  const { host, port, user, database, password, ssl } = (options ?? connectionParameters) as Record<
    string,
    unknown
  >
  const own = options ? { ...options, password, ssl } : { host, port, user, database, password, ssl }
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
}
