// What becomes of jobs while everything around them goes wrong, on a store of its own: workers are killed and suspended, connections are cut between
// an add and its answer and fall silent, the store refuses writes for a while, its server dies and a replica takes over (PostgreSQL: it is started
// again), and of three workers one has a clock that is 15 minutes ahead, and one a clock that is 15 minutes behind.
//
//   node bench/cluster/chaos.mjs [--store redis|postgres] [--jobs 10000] [--retries 0] [--seed 1]
//
// Ends with 1 where a job started twice at most once, a promise stayed open, or a result was that of another job.
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { openProxy } from '../../test/helpers/proxy.js'
import { startRedis } from '../../test/helpers/redis.js'
import { STORES } from '../../test/helpers/stores.js'
import { threadwiseCaller } from './callers.mjs'

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    jobs: { type: 'string', default: '10000' },
    retries: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
})
const JOBS = Number(values.jobs)
const retries = Number(values.retries)
const SKEWS_MS = [0, 15 * 60_000, -15 * 60_000]
const workerFile = fileURLToPath(new URL('./worker.mjs', import.meta.url))
const ends = []
const t = { after: (end) => ends.push(end) }
let seed = Number(values.seed)
/** From 0 to 1, the same for the same seed. */
const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647

const isPostgres = values.store === 'postgres'
const store = await STORES[isPostgres ? 1 : 0].start(t)
/** The main server first. */
const servers = [store]
if (!isPostgres) servers.push(await startReplica())
const ways = [await openProxy(t, store.port), await openProxy(t, store.port)]
const urls = ways.map(({ port }) => store.url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`))
const queue = `chaos-${randomUUID()}`
const file = join(mkdtempSync(join(os.tmpdir(), 'threadwise-chaos-')), 'starts')
writeFileSync(file, '')

async function startWorker(i) {
  const args = ['threadwise', urls[1], queue, '1', '2000', String(SKEWS_MS[i % SKEWS_MS.length])]
  const child = fork(workerFile, args)
  await once(child, 'message')
  return child
}

const workers = await Promise.all([0, 1, 2, 3].map(startWorker))
let started = workers.length
const options = {
  ...(retries > 0 && { onWorkerExit: { retries } }),
  workerTimeout: 120_000,
  storeTimeout: 60_000,
  keepResults: 0,
}
const caller = threadwiseCaller(urls[0], queue, options)
const outcome = { ok: 0, wrong: 0, rejected: {} }
const began = performance.now()
let made = 0
let settled = 0
const lane = async () => {
  while (made < JOBS) {
    const id = made++
    try {
      if ((await caller.run('noted', [file, id, 1, id])) === id) outcome.ok++
      else outcome.wrong++
    } catch ({ code, message }) {
      outcome.rejected[code ?? message] = (outcome.rejected[code ?? message] ?? 0) + 1
    }
    settled++
  }
}
const lanes = Promise.all(Array.from({ length: 64 }, lane))

const troubles = {
  async kill() {
    const [victim] = workers.splice(Math.floor(random() * workers.length), 1)
    victim.kill('SIGKILL')
    workers.push(await startWorker(started++))
  },
  async pause() {
    const victim = workers[Math.floor(random() * workers.length)]
    victim.kill('SIGSTOP')
    await sleep(500 + random() * 4000)
    victim.kill('SIGCONT')
  },
  /** The answers get lost, and their connections soon afterwards. */
  async cut() {
    const [way] = random() < 0.7 ? ways : ways.slice(1)
    const pairs = [...way.pairs].filter(() => random() < 0.7)
    for (const pair of pairs) pair.isMute = true
    await sleep(random() * 1500)
    for (const pair of pairs) pair.cut()
  },
  async silence() {
    for (const pair of ways[Math.floor(random() * 2)].pairs) pair.isDead = true
  },
  async refuse() {
    await setWritable(false)
    await sleep(1500)
    await setWritable(true)
  },
  async failover() {
    if (isPostgres) {
      await store.kill()
      return store.start()
    }
    const [main, replica] = servers
    await main.kill()
    await ask(replica, (client) => client.replicaof('NO', 'ONE'))
    servers.reverse()
    for (const way of ways) way.target = replica.port
    await sleep(500 + random() * 2000) // there is none to take over from this one
    await main.start()
    await ask(main, (client) => client.replicaof('127.0.0.1', replica.port))
    await untilLinked(main)
  },
}

async function startReplica() {
  const own = await startRedis(t, {
    appendonly: 'yes',
    appendfsync: 'always',
    replicaof: `127.0.0.1 ${store.port}`,
  })
  await untilLinked(own)
  return own
}

async function untilLinked(server) {
  while (!/master_link_status:up/.test(await ask(server, (client) => client.info('replication'))))
    await sleep(50)
}

async function ask({ port }, what) {
  const client = new Redis(port)
  try {
    return await what(client)
  } finally {
    client.disconnect()
  }
}

async function setWritable(isWritable) {
  if (isPostgres) {
    await store.ask(`set transaction read write; alter database postgres set default_transaction_read_only = ${isWritable ? 'off' : 'on'}`) // prettier-ignore
    await store.ask(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
    )
    return
  }
  await ask(servers[0], (client) => client.config('SET', 'min-replicas-to-write', isWritable ? 0 : 9))
}

const counts = {}
while (settled < JOBS) {
  await Promise.race([lanes, sleep(1000)])
  if (settled >= JOBS * 0.9) break
  const names = Object.keys(troubles)
  const name = names[Math.floor(random() * names.length)]
  counts[name] = (counts[name] ?? 0) + 1
  await troubles[name]()
}
const open = await Promise.race([lanes.then(() => 0), sleep(200_000).then(() => JOBS - settled)])
const starts = readFileSync(file, 'utf8').trimEnd().split('\n')
const twice = starts.length - new Set(starts).size
console.log(
  `${values.store}, retries ${retries}: ${JOBS} jobs in ${((performance.now() - began) / 1000).toFixed(0)} s, troubles ${JSON.stringify(counts)}: ` +
    `${outcome.ok} ok, rejected ${JSON.stringify(outcome.rejected)}, ${open} open, ${outcome.wrong} wrong results, ${twice} started twice`,
)
for (const worker of workers) worker.kill('SIGKILL')
for (const end of ends.reverse()) await end()
rmSync(join(file, '..'), { recursive: true })
process.exit(open > 0 || outcome.wrong > 0 || (retries === 0 && twice > 0) ? 1 : 0)
