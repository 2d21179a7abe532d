// What may be given as `connection`: URLs, options, instances of the clients, and functions; and what is refused before anything is written anywhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomUUID } from 'node:crypto'
import { bullmq, jobs, queueStatus, work } from 'threadwise/bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import { rejection } from '../helpers/executors.js'
import { startPostgres, withoutPostgres } from '../helpers/postgres.js'
import { module } from '../helpers/queues.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'

/** Each of them reaches the same queue, in all programs of a queue, and stays as it was. */
async function allReach(t, url, ways) {
  const queue = `test-${randomUUID()}`
  const worker = work(module, { connection: url, queue, size: 1, startTimeout: 60_000 })
  t.after(() => worker.close({ timeout: 0 }))
  await worker.ready
  for (const [name, connection] of Object.entries(ways)) {
    const caller = bullmq(module, { connection, queue, workerTimeout: 60_000 })
    t.after(() => caller.destroy())
    assert.equal(await caller.run('add', [1, 2], { id: name }), 3, name)
    assert.equal((await queueStatus({ connection, queue })).workers.length, 1, name)
    const operated = jobs({ connection, queue })
    assert.equal(await operated.result(name), 3)
    await operated.close()
    await caller.close()
    const own = work(module, { connection, queue: `${queue}-own`, size: 1, startTimeout: 60_000 })
    t.after(() => own.close({ timeout: 0 }))
    await own.ready
    await own.close()
  }
}

test('Redis: URLs, options, instances and functions', { skip: withoutRedis }, async (t) => {
  const { url, port } = await startRedis(t, { requirepass: 'right' })
  const full = url.replace('//', '//:right@')
  const host = '127.0.0.1'
  const used = new Redis(port, { password: 'right' })
  const lazy = new Redis(full, { lazyConnect: true, maxRetriesPerRequest: null })
  const hasty = new Redis(full, { lazyConnect: true, commandTimeout: 1, maxRetriesPerRequest: 0, enableOfflineQueue: false, retryStrategy: null }) // prettier-ignore
  t.after(() => [used, lazy, hasty].forEach((client) => client.disconnect()))
  await used.set('theirs', 'stays')
  await allReach(t, full, {
    options: { host, port, password: 'right' },
    'a port as text': { host, port: String(port), password: 'right' },
    'a URL among options': { url: full },
    'an instance': used,
    'an instance that has not connected': lazy,
    'an instance with little patience': hasty,
    'a function that gives a URL': () => full,
    'a function that gives an instance': async () => used,
    'a function that gives options': async () => ({ url, password: 'right' }),
  })
  assert.equal(await used.get('theirs'), 'stays')
  assert.equal(lazy.status, 'wait')
})

test('PostgreSQL: URLs, options, instances and functions', { skip: withoutPostgres }, async (t) => {
  const { url, port } = await startPostgres(t)
  const login = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres' }
  const pools = [new pg.Pool({ connectionString: url }), new pg.Pool({ ...login, max: 1 })]
  const client = new pg.Client(url)
  for (const each of [client, ...pools]) each.on('error', () => {}) // the server ends first
  await client.connect()
  t.after(() => Promise.all([client, ...pools].map((each) => each.end())))
  await allReach(t, url, {
    options: login,
    'a URL among options': { connectionString: url, max: 2 },
    'a pool': pools[0],
    'a pool of one': pools[1],
    'a client': client,
    'a function that gives a URL': () => url,
    'a function that gives a pool': async () => pools[0],
    'a function that gives options': () => login,
  })
  assert.deepEqual((await client.query('select 1 as n')).rows, [{ n: 1 }])
  assert.equal(pools[1].totalCount, 0, 'own connections are made')
})

class Stranger {
  host = '127.0.0.1'
}

const REFUSED = {
  nothing: undefined,
  null: null,
  'a number': 6379,
  'an empty text': '',
  'a host': 'localhost',
  'a host and a port': 'localhost:6379',
  'another protocol': 'http://localhost:6379',
  'no host': 'redis://',
  'a database that is no number': 'redis://localhost/abc',
  'a URL with a password that is none': 'redis://:a/b@localhost',
  'sentinels without a name': 'redis+sentinel://localhost',
  'a cluster with a database': 'redis+cluster://localhost/2',
  'a cluster without hosts': 'redis+cluster://',
  'a port that is none': 'redis+cluster://localhost:abc',
  'no options': {},
  'options that name nothing': { db: 1 },
  'an empty host': { host: '' },
  'a port that is too large': { host: 'localhost', port: 70_000 },
  'a database below 0': { host: 'localhost', db: -1 },
  'an option that nobody has': { host: 'localhost', hots: 'x' },
  'a URL of another protocol among options': { url: 'http://localhost' },
  'another protocol for pg': { connectionString: 'mysql://localhost' },
  'a list': ['redis://localhost'],
  'a map': new Map([['host', 'localhost']]),
  'a class of their own': new Stranger(),
  'a URL object': new URL('http://localhost'),
  'a date': new Date(),
  'a symbol': Symbol('redis'),
}

test('anything else is refused at once, with what was expected', async (t) => {
  for (const [name, connection] of Object.entries(REFUSED)) {
    const refused = { code: 'TW_ERR_INVALID_OPTION', message: /connection/ }
    assert.throws(() => bullmq(module, { connection, queue: 'q' }), refused, name)
    assert.throws(() => work(module, { connection, queue: 'q' }), refused, name)
    assert.throws(() => jobs({ connection, queue: 'q' }), refused, name)
    const error = await rejection(queueStatus({ connection, queue: 'q' }))
    assert.equal(error.code, 'TW_ERR_INVALID_OPTION', name)
    if (connection === undefined) continue
    const given = bullmq(module, { connection: () => connection, queue: 'q' })
    const worker = work(module, { connection: async () => connection, queue: 'q', size: 1 })
    t.after(() => Promise.all([given.destroy(), worker.close({ timeout: 0 })]))
    for (const promise of [given.ready, given.tasks.add(1, 2), worker.ready])
      assert.equal((await rejection(promise)).code, 'TW_ERR_INVALID_OPTION', name)
  }
})

test('what a function throws is told as it is', async (t) => {
  const connection = async () => {
    throw new RangeError('the vault is closed')
  }
  const caller = bullmq(module, { connection, queue: 'q' })
  const worker = work(module, { connection, queue: 'q', size: 1 })
  t.after(() => Promise.all([caller.destroy(), worker.close({ timeout: 0 })]))
  const promises = [
    caller.ready,
    caller.tasks.add(1, 2),
    worker.ready,
    queueStatus({ connection, queue: 'q' }),
  ]
  for (const { message } of await Promise.all(promises.map(rejection)))
    assert.match(message, /the vault is closed/)
})
