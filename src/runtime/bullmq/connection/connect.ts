// Connects to the store of a queue: Redis or PostgreSQL, by what was given.

import type { Connection, ConnectionEvents } from './connection.js'
import { connectPostgres } from './postgres-connection.js'
import { connectRedis } from './redis-connection.js'

/** A URL, or an object with the options of the client of that store. */
export type StoreAddress = string | object

const POSTGRES = /^postgres(?:ql)?:\/\/./
const REDIS = /^rediss?:\/\/./

/** @throws TW_ERR_PACKAGE_MISSING (as a rejection) */
export function connect(
  address: StoreAddress,
  prefix: string | undefined,
  events: ConnectionEvents,
): Promise<Connection> {
  return isPostgres(address)
    ? connectPostgres(typeof address === 'string' ? { connectionString: address } : address, prefix, events)
    : connectRedis(address, prefix, events)
}

export function isStoreUrl(url: string): boolean {
  return REDIS.test(url) || POSTGRES.test(url)
}

export function isPostgres(address: StoreAddress): boolean {
  if (typeof address === 'string') return POSTGRES.test(address)
  const { connectionString } = address as { connectionString?: unknown }
  return typeof connectionString === 'string' && POSTGRES.test(connectionString)
}
