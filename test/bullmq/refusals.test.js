// A store that cannot be used says why: in the error of ready and of calls, of a worker, and of `threadwise queue`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'node:net'
import { bullmq, work } from 'threadwise/bullmq'
import { rejection } from '../helpers/executors.js'
import { run } from '../helpers/program.js'
import { module } from '../helpers/queues.js'
import { startPostgres, withoutPostgres } from '../helpers/postgres.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'

const limitMs = 120_000

// Loaded before any time is counted: what they take is not the store's.
await Promise.all(['bullmq', 'ioredis', 'pg'].map((name) => import(name)))

/** The command says `reason`. */
async function queueSaysWhy(connection, reason) {
  const { code, stderr } = await run(['queue', 'q', '--connection', connection], { limitMs })
  assert.equal(code, 1)
  assert.match(stderr, reason)
  assert.match(stderr, /TW_ERR_STORE_UNAVAILABLE/)
}

/** All say `reason`, and nothing of the password. */
async function saysWhy(t, connection, reason) {
  const at = { connection, queue: 'q', startTimeout: 5000 } // the reason must have come by then
  const caller = bullmq(module, { ...at, storeTimeout: 2000 })
  const worker = work(module, { ...at, size: 1 })
  t.after(() => Promise.all([caller.destroy(), worker.close({ timeout: 0 })]))
  const errors = await Promise.all([caller.ready, caller.tasks.add(1, 2), worker.ready].map(rejection))
  for (const { code, message } of errors) {
    assert.equal(code, 'TW_ERR_STORE_UNAVAILABLE', message)
    assert.match(message, reason)
    assert.doesNotMatch(message, /hunter2/)
  }
}

test('Redis: a wrong password, and none where one is needed', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis(t, { requirepass: 'right' })
  await saysWhy(t, redis.url.replace('//', '//:hunter2@'), /WRONGPASS/)
  await saysWhy(t, redis.url, /NOAUTH/)
  await queueSaysWhy(redis.url, /NOAUTH/)
})

test('Redis: a user without the rights', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis(t)
  const { Redis } = await import('ioredis')
  const admin = new Redis(redis.url)
  await admin.call('ACL', 'SETUSER', 'app', 'on', '>hunter2', '+@all', '~bull:q:*') // channels are missing
  admin.disconnect()
  await saysWhy(t, redis.url.replace('//', '//app:hunter2@'), /NOPERM/)
})

test('TLS to a port without it', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis(t)
  await saysWhy(t, redis.url.replace('redis:', 'rediss:'), /SSL|TLS|socket/i)
})

test('nobody there', async (t) => {
  await saysWhy(t, 'redis://127.0.0.1:1', /ECONNREFUSED/)
  await saysWhy(t, 'postgres://127.0.0.1:1/jobs', /ECONNREFUSED/)
  await queueSaysWhy('postgres://127.0.0.1:1/jobs', /ECONNREFUSED/)
})

test('a server that is no Redis', async (t) => {
  const server = createServer((socket) =>
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n').on('error', () => {}),
  )
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  await saysWhy(t, `redis://127.0.0.1:${server.address().port}`, /Protocol error|socket|closed/i)
})

test('a worker whose user may not take jobs says so', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis(t)
  const { Redis } = await import('ioredis')
  const admin = new Redis(redis.url)
  await admin.call('ACL', 'SETUSER', 'app', 'on', '>hunter2', '+@all', '~bull:other:*', '&*')
  admin.disconnect()
  const warned = new Promise((resolve) => {
    const look = ({ code, message }) => code === 'TW_WARN_STORE' && /NOPERM/.test(message) && resolve(message)
    process.on('warning', look)
    t.after(() => process.off('warning', look))
  })
  const worker = work(module, { connection: redis.url.replace('//', '//app:hunter2@'), queue: 'q', size: 1 })
  t.after(() => worker.close({ timeout: 0 }))
  assert.match(await warned, /The store of queue "q" refuses what a worker asks: .*NOPERM/)
})

test('a read-only replica', { skip: withoutRedis }, async (t) => {
  const main = await startRedis(t)
  const replica = await startRedis(t, { replicaof: `127.0.0.1 ${main.port}` })
  const at = { connection: replica.url, queue: 'q', startTimeout: 5000 }
  const caller = bullmq(module, { ...at, storeTimeout: 2000, workerTimeout: 5000 })
  t.after(() => caller.destroy())
  const error = await rejection(caller.tasks.add(1, 2))
  assert.equal(error.code, 'TW_ERR_STORE_UNAVAILABLE')
  assert.match(error.message, /READONLY/)
  const warned = new Promise((resolve) => {
    const look = ({ code, message }) =>
      code === 'TW_WARN_STORE' && /replica/.test(message) && resolve(message)
    process.on('warning', look)
    t.after(() => process.off('warning', look))
  })
  const worker = work(module, { connection: replica.url, queue: 'q', size: 1 })
  t.after(() => worker.close({ timeout: 0 }))
  assert.match(await warned, /Connect to the main one/)
})

test(
  'PostgreSQL: no such database, a user without rights, a server without TLS',
  { skip: withoutPostgres },
  async (t) => {
    const postgres = await startPostgres(t)
    await saysWhy(t, postgres.url.replace(/postgres$/, 'missing'), /"missing" does not exist/)
    await saysWhy(t, postgres.url.replace('postgres@', 'nobody:hunter2@'), /"nobody" does not exist/)
    await saysWhy(t, `${postgres.url}?sslmode=require`, /SSL/)
    await postgres.ask('create role app login')
    await saysWhy(t, postgres.url.replace('postgres@', 'app@'), /permission denied/)
  },
)
