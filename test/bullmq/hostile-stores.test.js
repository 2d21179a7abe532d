// What somebody else has written into a store, ids and names of any kind, and stores that fall silent in the middle of a question.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { inline } from 'threadwise'
import { bullmq, jobs, queueStatus, work } from 'threadwise/bullmq'
import { Redis } from 'ioredis'
import { rejection } from '../helpers/executors.js'
import { startPostgres, withoutPostgres } from '../helpers/postgres.js'
import { openProxy } from '../helpers/proxy.js'
import { module, openQueue } from '../helpers/queues.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'
import { STORES } from '../helpers/stores.js'
import { waitUntil } from '../helpers/waiting.js'

const IDS = ['completed', 'meta', 'wait', 'id', '__proto__', 'constructor', 'id-x', 'a:b:lock', '%', ' ', '\0', '\ud800', '\ud83d\ude00'.repeat(250), 'x'.repeat(500)] // prettier-ignore

for (const { name, missing, start } of STORES)
  describe(`in ${name}`, { skip: missing }, () => {
    let store
    before(async () => (store = await start()))
    after(() => store.stop())

    test('any text is an id: of its own job, in programs and for operators', async (t) => {
      const queue = openQueue(t, store)
      await queue.worker({ concurrency: 8 }).ready
      const caller = queue.caller()
      const operated = jobs({ connection: store.url, queue: queue.queue })
      t.after(() => operated.close())
      for (const id of [...IDS, 'completed:x']) assert.equal(await operated.status(id), undefined)
      const call = (id) => caller.run('echo', [id], { id })
      assert.deepEqual(await Promise.all(IDS.map(call)), IDS)
      assert.deepEqual(await Promise.all(IDS.map((id) => operated.result(id))), IDS)
      assert.equal(await operated.status('x'), undefined, 'id-x is another one')
      for (const id of IDS) {
        const found = await operated.status(id)
        assert.deepEqual([found.id, found.state, found.task], [id, 'completed', 'echo'])
      }
      const failed = IDS.map((id) =>
        rejection(caller.run('failWith', [id], { id: `${id.slice(0, 490)} fails` })),
      )
      assert.deepEqual((await Promise.all(failed)).map(({ message }) => message), IDS) // prettier-ignore
      const listed = await operated.failures()
      assert.equal(listed.length, IDS.length)
      for (const { id } of listed) assert.equal((await operated.status(id)).state, 'failed')
      assert.equal(listed.filter(({ id }) => id === 'meta fails').length, 1, 'as it was given')
    })

    test('what is no id, no limit, or no name of a task is refused', async (t) => {
      const queue = openQueue(t, store)
      const caller = queue.caller()
      const operated = jobs({ connection: store.url, queue: queue.queue })
      t.after(() => operated.close())
      for (const id of [undefined, null, '', 5, {}, [], Symbol('x')])
        for (const action of ['status', 'result', 'cancel', 'retry', 'remove'])
          assert.equal((await rejection(operated[action](id))).code, 'TW_ERR_INVALID_OPTION')
      for (const limit of [0, -1, 1.5, NaN, Infinity, '5', null])
        assert.equal((await rejection(operated.failures(limit))).code, 'TW_ERR_INVALID_OPTION')
      for (const task of ['a\0b', '\ud800', 'x'.repeat(10_000)])
        assert.equal((await rejection(caller.run(task, []))).code, 'TW_ERR_INVALID_CALL')
      for (const keepResults of [-1, NaN, Infinity, 1e12, '5', null, {}, 5n])
        assert.throws(() => queue.caller({ keepResults }), { code: 'TW_ERR_INVALID_OPTION' })
      await operated.close()
      assert.equal((await rejection(operated.status('x'))).code, 'TW_ERR_CLOSED')
    })

    test('a store that falls silent in the middle of a question: it is told, and all can be closed', async (t) => {
      const queue = openQueue(t, store)
      const way = await openProxy(t, store.port)
      const connection = store.url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${way.port}`)
      await queue.worker().ready
      const caller = bullmq(module, { connection, queue: queue.queue, storeTimeout: 3000 })
      t.after(() => caller.destroy())
      assert.equal(await caller.tasks.add(1, 2), 3)
      const operated = jobs({ connection, queue: queue.queue })
      t.after(() => operated.close())
      await operated.status('none')
      way.onData = (data, pair) => (pair.isMute = true) // also those that connect from now on
      const asked = [
        ...['status', 'result', 'cancel', 'retry', 'remove'].map((action) => operated[action]('x')),
        ...['failures', 'pause', 'resume', 'drain'].map((action) => operated[action]()),
        ...[queueStatus({ connection, queue: queue.queue }), caller.tasks.add(1, 2)],
        caller.run('add', [1, 2], { id: 'shared' }),
      ]
      for (const { code, message } of await Promise.all(asked.map(rejection)))
        assert.equal(code, 'TW_ERR_STORE_UNAVAILABLE', message)
      await Promise.all([operated.close(), caller.close()])
    })
  })

test('a connection that never comes keeps nothing from settling', async (t) => {
  const at = { connection: () => new Promise(() => {}), queue: 'q' }
  const caller = bullmq(module, { ...at, startTimeout: 500, storeTimeout: 500 })
  const worker = work(module, { ...at, executor: (given) => inline(given), startTimeout: 500 })
  const operated = jobs(at)
  t.after(() => Promise.all([caller.destroy(), worker.close({ timeout: 0 })]))
  const asked = [caller.ready, caller.tasks.add(1, 2), worker.ready, operated.status('x'), queueStatus(at)]
  for (const { code } of await Promise.all(asked.map(rejection)))
    assert.equal(code, 'TW_ERR_STORE_UNAVAILABLE')
  await Promise.all([operated.close(), caller.close(), worker.close()])
})

test('Redis: what lies in the place of a job fails for itself alone', { skip: withoutRedis }, async (t) => {
  const store = await startRedis(t)
  const queue = openQueue(t, store)
  const caller = queue.caller({ workerTimeout: 60_000 })
  const client = new Redis(store.url).on('error', () => {}) // the server ends first
  t.after(() => client.disconnect())
  const base = `bull:${queue.queue}:`
  const calls = [1, 2, 3].map((n) => caller.tasks.add(n, n))
  calls.forEach((call) => call.catch(() => {}))
  await waitUntil(async () => (await client.zcard(`${base}prioritized`)) === 3)
  const [first] = await client.zrange(`${base}prioritized`, 0, 0)
  await client.del(base + first)
  await client.set(base + first, 'a text')
  const status = await queueStatus({ connection: store.url, queue: queue.queue })
  assert.equal(status.waiting, 3)
  await client.zrem(`${base}prioritized`, first)
  await client.zadd(`${base}completed`, 1, first)
  const failure = await rejection(calls[0])
  assert.equal(failure.code, 'TW_ERR_UNTRUSTED')
  // Marks of another kind: jobs end, and are told, all the same.
  await client.set(`${base}threadwise:kept`, 'a text')
  await queue.worker().ready
  assert.deepEqual(await Promise.all(calls.slice(1)), [4, 6])
})

test(
  'Redis: prefixes with any letters do not mix; halves of letters are refused',
  { skip: withoutRedis },
  async (t) => {
    const { url: connection } = await startRedis(t)
    const prefixes = ['a', 'a:b', 'a:*', '{x}', ' ', 'a\nb', 'b\0', '\u00fc', '\ud83d\ude00', '__proto__']
    const at = (prefix) => ({ connection, prefix, queue: 'q' })
    const opened = prefixes.map((prefix) => {
      const worker = work(module, { ...at(prefix), size: 1, startTimeout: 60_000 })
      const caller = bullmq(module, { ...at(prefix), workerTimeout: 60_000 })
      t.after(() => Promise.all([caller.destroy(), worker.close({ timeout: 0 })]))
      return { worker, caller }
    })
    await Promise.all(opened.map(({ worker }) => worker.ready))
    const call = ({ caller }, i) => caller.run('echo', [prefixes[i]], { id: 'same' })
    assert.deepEqual(await Promise.all(opened.map(call)), prefixes)
    for (const prefix of ['', '\ud800', 'a\udc00', 5, null, 'x'.repeat(5000)])
      assert.throws(() => bullmq(module, at(prefix)), { code: 'TW_ERR_INVALID_OPTION' })
  },
)

test(
  'PostgreSQL: databases and schemas do not mix, and names of schemas are checked',
  { skip: withoutPostgres },
  async (t) => {
    const store = await startPostgres(t)
    await store.ask('create database other')
    const other = store.url.replace(/postgres$/, 'other')
    const ways = [
      { connection: store.url },
      { connection: other },
      { connection: store.url, prefix: 'Shop_$1' },
    ]
    const opened = ways.map((way) => {
      const worker = work(module, { ...way, queue: 'q', size: 1, startTimeout: 60_000 })
      const caller = bullmq(module, { ...way, queue: 'q', workerTimeout: 60_000 })
      t.after(() => Promise.all([caller.destroy(), worker.close({ timeout: 0 })]))
      return { worker, caller }
    })
    await Promise.all(opened.map(({ worker }) => worker.ready))
    const values = await Promise.all(opened.map(({ caller }, i) => caller.run('echo', [i], { id: 'same' })))
    assert.deepEqual(values, [0, 1, 2])
    for (const way of ways) assert.equal((await queueStatus({ ...way, queue: 'q' })).workers.length, 1)
    for (const prefix of ['a"b', "a'b", 'a b', 'a;drop schema public', '1a', 'x'.repeat(64), '\u00fc']) {
      const refused = { code: 'TW_ERR_INVALID_OPTION' }
      assert.throws(() => bullmq(module, { connection: store.url, queue: 'q', prefix }), refused)
      const given = bullmq(module, { connection: () => store.url, queue: 'q', prefix })
      t.after(() => given.destroy())
      assert.equal((await rejection(given.ready)).code, 'TW_ERR_INVALID_OPTION', prefix)
    }
  },
)
