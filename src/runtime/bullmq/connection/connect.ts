// Connects to the store of a queue: Redis or PostgreSQL, by what was given.

import type { StoreEvents } from '../../queue/store.js'
import { checkPrefix, kindOf, resolveAddress, type StoreAddress } from './address.js'
import type { StoreConnection } from './connection.js'
import { loadPackage } from './load-package.js'
import { connectPostgres } from './postgres-connection.js'
import { connectRedis } from './redis-connection.js'

/** Loads what that store needs, as far as it is known, before any time is counted: what that takes is not the store's. @throws TW_ERR_PACKAGE_MISSING */
export async function loadClients(given: StoreAddress): Promise<void> {
  const kind = kindOf(given)
  await loadPackage('bullmq')
  if (kind) await loadPackage(kind === 'redis' ? 'ioredis' : 'pg')
}

/** @throws TW_ERR_PACKAGE_MISSING, TW_ERR_INVALID_OPTION (as rejections), and what a function throws that was given as the address */
export async function connect(
  given: StoreAddress,
  prefix: string | undefined,
  events: StoreEvents,
): Promise<StoreConnection> {
  const address = await resolveAddress(given)
  const kind = kindOf(address)
  checkPrefix(prefix, kind)
  return kind === 'postgres'
    ? connectPostgres(address, prefix, events)
    : connectRedis(address, prefix, events)
}
