// A connection to Redis by ioredis: one client for jobs and for what is told, another one that listens.

import type { StoreEvents } from '../../queue/store.js'
import type { Redis } from 'ioredis'
import { checkOption } from '../../../errors/check-options.js'
import { timers } from '../../../primitives/timers.js'
import type { StoreAddress } from './address.js'
import type { StoreConnection } from './connection.js'
import { describeProblem } from './problem.js'
import { isCluster, redisTarget, type RedisClient, type RedisTarget } from './redis-client.js'
import { guardAdds, joinEnds, redisMarks } from './redis-marks.js'
import { createReplicas } from './redis-replicas.js'

/** Bytes: larger results are fetched from the store. */
const MAX_MESSAGE = 64 * 1024
/** Milliseconds until a cluster is asked once more who listens for it. */
const AGAIN_MS = 100
/** Milliseconds between two times that all connect anew. */
const REPLACE_MS = 1000

export async function connectRedis(
  given: StoreAddress,
  prefix = 'bull',
  { onUp, onProblem }: StoreEvents,
): Promise<StoreConnection> {
  const target = await redisTarget(given)
  const client = quiet(target.create(), onProblem)
  checkTag(client, prefix)
  const copies = copiesOf(client)
  const listening = quiet(target.create(), onProblem)
  const listeners = hear(listening, onUp)
  const database = openDatabase(target, onProblem)
  const replicas = createReplicas(client)
  const breaks = countBreaks(client)
  const disconnect = (again: boolean) =>
    [client, listening, ...copies].forEach((each) => each.disconnect(again))
  const replace = atMostEvery(REPLACE_MS, () => disconnect(true))
  replaceOnRefusal(client, replace)
  return {
    connection: client,
    backend: undefined,
    prefix,
    scope: String(target.db),
    maxMessage: MAX_MESSAGE,
    ready: database.ready,
    replace,
    secret: async () => target.password,
    get isUp() {
      return client.status === 'ready' || client.status === 'connect'
    },
    get breaks() {
      return breaks.count
    },
    marks: (queue) => redisMarks(client, prefix, queue),
    guard: () => guardAdds(client),
    removeKeys: () => removeKeys(client, prefix),
    atEnd: (queue, endOf) => joinEnds(client, `${prefix}:${queue}:`, endOf),
    secure: (queue, id, token) => replicas.secure(`${prefix}:${queue}:${id}:lock`, token),
    risks: async () => redisRisks(String(await client.info())),
    publish: publisherOf(client, prefix),
    ping: () => ping(listening, listeners),
    subscribe: (channel, listener) => subscribe(listening, listeners, channel, listener),
    end() {
      database.end()
      disconnect(false)
    },
  }
}

/** A cluster goes on when one of its connections breaks, and sends again what that has not answered. */
function countBreaks(client: RedisClient): { readonly count: number } {
  const breaks = { count: 0 }
  const note = () => void breaks.count++
  client.on('close', note)
  if (isCluster(client)) client.on('+node', (node: Redis) => node.on('close', note))
  return breaks
}

/** The keys of a queue must lie on one server of a cluster. */
function checkTag(client: RedisClient, prefix: string): void {
  if (!isCluster(client) || /\{[^{}]+\}/.test(prefix)) return
  client.disconnect()
  const expected = "text with a hash tag, such as '{shop}': a cluster keeps all keys of a queue on one server"
  checkOption(false, 'prefix', expected, prefix)
}

/**
 * Redis goes on in database 0 when there is none of that number: its keys, and jobs, would land among those of others. So it is asked first, by
 * a connection of its own.
 */
function openDatabase({ create, db }: RedisTarget, onProblem: (problem: string) => void) {
  if (db === 0) return { ready: Promise.resolve(), end() {} }
  const probe = quiet(create({ db: 0 }), onProblem)
  const ready = select(probe, db).finally(() => probe.disconnect())
  ready.catch(() => {}) // each use of it tells
  return { ready, end: () => probe.disconnect() }
}

async function select(client: RedisClient, db: number): Promise<void> {
  try {
    await client.select(db)
  } catch (error) {
    const { name, message } = error as Error
    throw Object.assign(new Error(`database ${db}: ${message}`), { name })
  }
}

/** BullMQ makes one to wait for jobs. Where its close() comes to no end it would connect again and again, and keep the program alive. */
function copiesOf(client: RedisClient): readonly RedisClient[] {
  const copies: RedisClient[] = []
  const duplicate = client.duplicate.bind(client) as (...args: unknown[]) => RedisClient
  client.duplicate = ((...args: unknown[]) => {
    const copy = duplicate(...args)
    copies.push(copy)
    return copy
  }) as never
  return copies
}

/** A server that has become a replica refuses what is written, and its old subscribers hear nothing of the new one. */
function replaceOnRefusal(client: RedisClient, replace: () => void): void {
  const { options } = client as { options: { reconnectOnError?: unknown; redisOptions?: object } }
  const holder = (options.redisOptions ?? options) as { reconnectOnError?: (error: Error) => boolean }
  const known = holder.reconnectOnError
  holder.reconnectOnError = (error) => {
    const isRefused = known?.(error) ?? false
    if (isRefused) setImmediate(replace)
    return isRefused
  }
}

