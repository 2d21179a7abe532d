// Stores that answer and do not write, that fall silent, that are cut off between a question and its answer, and that are taken over by others.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { bullmq, jobs, queueStatus, work } from 'threadwise/bullmq'
import { Redis } from 'ioredis'
import { rejection } from '../helpers/executors.js'
import { fileExists, testFolder } from '../helpers/files.js'
import { openProxy } from '../helpers/proxy.js'
import { module, openQueue } from '../helpers/queues.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'
import { STORES } from '../helpers/stores.js'
import { askUntil, waitUntil } from '../helpers/waiting.js'

const times = { storeTimeout: 3000, workerTimeout: 60_000 }
const linesIn = (path) => readFileSync(path, 'utf8').trim().split('\n')
const through = (url, port) => url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`)

/** A caller whose way to the store can be cut, of a queue with a worker that has a way of its own. Nobody keeps its results. */
async function callerOnWay(t, start) {
  const store = await start(t)
  const queue = openQueue(t, store)
  const way = await openProxy(t, store.port)
  await queue.worker().ready
  const caller = bullmq(module, {
    connection: through(store.url, way.port),
    queue: queue.queue,
    keepResults: 0,
  })
  t.after(() => caller.destroy())
  return { queue, path: testFolder(t), way, caller }
}

/** From the add of a call on nothing comes back: neither its answer, nor that its job has ended. */
function muteAll({ pairs }, data) {
  if (data.includes('note')) for (const pair of pairs) pair.isMute = true
}

/** It may notice that the store is gone. */
const quiet = (client) => client.on('error', () => {})

/** What makes a store refuse every write, and allow them again. */
const refusals = {
  async Redis(store) {
    const client = quiet(new Redis(store.url))
    const set = async (count) => void (await client.config('SET', 'min-replicas-to-write', count))
    return { refuse: () => set(1), allow: () => set(0), end: () => client.disconnect() }
  },
  async PostgreSQL(store) {
    const set = async (to) => {
      await store.ask(
        `set transaction read write; alter database postgres set default_transaction_read_only = ${to}`,
      )
      await store.ask(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
      )
    }
    return { refuse: () => set('on'), allow: () => set('off'), end() {} }
  },
}

for (const { name, missing, start } of STORES)
  describe(`on bad ways, ${name}`, { skip: missing }, () => {
    test('refuses every write: all calls settle, a worker says so, and all goes on afterwards', async (t) => {
      const store = await start(t)
      const queue = openQueue(t, store)
      const path = testFolder(t)
      const worker = queue.worker()
      await worker.ready
      assert.equal(worker.stats().isConnected, true)
      const caller = queue.caller(times)
      const calls = [rejection(caller.run('waitUntil', [path('started'), path('release')]))]
      await fileExists(path('started'))
      const writes = await refusals[name](store)
      t.after(() => writes.end())
      await writes.refuse()
      calls.push(rejection(caller.tasks.add(1, 2)))
      for (const { code } of await Promise.all(calls)) assert.equal(code, 'TW_ERR_STORE_UNAVAILABLE')
      await waitUntil(() => !worker.stats().isConnected)
      await writes.allow()
      await waitUntil(() => worker.stats().isConnected)
      assert.equal(await queue.caller({ onWorkerExit: { retries: 3 } }).tasks.add(1, 2), 3)
    })

    test('is silent before a call is made: the call settles', async (t) => {
      const store = await start(t)
      const queue = openQueue(t, store)
      const caller = queue.caller({ ...times, workerTimeout: Infinity })
      await queue.worker().ready
      assert.equal(await caller.tasks.add(1, 2), 3)
      store.freeze()
      t.after(() => store.thaw())
      assert.equal((await rejection(caller.tasks.add(1, 2))).code, 'TW_ERR_STORE_UNAVAILABLE')
    })

    test('is cut off without a word: connections that do not answer are replaced', async (t) => {
      const store = await start(t)
      const { queue } = openQueue(t, store)
      const ways = [await openProxy(t, store.port), await openProxy(t, store.port)]
      const [worker, caller] = [work, bullmq].map((make, i) =>
        make(module, { connection: through(store.url, ways[i].port), queue, startTimeout: 60_000 }),
      )
      t.after(() => Promise.all([caller.destroy(), worker.close({ timeout: 0 })]))
      await worker.ready
      assert.equal(await caller.tasks.add(1, 2), 3)
      for (const way of ways) for (const pair of way.pairs) pair.isDead = true
      assert.equal(await caller.tasks.add(2, 3), 5)
    })

    test('is cut off between an add and its answer: the task starts once, and gives its result', async (t) => {
      const { queue, path, way, caller } = await callerOnWay(t, start)
      assert.equal(await caller.tasks.add(1, 2), 3)
      for (let round = 0; round < 3; round++) {
        const line = `round ${round}`
        way.onData = (data) => muteAll(way, data)
        const call = caller.run('note', [path('runs'), line])
        await fileExists(path('runs'))
        await waitUntil(() => linesIn(path('runs')).includes(line))
        await queue.caller({ keepResults: 0 }).tasks.add(1, 2)
        way.onData = () => {}
        for (const pair of way.pairs) if (pair.isMute) pair.cut()
        assert.equal(await call, line)
      }
      assert.equal(linesIn(path('runs')).length, 3)
    })

    // The way there takes that long, and the way back nothing: the caller takes the store to be half of it ahead.
    for (const clockMs of [0, 8000])
      test(`is cut off before it answers an add whose job has ended and gone, ${clockMs} ms of its clock: the task starts once`, async (t) => {
        const { queue, path, way, caller } = await callerOnWay(t, start)
        way.onData = (data) => (/^time\r$| as now\b/im.test(String(data)) ? clockMs : undefined)
        await caller.ready
        let adds = 0
        way.onData = (data, pair) => {
          if (!data.includes('note')) return
          adds++
          pair.isMute ||= adds === 1
        }
        assert.equal(await caller.run('note', [path('runs'), 'once']), 'once') // told on another connection
        const { connection, queue: name } = queue
        const status = () => queueStatus({ connection, queue: name })
        await askUntil(
          status,
          ({ waiting, running, completed }) => waiting + running + completed === 0,
          90_000,
        )
        for (const pair of way.pairs) if (pair.isMute) pair.cut()
        await waitUntil(() => adds > 1, 'it is sent again')
        assert.equal(await caller.tasks.add(1, 2), 3)
        assert.equal(await queue.caller().tasks.add(1, 2), 3)
        assert.deepEqual(linesIn(path('runs')), ['once'])
      })
  })

test('a server that becomes a replica is left for the new main one', { skip: withoutRedis }, async (t) => {
  const first = await startRedis(t)
  const second = await startRedis(t, { replicaof: `127.0.0.1 ${first.port}` })
  const way = await openProxy(t, first.port)
  const queue = openQueue(t, { url: `redis://127.0.0.1:${way.port}` })
  const path = testFolder(t)
  await queue.worker({ concurrency: 2 }).ready
  const caller = queue.caller()
  const runs = caller.run('note', [path('runs'), 'over', 500])
  await fileExists(path('runs'))
  const [one, two] = [first, second].map(({ url }) => quiet(new Redis(url)))
  t.after(() => [one, two].forEach((client) => client.disconnect()))
  await waitUntil(async () => /master_link_status:up/.test(await two.info('replication')))
  await two.replicaof('NO', 'ONE')
  await one.replicaof('127.0.0.1', second.port)
  way.target = second.port
  assert.equal(await caller.tasks.add(1, 2), 3)
  assert.equal(await runs, 'over')
})

