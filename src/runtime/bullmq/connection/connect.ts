// Connects to the store of a queue: Redis or PostgreSQL, by what was given.

import { checkPrefix, kindOf, resolveAddress, type StoreAddress } from './address.js'
import type { Connection, ConnectionEvents } from './connection.js'
import { connectPostgres } from './postgres-connection.js'
import { connectRedis } from './redis-connection.js'

/** @throws TW_ERR_PACKAGE_MISSING, TW_ERR_INVALID_OPTION (as rejections), and what a function throws that was given as the address */
export async function connect(
  given: StoreAddress,
  prefix: string | undefined,
  events: ConnectionEvents,
): Promise<Connection> {
  const address = await resolveAddress(given)
  const kind = kindOf(address)
  checkPrefix(prefix, kind)
  return kind === 'postgres'
    ? connectPostgres(address, prefix, events)
    : connectRedis(address, prefix, events)
}