function atMostEvery(ms: number, action: () => void): () => void {
  let at = -Infinity
  return () => {
    if (performance.now() - at < ms) return
    at = performance.now()
    action()
  }
}

type Listeners = Map<string, Set<(text: string) => void>>

function hear(listening: RedisClient, onUp: () => void): Listeners {
  const listeners: Listeners = new Map()
  listening.on('message', (channel: string, text: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(text)
  })
  // Later than its subscriptions are renewed.
  let wasUp = false
  listening.on('ready', () => {
    if (wasUp) void listening.ping().then(onUp, () => {})
    wasUp = true
  })
  return listeners
}

async function subscribe(
  client: RedisClient,
  listeners: Listeners,
  channel: string,
  listener: (text: string) => void,
) {
  const all = listeners.get(channel) ?? new Set()
  listeners.set(channel, all.add(listener))
  await untilReady(client)
  await subscribeTo(client, [channel])
  return () => {
    if (!all.delete(listener) || all.size > 0) return
    listeners.delete(channel)
    client.unsubscribe(channel).catch(() => {})
  }
}

/** Of a cluster the listening connection is one of its own, and a command goes to any server: to subscribe once more asks the right one. */
async function ping(client: RedisClient, listeners: Listeners): Promise<void> {
  if (isCluster(client) && listeners.size > 0) await subscribeTo(client, [...listeners.keys()])
  else await client.ping()
}

/** A cluster has no connection that listens while it looks for another server. */
async function subscribeTo(client: RedisClient, channels: readonly string[]): Promise<void> {
  for (;;) {
    try {
      await client.subscribe(...channels)
      return
    } catch (error) {
      if (!isCluster(client) || client.status === 'end' || (error as Error).name === 'ReplyError') throw error
      await new Promise((resolve) => timers.setTimeout(resolve, AGAIN_MS).unref())
    }
  }
}

/** What is told in a cluster goes through the server of the keys: by several it would arrive in any order. */
function publisherOf(client: RedisClient, prefix: string): StoreConnection['publish'] {
  if (!isCluster(client)) return (channel, text) => client.publish(channel, text)
  const command = 'threadwise:publish'
  client.defineCommand(command, { numberOfKeys: 1, lua: `return redis.call('PUBLISH', ARGV[1], ARGV[2])` })
  const all = client as unknown as Record<string, (...values: string[]) => Promise<unknown>>
  return (channel, text) => all[command]!(`${prefix}:`, channel, text)
}

/** SUBSCRIBE is sent before ioredis has asked whether the server is ready; the answer to that is an error then, and the subscription is lost. */
async function untilReady(client: RedisClient): Promise<void> {
  while (!isCluster(client) && client.status === 'connect')
    await new Promise<void>((resolve) => {
      const settle = () => {
        client.off('ready', settle)
        client.off('close', settle)
        resolve()
      }
      client.on('ready', settle)
      client.on('close', settle)
    })
}

async function removeKeys(client: RedisClient, prefix: string): Promise<void> {
  const nodes = isCluster(client) ? client.nodes('master') : [client]
  const match = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}:*`
  for (const node of nodes)
    for await (const keys of node.scanStream({ match, count: 1000 }))
      if ((keys as string[]).length > 0) await node.unlink(keys as string[])
}

/** It tries again by itself; and nobody who has no call open is kept from ending. */
function quiet<Client extends RedisClient>(client: Client, onProblem: (problem: string) => void): Client {
  client.on('error', (error: unknown) => onProblem(describeProblem(error)))
  client.on('ready', () => onProblem(''))
  if (isCluster(client)) {
    client.on('+node', (node: Redis) => node.on('connect', () => node.stream.unref()))
    return client
  }
  // A Redis without TLS waits for the end of a line, and says nothing.
  if (client.options.tls) onProblem('no answer to TLS so far, and the port may not speak it')
  client.on('connect', () => client.stream.unref())
  return client
}

/** From what Redis tells of itself; what it does not tell is taken for good. */
export function redisRisks(info: string): string[] {
  const settings = new Map(info.split('\r\n').map((line) => line.split(':') as [string, string]))
  const policy = settings.get('maxmemory_policy') ?? 'noeviction'
  const risks: string[] = []
  if (policy !== 'noeviction')
    risks.push(
      `Redis throws jobs away when its memory is short (maxmemory-policy ${policy}). Set it to noeviction.`,
    )
  if (settings.get('aof_enabled') === '0')
    risks.push('Redis forgets its last jobs when it is restarted (appendonly no). Set appendonly yes.')
  if (settings.get('role') === 'slave' && settings.get('slave_read_only') !== '0')
    risks.push(
      'This Redis is a replica that can only be read: no job is added or taken. Connect to the main one.',
    )
  const [major = 0, minor = 0] = (settings.get('redis_version') ?? '6.2').split('.').map(Number)
  if (major < 6 || (major === 6 && minor < 2))
    risks.push(`Redis ${major}.${minor} is too old for BullMQ. It needs 6.2 or newer.`)
  return risks
}