test(
  'a job does not start before a replica knows that it was taken: that may take over',
  { skip: withoutRedis },
  async (t) => {
    const durable = { appendonly: 'yes', appendfsync: 'always' }
    const main = await startRedis(t, durable)
    const replication = await openProxy(t, main.port)
    const replica = await startRedis(t, { ...durable, replicaof: `127.0.0.1 ${replication.port}` })
    const way = await openProxy(t, main.port)
    const [one, two] = [main, replica].map(({ url }) => quiet(new Redis(url)))
    t.after(() => [one, two].forEach((client) => client.disconnect()))
    await waitUntil(async () => /master_link_status:up/.test(await two.info('replication')))
    const queue = openQueue(t, { url: `redis://127.0.0.1:${way.port}` })
    const operated = jobs({ connection: queue.connection, queue: queue.queue })
    t.after(() => operated.close())
    const path = testFolder(t)
    await queue.worker().ready
    const caller = queue.caller()
    assert.equal(await caller.tasks.add(1, 2), 3)

    await operated.pause()
    const call = caller.run('note', [path('runs'), 'once'])
    await waitUntil(async () => (await one.zcard(`bull:${queue.queue}:prioritized`)) === 1)
    assert.equal(await one.wait(1, 10_000), 1)
    for (const pair of replication.pairs) pair.isDead = true // from here on the replica hears nothing
    await operated.resume()
    await waitUntil(async () => (await one.llen(`bull:${queue.queue}:active`)) === 1)
    assert.equal(existsSync(path('runs')), false)
    await main.kill()
    await two.replicaof('NO', 'ONE')
    way.target = replica.port
    await operated.resume() // of that the replica has not heard either
    assert.equal(await call, 'once')
    assert.deepEqual(linesIn(path('runs')), ['once'])
  },
)

test('databases of one server do not hear each other', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis(t)
  const open = (make, db, options) => {
    const made = make(module, { connection: `${redis.url}/${db}`, queue: 'q', ...options })
    t.after(() => (made.destroy ? made.destroy() : made.close({ timeout: 0 })))
    return made
  }
  await open(work, 0, { size: 1 }).ready
  const lonely = await rejection(open(bullmq, 1, { workerTimeout: 1000 }).tasks.add(1, 2))
  assert.equal(lonely.code, 'TW_ERR_NO_WORKER')
  await open(work, 1, { size: 1 }).ready
  const calls = [0, 1].map((db) => open(bullmq, db).run('echo', [db], { id: 'same' }))
  assert.deepEqual(await Promise.all(calls), [0, 1])
  const missing = await rejection(open(bullmq, 99).tasks.add(1, 2))
  assert.match(missing.message, /database 99/)
})
