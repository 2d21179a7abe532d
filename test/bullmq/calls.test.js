// Calls through a queue: what works as on other executors, and what is refused by name.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { bullmq, queueStatus, work } from 'threadwise/bullmq'
import { map, mapReduce } from 'threadwise/parallel'
import { rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { module, openQueue } from '../helpers/queues.js'
import { STORES } from '../helpers/stores.js'
import { waitUntil } from '../helpers/waiting.js'

for (const { name, missing, start } of STORES)
  describe(`a queue in ${name}`, { skip: missing }, async () => {
    const store = missing ? undefined : await start()
    const suite = { after: (end) => ends.push(end) }
    const ends = []
    const { after } = await import('node:test')
    after(async () => {
      for (const end of ends.reverse()) await end()
      await store?.stop()
    })
    const queue = store && openQueue(suite, store)
    const worker = queue?.worker({ size: 2, concurrency: 4 })
    const pool = queue?.caller({ maxPayload: 300_000 })

    test('gives results, of every kind of value', async () => {
      await Promise.all([worker.ready, pool.ready])
      assert.equal(pool.kind, 'bullmq')
      assert.equal(await pool.tasks.add(2, 3), 5)
      assert.equal(await pool.run('add', [2, 3]), 5)
      const value = {
        map: new Map([[1, new Set(['a'])]]),
        bytes: new Uint8Array([1, 2]),
        at: new Date(5),
        big: 2n ** 70n,
        text: '\ud800ü',
      }
      assert.deepEqual(await pool.tasks.echo(value), value)
      assert.equal(await pool.tasks.echo(undefined), undefined)
    })

    test('gives errors whole, with the stacks of both sides', async () => {
      async function theCaller() {
        await pool.tasks.fail()
      }
      const error = await rejection(theCaller())
      assert.ok(error instanceof RangeError && error.cause instanceof TypeError)
      assert.deepEqual([error.message, error.code, error.limit], ['too large', 'E_LARGE', 5])
      assert.match(error.stack, /at fail .*tasks\.js[^]*at async theCaller .*calls\.test\.js/)
      const missing = await rejection(pool.run('missing', []))
      assert.equal(missing.code, 'TW_ERR_TASK_NOT_FOUND')
    })

    test('carries results and errors that are too large for a message, up to maxPayload', async () => {
      assert.equal((await pool.tasks.large(200_000)).length, 200_000)
      assert.equal((await rejection(pool.tasks.failLarge(100_000))).message.length, 100_000)
      for (const call of [() => pool.tasks.large(400_000), () => pool.tasks.echo('x'.repeat(400_000))])
        assert.equal((await rejection(call())).code, 'TW_ERR_PAYLOAD_TOO_LARGE')
    })

    test('gives progress in order, before the result', async () => {
      const seen = []
      const values = [1, 'two', { three: [3] }]
      assert.equal(await pool.run('report', values, { onProgress: (value) => seen.push(value) }), 'done')
      assert.deepEqual(seen, values)
    })

    test('maps in few jobs, and keeps the order and apart what belongs to different calls', async () => {
      const inputs = Array.from({ length: 1000 }, (_, i) => i)
      const before = worker.stats().completed
      assert.deepEqual(await pool.map('echo', inputs), inputs)
      assert.ok(worker.stats().completed - before < 500, `${worker.stats().completed - before} jobs`)
      const one = {}
      const results = await pool.map(
        'echo',
        Array.from({ length: 100 }, () => one),
      )
      assert.equal(new Set(results).size, 100)
      assert.equal((await rejection(pool.map('fail', [1, 2, 3]))).code, 'E_LARGE')
    })

    test('runs parallel algorithms', async () => {
      const numbers = [1, 2, 3, 4, 5]
      assert.deepEqual(await map(pool, 'echo', numbers), numbers)
      assert.equal(await mapReduce(pool, { map: 'echo', reduce: 'add', inputs: numbers }), 15)
    })

    test('refuses by name what it cannot do', async () => {
      const { streams, keys, broadcast, remote, durable } = pool.capabilities
      assert.deepEqual({ streams, keys, broadcast, remote, durable }, { streams: false, keys: false, broadcast: false, remote: true, durable: true }) // prettier-ignore
      assert.throws(() => pool.stream('echo', []), { code: 'TW_ERR_INVALID_CALL', message: /stream/ })
      assert.throws(() => pool.resize(2), { code: 'TW_ERR_INVALID_CALL', message: /resize/ })
      assert.match((await rejection(pool.broadcast('echo', []))).message, /broadcast/)
      assert.match(
        (await rejection(pool.run('echo', [], { key: 'a' }))).message,
        /key must be left out: bullmq/,
      )
      assert.equal((await rejection(pool.tasks.echo(new SharedArrayBuffer(8)))).code, 'TW_ERR_NOT_CLONEABLE')
      assert.match((await rejection(pool.tasks.echo({ save() {} }))).message, /args\[0\]\.save is a function/)
      const wrong = [
        { queue: 'a:b' },
        { connection: 'localhost' },
        { onWorkerExit: { retries: 1, backoff: 5 } },
        { size: 2 },
        { maxQueue: -1 },
        { maxQueue: 5, whenFull: 'caller-runs' },
      ]
      for (const options of wrong)
        assert.throws(() => bullmq(module, { connection: store.url, queue: 'q', ...options }), {
          code: 'TW_ERR_INVALID_OPTION',
        })
      assert.throws(() => work(module, { connection: store.url, queue: 'q', sise: 1 }), /did you mean size/)
    })

    test('stops a job that is aborted while it runs, and takes back one that waits', async (t) => {
      const file = testFolder(t)
      const own = openQueue(t, store)
      const caller = own.caller()
      await own.worker().ready
      const controller = new AbortController()
      const running = rejection(
        caller.run('waitUntil', [file('started'), file('release')], { signal: controller.signal }),
      )
      await fileExists(file('started'))
      const second = new AbortController()
      const waiting = rejection(caller.run('note', [file('note'), 'x'], { signal: second.signal }))
      const late = rejection(caller.run('note', [file('note'), 'y'], { queueTimeout: 50 }))
      assert.equal((await late).code, 'TW_ERR_QUEUE_TIMEOUT')
      second.abort(new Error('not needed'))
      assert.equal((await waiting).message, 'not needed')
      controller.abort(new Error('too slow'))
      assert.equal((await running).message, 'too slow')
      await fileExists(file('started.aborted'))
      await waitUntil(() => readFileSync(file('started.aborted'), 'utf8') === 'too slow')
      assert.equal(await caller.run('add', [1, 2], { timeout: 60_000 }), 3)
      await assert.rejects(fileExists(file('note'), 0))
      const slow = caller.run('waitUntil', [file('again'), file('release')], { timeout: 50 })
      assert.equal((await rejection(slow)).code, 'TW_ERR_TIMEOUT')
    })

    test('runs those of a higher priority first', async (t) => {
      const file = testFolder(t)
      const own = openQueue(t, store)
      const caller = own.caller()
      await own.worker().ready
      const first = caller.run('waitUntil', [file('started'), file('release')])
      await fileExists(file('started'))
      const calls = [0, -20, 20].map((priority) =>
        caller.run('note', [file('order'), priority], { priority }),
      )
      const { connection, queue: name } = own
      await waitUntil(async () => (await queueStatus({ connection, queue: name })).waiting === 3)
      touch(file('release'))
      await Promise.all([first, ...calls])
      assert.equal(readFileSync(file('order'), 'utf8'), '20\n0\n-20\n')
    })

    test('runs a call with an id once, also for a caller that comes later', async (t) => {
      const file = testFolder(t)
      const own = openQueue(t, store)
      const [one, two] = [own.caller(), own.caller()]
      await own.worker().ready
      const call = (caller) => caller.run('note', [file('runs'), 'once'], { id: 'invoice:17' })
      assert.deepEqual(await Promise.all([call(one), call(one), call(two)]), ['once', 'once', 'once'])
      assert.equal(await call(own.caller()), 'once')
      assert.equal(readFileSync(file('runs'), 'utf8'), 'once\n')
      assert.match(
        (await rejection(one.run('add', [1, 2], { id: 'invoice:17' }))).message,
        /id must be .*"note"/,
      )
      assert.match((await rejection(one.map('add', [1], { id: 'x' }))).message, /id must be absent/)
    })

    test('tells what it holds', async (t) => {
      const file = testFolder(t)
      const own = openQueue(t, store)
      const caller = own.caller()
      await own.worker().ready
      const running = caller.run('waitUntil', [file('started'), file('release')])
      await fileExists(file('started'))
      const waiting = caller.run('add', [1, 2])
      const { connection, queue: name } = own
      await waitUntil(async () => (await queueStatus({ connection, queue: name })).waiting === 1)
      const status = await queueStatus({ connection, queue: name })
      assert.deepEqual([status.running, status.failed, status.workers.length], [1, 0, 1])
      assert.ok(status.oldestMs >= 0)
      assert.deepEqual(
        [status.workers[0].pid, status.workers[0].places, status.workers[0].running],
        [process.pid, 1, 1],
      )
      touch(file('release'))
      assert.deepEqual(await Promise.all([running, waiting]), ['released', 3])
    })

    test('close lets calls finish, and a worker its jobs; later calls are refused', async (t) => {
      const file = testFolder(t)
      const own = openQueue(t, store)
      const caller = own.caller()
      const one = own.worker()
      await one.ready
      const running = caller.run('waitUntil', [file('started'), file('release')])
      await fileExists(file('started'))
      const closed = Promise.all([one.close(), caller.close()])
      assert.equal((await rejection(caller.tasks.add(1, 2))).code, 'TW_ERR_CLOSED')
      touch(file('release'))
      assert.equal(await running, 'released')
      await closed
    })

    test('destroy rejects what is open, and does not leave it in the queue', async (t) => {
      const file = testFolder(t)
      const own = openQueue(t, store)
      const caller = own.caller()
      await caller.ready
      const call = rejection(caller.run('note', [file('note'), 'x']))
      await waitUntil(() => caller.stats().running === 1)
      await caller.destroy(new Error('over'))
      assert.equal((await call).code, 'TW_ERR_DESTROYED')
      const { connection, queue: name } = own
      assert.equal((await queueStatus({ connection, queue: name })).waiting, 0)
    })
  })
