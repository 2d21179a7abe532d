// How clients of Redis are made, by what was given: one after the other of the same kind, none of which is the user's own.

import type * as IoRedis from 'ioredis'
import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis'
import { checkOption } from '../../../errors/check-options.js'
import { isRedisInstance, type StoreAddress } from './address.js'
import { loadPackage } from './load-package.js'
import { readSeveral, type Several } from './redis-url.js'

export type RedisClient = Redis | Cluster

export interface RedisTarget {
  readonly create: (options?: RedisOptions) => RedisClient
  /** The number of its database. */
  readonly db: number
  readonly password: string
}

/** It may have been given with each of the servers that are asked first. */
function passwordOfFirst(cluster: Cluster): string {
  const [first] = (cluster as unknown as { startupNodes?: readonly unknown[] }).startupNodes ?? []
  if (typeof first === 'string' && URL.canParse(first)) return decodeURIComponent(new URL(first).password)
  return (Object(first) as { password?: string }).password ?? ''
}

/** Milliseconds from one attempt to the next. */
const pause = (times: number) => Math.min(50 * times, 1000)

/** Commands wait for as long as it takes: who has made a call gives it up by times of its own. */
const PATIENT: RedisOptions = {
  maxRetriesPerRequest: null,
  retryStrategy: pause,
  lazyConnect: false,
  enableOfflineQueue: true,
  autoResubscribe: true,
  autoResendUnfulfilledCommands: true,
  enableAutoPipelining: false,
  enableReadyCheck: true,
  // It was the main server and is a replica now: its address leads to another one, or will.
  reconnectOnError: ({ message }) => message.startsWith('READONLY'),
}

export async function redisTarget(address: StoreAddress): Promise<RedisTarget> {
  const template = await makeTemplate(address)
  if (isCluster(template)) {
    const { redisOptions = {} } = template.options
    const create = (options?: RedisOptions) =>
      template.duplicate([], patientCluster({ ...redisOptions, ...options }))
    return { create, db: 0, password: redisOptions.password ?? passwordOfFirst(template) }
  }
  const { options } = template
  const isPlain = !options.keyPrefix
  checkOption(isPlain, 'connection.keyPrefix', 'absent: `prefix` is the option for it', options.keyPrefix)
  const create = (own?: RedisOptions) =>
    template.duplicate({ ...PATIENT, commandTimeout: undefined as never, ...own })
  return { create, db: options.db ?? 0, password: options.password ?? '' }
}

export function isCluster(client: RedisClient): client is Cluster {
  return (client as { isCluster?: boolean }).isCluster === true
}

/** Never connected: it holds what the next ones are made of. The user's own instance stays as it is. */
async function makeTemplate(address: StoreAddress): Promise<RedisClient> {
  if (typeof address === 'object' && isRedisInstance(address as Record<string, unknown>))
    return address as RedisClient
  const loaded = await loadPackage<typeof IoRedis>('ioredis')
  if (typeof address === 'string') {
    const several = readSeveral(address)
    if (several) return ofSeveral(loaded, several)
    return new loaded.Redis(address, { lazyConnect: true })
  }
  const { url, ...options } = address as RedisOptions & { url?: string }
  const all = { ...options, lazyConnect: true }
  return url === undefined ? new loaded.Redis(all) : new loaded.Redis(url, all)
}

function ofSeveral({ Redis, Cluster }: typeof IoRedis, several: Several): RedisClient {
  const { kind, hosts, name, db, isTls, ...rest } = several
  const { username, password, sentinelUsername, sentinelPassword } = rest
  const login = { ...(username && { username }), ...(password && { password }), ...(isTls && { tls: {} }) }
  if (kind === 'cluster') return new Cluster([...hosts], { lazyConnect: true, redisOptions: login })
  const toSentinels = {
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
    ...(isTls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
  }
  return new Redis({ sentinels: [...hosts], name, db, lazyConnect: true, ...login, ...toSentinels })
}

/** Some minutes: another server takes over the slots of one that has gone, and until then commands find nobody. */
const REDIRECTIONS = 1000
const FAILOVER_MS = 200

function patientCluster(redisOptions: RedisOptions): ClusterOptions {
  return {
    lazyConnect: false,
    enableOfflineQueue: true,
    clusterRetryStrategy: pause,
    maxRedirections: REDIRECTIONS,
    retryDelayOnFailover: FAILOVER_MS,
    redisOptions: { ...redisOptions, ...PATIENT, lazyConnect: true },
  }
}
