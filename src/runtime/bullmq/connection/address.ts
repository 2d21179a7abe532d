// What was given as `connection`: which store it is, and whether it can be one at all. Nothing is guessed: who names no server gets none.

import { checkNames, checkOption, optionNames } from '../../../errors/check-options.js'
import { withoutPassword } from '../../../primitives/without-password.js'
import { isSeveralUrl, isSingleUrl } from './redis-url.js'

/** A URL, an object with the options of the client of that store, one of its instances, or a function that gives one of these. */
export type StoreAddress = string | object

export type StoreKind = 'redis' | 'postgres'

const EXPECTED =
  "the URL of a store, such as 'redis://localhost:6379', 'redis+sentinel://host1,host2/name' or 'postgres://localhost/jobs', " +
  'an object with the options of ioredis or pg that names a server, an instance of Redis, Cluster (ioredis) or Pool (pg), ' +
  'or a function that gives one of these'
const POSTGRES = /^postgres(?:ql)?:\/\/./
/** Those of ioredis 5. */
const REDIS_OPTIONS = optionNames(
  'url host port family path sentinels name role sentinelUsername sentinelPassword sentinelRetryStrategy sentinelReconnectStrategy ' +
    'sentinelCommandTimeout sentinelMaxConnections sentinelTLS enableTLSForSentinelMode updateSentinels failoverDetector natMap ' +
    'preferredSlaves disconnectTimeout Connector retryStrategy commandTimeout blockingTimeout blockingTimeoutGrace socketTimeout ' +
    'keepAlive noDelay connectionName disableClientInfo clientInfoTag username password db autoResubscribe ' +
    'autoResendUnfulfilledCommands reconnectOnError readOnly stringNumbers connectTimeout monitor maxRetriesPerRequest ' +
    'maxLoadingRetryTime enableAutoPipelining autoPipeliningIgnoredCommands enableOfflineQueue enableReadyCheck lazyConnect tls ' +
    'scripts keyPrefix showFriendlyErrorStack skipVersionCheck protocol',
)

/** Undefined: a function, of which it is known once it is called. @throws TW_ERR_INVALID_OPTION */
export function kindOf(address: unknown): StoreKind | undefined {
  if (typeof address === 'function') return undefined
  if (typeof address === 'string') return kindOfUrl(address)
  const isObject = typeof address === 'object' && address !== null && !Array.isArray(address)
  checkOption(isObject, 'connection', EXPECTED, address)
  const given = address as Record<string, unknown>
  if (isRedisInstance(given)) return 'redis'
  if (isPostgresInstance(given)) return 'postgres'
  const prototype: unknown = Object.getPrototypeOf(given)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  checkOption(isPlain, 'connection', EXPECTED, `an instance of ${String(given.constructor?.name)}`)
  if (namesPostgres(given)) return 'postgres'
  checkRedisOptions(given)
  return 'redis'
}

/** As BullMQ takes a schema. */
const SCHEMA = /^[A-Za-z_][\w$]{0,62}$/
/** Redis would keep each half of a letter as the same three bytes, and two prefixes would be one. */
const MAX_PREFIX = 1000

/** `kind`: undefined while it is not known. @throws TW_ERR_INVALID_OPTION */
export function checkPrefix(prefix: unknown, kind: StoreKind | undefined): void {
  if (prefix === undefined) return
  const isText =
    typeof prefix === 'string' && prefix !== '' && prefix.length <= MAX_PREFIX && prefix.isWellFormed()
  checkOption(isText, 'prefix', `a non-empty string of whole letters, at most ${MAX_PREFIX}`, prefix)
  const isSchema = kind !== 'postgres' || SCHEMA.test(prefix as string)
  const expected = 'the name of a schema of PostgreSQL: letters, digits and _, at most 63'
  checkOption(isSchema, 'prefix', expected, prefix)
}

/** What a function gives in the end. @throws TW_ERR_INVALID_OPTION, and what it throws */
export async function resolveAddress(address: StoreAddress): Promise<StoreAddress> {
  if (typeof address !== 'function') return address
  const given: unknown = await (address as () => unknown)()
  checkOption(typeof given !== 'function', 'connection', EXPECTED, 'a function that gives a function')
  kindOf(given)
  return given as StoreAddress
}

function kindOfUrl(url: string): StoreKind {
  if (POSTGRES.test(url)) {
    checkOption(URL.canParse(url), 'connection', EXPECTED, withoutPassword(url))
    return 'postgres'
  }
  const isRedis = isSingleUrl(url) || isSeveralUrl(url)
  checkOption(isRedis, 'connection', `${EXPECTED}. ${HOW_TO_WRITE}`, withoutPassword(url))
  return 'redis'
}

const HOW_TO_WRITE =
  'In a URL, a password needs its special characters as %xx, and the database is a whole number: redis://host:6379/2'

function checkRedisOptions(given: Record<string, unknown>): void {
  checkNames(given, REDIS_OPTIONS, 'connection.')
  const { url, host, path, port, sentinels, db } = given
  const isNamed =
    [host, path].some((name) => typeof name === 'string' && name !== '') ||
    isPort(port) ||
    (Array.isArray(sentinels) && sentinels.length > 0) ||
    typeof url === 'string'
  const names = `(no host, port, path, url or sentinels among ${Object.keys(given).join(', ') || 'no options'})`
  if (!isNamed) checkOption(false, 'connection', `${EXPECTED} ${names}`, 'an object that names no server')
  const expected = 'a port from 1 to 65535'
  checkOption(port === undefined || port === null || isPort(port), 'connection.port', expected, port)
  const isUrl = url === undefined || (typeof url === 'string' && isSingleUrl(url))
  checkOption(isUrl, 'connection.url', 'a URL redis:// or rediss://', withoutPassword(String(url)))
  const isDatabase = db === undefined || db === null || isDatabaseNumber(Number(db))
  checkOption(isDatabase, 'connection.db', 'the number of a database, from 0', db)
}

function isPort(port: unknown): boolean {
  const number = typeof port === 'string' && port !== '' ? Number(port) : port
  return Number.isInteger(number) && Number(number) > 0 && Number(number) < 65_536
}

export function isDatabaseNumber(number: number): boolean {
  return Number.isInteger(number) && number >= 0
}

function namesPostgres({ connectionString, database }: Record<string, unknown>): boolean {
  if (connectionString === undefined) return typeof database === 'string'
  const isUrl = typeof connectionString === 'string' && POSTGRES.test(connectionString)
  const shown = typeof connectionString === 'string' ? withoutPassword(connectionString) : connectionString
  checkOption(isUrl, 'connection.connectionString', "the URL 'postgres://...'", shown)
  return true
}

/** Redis or Cluster of ioredis, whichever copy of it. */
export function isRedisInstance(given: Record<string, unknown>): boolean {
  return ['duplicate', 'defineCommand', 'disconnect'].every((name) => typeof given[name] === 'function')
}

export function isClusterAddress(address: unknown): boolean {
  if (typeof address === 'string') return /^rediss?\+cluster:/.test(address)
  return Object(address) === address && (address as { isCluster?: unknown }).isCluster === true
}

/** A Pool or Client of pg, whichever copy of it. */
export function isPostgresInstance(given: Record<string, unknown>): boolean {
  const isClient = typeof given.connect === 'function' && typeof given.query === 'function'
  return isClient && ('connectionParameters' in given || typeof given.totalCount === 'number')
}
