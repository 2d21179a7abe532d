// Several servers of Redis that belong together: a main one with its replica and a sentinel that watches them, and a cluster. Only `redis-server` is needed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from './free-port.js'
import { redisCommand, startRedis } from './redis.js'
import { waitUntil } from './waiting.js'

const DURABLE = { appendonly: 'yes', appendfsync: 'always' }

/** A main server named `jobs`, its replica, and one sentinel, which makes the replica the main one when that has gone. */
export async function startSentinel(t, settings = {}) {
  const main = await startRedis(t, { ...DURABLE, ...settings })
  const replica = await startRedis(t, { ...DURABLE, ...settings, replicaof: `127.0.0.1 ${main.port}` })
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-sentinel-'))
  const port = await freePort()
  const file = join(folder, 'sentinel.conf')
  writeFileSync(
    file,
    [
      `port ${port}`,
      `dir ${folder}`,
      'bind 127.0.0.1',
      `sentinel monitor jobs 127.0.0.1 ${main.port} 1`,
      'sentinel down-after-milliseconds jobs 1000',
      'sentinel failover-timeout jobs 10000',
      ...(settings.requirepass ? [`sentinel auth-pass jobs ${settings.requirepass}`] : []),
    ].join('\n'),
  )
  const child = spawn(redisCommand, [file, '--sentinel'], { stdio: 'ignore' })
  t.after(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  // One that does not know the replica yet would find nobody to take over.
  const knowsReplica = async () => {
    const [found] = (await asked(port, (client) => client.call('SENTINEL', 'REPLICAS', 'jobs'))) ?? []
    return found?.includes('ok') && /master_link_status:up/.test(await info(replica, settings.requirepass))
  }
  await waitUntil(knowsReplica, 'the sentinel knows the replica')
  return { main, replica, port }
}

const info = ({ port }, password) => asked(port, (client) => client.info('replication'), password)

/** Undefined: it cannot be reached. */
async function asked(port, ask, password) {
  const client = new Redis({ port, password, lazyConnect: true, retryStrategy: null })
  client.on('error', () => {})
  try {
    await client.connect()
    return await ask(client)
  } catch {
    return undefined
  } finally {
    client.disconnect()
  }
}

const SLOTS = 16_384

/** Three servers, of which each has a third of the slots. */
export async function startCluster(t, settings = {}) {
  const nodes = []
  for (let i = 0; i < 3; i++) {
    const own = { 'cluster-enabled': 'yes', 'cluster-port': await freePort(), 'cluster-node-timeout': 2000 }
    nodes.push({
      ...(await startRedis(t, { ...DURABLE, ...own, ...settings })),
      busPort: own['cluster-port'],
    })
  }
  const clients = nodes.map(({ port }) => new Redis({ port, password: settings.requirepass }))
  try {
    for (const [i, client] of clients.entries()) {
      const first = Math.ceil((SLOTS * i) / 3)
      const count = Math.ceil((SLOTS * (i + 1)) / 3) - first
      await client.cluster('ADDSLOTS', ...Array.from({ length: count }, (_, n) => first + n))
      if (i > 0) await clients[0].call('CLUSTER', 'MEET', '127.0.0.1', nodes[i].port, nodes[i].busPort)
    }
    const isWhole = async (client) =>
      /cluster_state:ok[^]*cluster_known_nodes:3/.test(await client.cluster('INFO'))
    for (const client of clients) await waitUntil(() => isWhole(client), 'the cluster is whole')
  } finally {
    for (const client of clients) client.disconnect()
  }
  return nodes
}
