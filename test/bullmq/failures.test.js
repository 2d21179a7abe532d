// Every call through a queue settles: whatever becomes of workers and store.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { openQueue } from '../helpers/queues.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'
import { STORES } from '../helpers/stores.js'
import { waitUntil } from '../helpers/waiting.js'

const codesOf = async (calls) =>
  (await Promise.allSettled(calls)).map(({ status, reason }) => (status === 'fulfilled' ? 'ok' : reason.code))
const count = (list, wanted) => list.filter((each) => each === wanted).length
const runsIn = (path) => readFileSync(path, 'utf8').trim().split('\n')

for (const { name, missing, start } of STORES) {
  describe(`workers of ${name} that die`, { skip: missing }, () => {
    let store
    before(async () => (store = await start()))
    after(() => store.stop())

    test('at most once: no job starts twice, and each settles', async (t) => {
      const queue = openQueue(t, store)
      const caller = queue.caller()
      const file = testFolder(t)
      const [first] = await Promise.all([queue.process(), queue.process()])
      const calls = Array.from({ length: 30 }, (_, i) => caller.run('note', [file('runs'), i, 20]))
      await fileExists(file('runs'))
      await waitUntil(() => runsIn(file('runs')).length > 4)
      first.kill('SIGKILL')
      const codes = await codesOf(calls)
      assert.equal(count(codes, 'ok') + count(codes, 'TW_ERR_WORKER_EXITED'), 30, String(codes))
      assert.ok(count(codes, 'ok') >= 28, String(codes))
      const runs = runsIn(file('runs'))
      assert.equal(new Set(runs).size, runs.length, 'none has started twice')
    })

    test('at least once: with retries each gives its result', async (t) => {
      const queue = openQueue(t, store)
      const caller = queue.caller({ onWorkerExit: { retries: 3 } })
      const file = testFolder(t)
      const [first, second] = await Promise.all([queue.process(), queue.process()])
      const calls = Array.from({ length: 20 }, (_, i) => caller.run('note', [file('runs'), i, 20]))
      await fileExists(file('runs'))
      first.kill('SIGKILL')
      await waitUntil(() => runsIn(file('runs')).length > 8)
      const third = await queue.process()
      second.kill('SIGKILL')
      assert.deepEqual(await codesOf(calls), new Array(20).fill('ok'))
      assert.equal(new Set(runsIn(file('runs'))).size, 20)
      assert.equal(third.exitCode, null)
    })

    test('a thread that dies is one start, in the worker that goes on', async (t) => {
      const queue = openQueue(t, store)
      await queue.worker().ready
      const error = await rejection(queue.caller().tasks.exit())
      assert.equal(error.code, 'TW_ERR_WORKER_EXITED')
      const again = await rejection(queue.caller({ onWorkerExit: { retries: 1 } }).tasks.exit())
      assert.equal(again.code, 'TW_ERR_WORKER_EXITED')
      assert.equal(await queue.caller().tasks.add(1, 2), 3)
    })

    test('one that is suspended in a job is taken for dead, and its late answer is dropped', async (t) => {
      const queue = openQueue(t, store)
      const caller = queue.caller()
      const file = testFolder(t)
      const first = await queue.process()
      const call = rejection(caller.run('waitUntil', [file('runs'), file('release')]))
      await fileExists(file('runs'))
      first.kill('SIGSTOP')
      await queue.process()
      assert.equal((await call).code, 'TW_ERR_WORKER_EXITED')
      touch(file('release'))
      first.kill('SIGCONT')
      assert.equal(await caller.tasks.add(1, 2), 3)
      assert.equal(runsIn(file('runs')).length, 1)
    })

    test('none is there: calls are given up after workerTimeout, and do not run later', async (t) => {
      const queue = openQueue(t, store)
      const caller = queue.caller({ workerTimeout: 1000 })
      const file = testFolder(t)
      const error = await rejection(caller.run('note', [file('runs'), 'x']))
      assert.equal(error.code, 'TW_ERR_NO_WORKER')
      await queue.worker().ready
      assert.equal(await caller.tasks.add(1, 2), 3)
      await assert.rejects(fileExists(file('runs'), 0))
    })

    test('a worker that is closed leaves what does not end to the others', async (t) => {
      const queue = openQueue(t, store)
      const caller = queue.caller({ onWorkerExit: { retries: 1 } })
      const file = testFolder(t)
      const first = queue.worker({ lockDuration: 1000 })
      await first.ready
      const call = caller.run('waitUntil', [file('runs'), file('release')])
      await fileExists(file('runs'))
      await queue.process()
      await first.close({ timeout: 10 })
      await waitUntil(() => runsIn(file('runs')).length === 2)
      touch(file('release'))
      assert.equal(await call, 'released')
    })
  })

  describe(`${name} fails`, { skip: missing }, () => {
    test('restarted with its data: no call stays open', async (t) => {
      const store = await start(t)
      const queue = openQueue(t, store)
      const caller = queue.caller({ onWorkerExit: { retries: 2 } })
      const file = testFolder(t)
      await queue.worker({ concurrency: 4, lockDuration: 1000 }).ready
      const calls = Array.from({ length: 40 }, (_, i) => caller.run('note', [file('runs'), i, 20]))
      await fileExists(file('runs'))
      await store.kill()
      await store.start()
      assert.deepEqual(await codesOf(calls), new Array(40).fill('ok'))
    })

    test('without its jobs: exactly the open calls are told that their jobs are lost', async (t) => {
      const store = await start(t)
      const queue = openQueue(t, store)
      const caller = queue.caller()
      await caller.ready
      const calls = Array.from({ length: 60 }, (_, i) => caller.tasks.add(i, 1))
      await waitUntil(() => caller.stats().running === 60)
      await store.forget()
      assert.deepEqual(await codesOf(calls), new Array(60).fill('TW_ERR_CALL_LOST'))
      await queue.worker().ready
      assert.equal(await caller.tasks.add(1, 2), 3)
    })

    test('without its jobs, with retries: the caller adds them again', async (t) => {
      const store = await start(t)
      const queue = openQueue(t, store)
      const caller = queue.caller({ onWorkerExit: { retries: 2 } })
      await caller.ready
      const calls = Array.from({ length: 60 }, (_, i) => caller.tasks.add(i, 1))
      await waitUntil(() => caller.stats().running === 60)
      await store.forget()
      await queue.worker().ready
      assert.deepEqual(
        await Promise.all(calls),
        Array.from({ length: 60 }, (_, i) => i + 1),
      )
    })

    for (const [title, silence] of [
      ['killed for good', (store) => store.kill()],
      ['silent, with its connections open', (store) => store.freeze()],
    ])
      test(`${title}: calls are given up after storeTimeout, and close() ends`, async (t) => {
        const store = await start(t)
        const queue = openQueue(t, store)
        const caller = queue.caller({ storeTimeout: 1000 })
        await caller.ready
        const calls = Array.from({ length: 60 }, (_, i) => caller.tasks.add(i, 1))
        await waitUntil(() => caller.stats().running === 60)
        await silence(store)
        assert.deepEqual(await codesOf(calls), new Array(60).fill('TW_ERR_STORE_UNAVAILABLE'))
        assert.equal((await rejection(caller.tasks.add(1, 2))).code, 'TW_ERR_STORE_UNAVAILABLE')
        await caller.close()
      })

    for (const [title, silence, limit] of [
      ['killed for good', (store) => store.kill(), 30_000],
      ['silent, with its connections open', (store) => store.freeze(), 40_000],
    ])
      test(`${title}: a worker without a job closes soon`, async (t) => {
        const store = await start(t)
        const queue = openQueue(t, store)
        const worker = queue.worker()
        await worker.ready
        await queue.caller().tasks.add(1, 2)
        await silence(store)
        const began = performance.now()
        await worker.close()
        assert.ok(performance.now() - began < limit, `${performance.now() - began} ms`)
      })
  })
}

