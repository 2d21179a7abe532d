// A connection to Redis by ioredis: one client for jobs and for what is told, another one that listens.

import type * as IoRedis from 'ioredis'
import type { Redis, RedisOptions } from 'ioredis'
import type { Connection, ConnectionEvents } from './connection.js'
import { loadPackage } from './load-package.js'
import { describeProblem } from './problem.js'

/** Commands wait for as long as it takes: who has made a call gives it up by times of its own. */
const PATIENT: RedisOptions = {
  maxRetriesPerRequest: null,
  retryStrategy: (times) => Math.min(50 * times, 1000),
}

export async function connectRedis(
  given: string | object,
  prefix = 'bull',
  { onUp, onProblem }: ConnectionEvents,
): Promise<Connection> {
  const { Redis } = await loadPackage<typeof IoRedis>('ioredis')
  const create = () =>
    typeof given === 'string' ? new Redis(given, PATIENT) : new Redis({ ...given, ...PATIENT })
  const client = quiet(create(), onProblem)
  const copies = copiesOf(client)
  const listening = quiet(create(), onProblem)
  const listeners = new Map<string, Set<(text: string) => void>>()
  listening.on('message', (channel: string, text: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(text)
  })
  // Later than its subscriptions are renewed.
  let wasUp = false
  listening.on('ready', () => {
    if (wasUp) void listening.ping().then(onUp, () => {})
    wasUp = true
  })
  return {
    ...{ connection: client, backend: undefined, prefix },
    get isUp() {
      return client.status === 'ready'
    },
    risks: async () => risksIn(await client.info()),
    publish: (channel, text) => client.publish(channel, text),
    subscribe: (channel, listener) => subscribe(listening, listeners, channel, listener),
    async removeKeys() {
      for await (const keys of client.scanStream({ match: `${prefix}:*`, count: 1000 }))
        if ((keys as string[]).length > 0) await client.unlink(keys as string[])
    },
    end() {
      for (const each of [client, listening, ...copies]) each.disconnect()
    },
  }
}

/** BullMQ makes one to wait for jobs. Where its close() comes to no end it would connect again and again, and keep the program alive. */
function copiesOf(client: Redis): readonly Redis[] {
  const copies: Redis[] = []
  const duplicate = client.duplicate.bind(client)
  client.duplicate = (override) => {
    const copy = duplicate(override)
    copies.push(copy)
    return copy
  }
  return copies
}

type Listeners = Map<string, Set<(text: string) => void>>

async function subscribe(
  client: Redis,
  listeners: Listeners,
  channel: string,
  listener: (text: string) => void,
) {
  const all = listeners.get(channel) ?? new Set()
  listeners.set(channel, all.add(listener))
  await client.subscribe(channel)
  return () => {
    if (!all.delete(listener) || all.size > 0) return
    listeners.delete(channel)
    client.unsubscribe(channel).catch(() => {})
  }
}

/** It tries again by itself; and nobody who has no call open is kept from ending. */
function quiet(client: Redis, onProblem: (problem: string) => void): Redis {
  // A Redis without TLS waits for the end of a line, and says nothing.
  if (client.options.tls) onProblem('no answer to TLS so far, and the port may not speak it')
  client.on('error', (error) => onProblem(describeProblem(error)))
  client.on('ready', () => onProblem(''))
  client.on('connect', () => client.stream.unref())
  return client
}

/** From what Redis tells of itself; what it does not tell is taken for good. */
export function risksIn(info: string): string[] {
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