describe('a store that fails', { skip: withoutRedis }, () => {
  for (const url of ['redis://127.0.0.1:1', 'postgres://127.0.0.1:1/jobs'])
    test(`${url.split(':')[0]} that was never there: ready rejects, and calls`, async (t) => {
      const caller = openQueue(t, { url }).caller({
        startTimeout: 300,
        storeTimeout: 1000,
      })
      assert.equal((await rejection(caller.ready)).code, 'TW_ERR_STORE_UNAVAILABLE')
      assert.equal((await rejection(caller.tasks.add(1, 2))).code, 'TW_ERR_STORE_UNAVAILABLE')
    })

  test('without memory refuses the call, and works again when it has some', async (t) => {
    const redis = await startRedis(t, { maxmemory: '3mb' })
    const queue = openQueue(t, redis)
    const caller = queue.caller()
    await queue.worker().ready
    const full = Array.from({ length: 8 }, () => caller.tasks.echo('x'.repeat(500_000)))
    const codes = await codesOf(full)
    assert.ok(codes.includes('TW_ERR_STORE_UNAVAILABLE'), String(codes))
    assert.equal(codes.every((code) => code === 'ok' || code === 'TW_ERR_STORE_UNAVAILABLE' || code === undefined), true, String(codes)) // prettier-ignore
  })
})
