// Workers that start when they are needed, leave when they are not, are replaced when they are worn, and are tried again.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { many } from '../helpers/many.js'
import { waitUntil } from '../helpers/waiting.js'

/** Until it is true; the test's own timeout ends the wait. */
const range = { min: 1, max: 3 }

describeExecutors('a range of sizes', (make, { isPool, kind }) => {
  if (!isPool)
    return test('makes no difference', async () => {
      const executor = make('basic.js')
      assert.deepEqual(await executor.broadcast('add', [1, 2]), [3])
      executor.resize(kind === 'inline' ? 3 : { min: 1, max: 2 })
      assert.equal(executor.size, kind === 'inline' ? 1 : 2)
      assert.equal(executor.stats().size, executor.size)
      assert.equal(await executor.tasks.add(3, 4), 7)
    })

  for (const balance of ['shared', 'least-busy']) {
    test(`starts workers when calls wait, and lets them go when they are not needed (${balance})`, async (t) => {
      const path = testFolder(t)
      const executor = make('routed.js', { size: range, idleTimeout: 50, balance })
      await executor.ready
      assert.equal(executor.size, 1)
      const blocked = [1, 2, 3, 4].map((i) => executor.tasks.blockUntil(path(`started${i}`), path('free')))
      const running = () => [1, 2, 3, 4].filter((i) => existsSync(path(`started${i}`))).length
      await waitUntil(() => running() === 3)
      assert.equal(executor.size, 3)
      touch(path('free'))
      assert.deepEqual(await Promise.all(blocked), Array(4).fill('released'))
      if (balance === 'shared') await waitUntil(() => executor.size === 1)
      else await waitUntil(() => executor.stats().size <= 1)
      assert.equal((await many(10, () => executor.tasks.workerId())).length, 10)
      await executor.close()
      assert.equal(executor.stats().size, 0)
    })
  }

  test('of none starts the first worker with the first call, and again after it has left', async () => {
    const executor = make('routed.js', { size: { min: 0, max: 2 }, idleTimeout: 10 })
    await executor.ready
    for (let i = 0; i < 3; i++) {
      assert.equal(executor.stats().size, 0)
      assert.equal(typeof (await executor.tasks.workerId()), 'number')
      await waitUntil(() => executor.stats().size === 0)
    }
    assert.equal(executor.stats().completed, 3)
  })

  test('keeps a worker whose call waits on a promise', async (t) => {
    const path = testFolder(t)
    const executor = make('barrier.js', { size: { min: 0, max: 1 }, idleTimeout: 10 })
    const waiting = executor.tasks.waitUntil(path('started'), path('free'))
    await fileExists(path('started'))
    await sleep(100)
    assert.equal(executor.stats().size, 1)
    touch(path('free'))
    assert.equal(await waiting, 'released')
    await waitUntil(() => executor.stats().size === 0)
  })

  test('loses no call while workers come and go', async () => {
    const executor = make('basic.js', { size: { min: 0, max: 3 }, idleTimeout: 10 })
    for (let round = 0; round < 8; round++) {
      const sums = await many(200, (i) => executor.tasks.add(i, round))
      assert.deepEqual(sums, sums.map((_, i) => i + round)) // prettier-ignore
      await sleep(round * 4)
    }
    assert.equal(executor.stats().completed, 1600)
  })

  test('with keys starts the worker of a key that has none', async () => {
    const executor = make('routed.js', { size: { min: 1, max: 3 } })
    const ids = await many(30, (i) => executor.run('workerId', [], { key: i }))
    assert.equal(new Set(ids).size, 3)
    assert.deepEqual(await many(30, (i) => executor.run('workerId', [], { key: i })), ids)
  })

  test('is checked', () => {
    const wrong = [{ min: 2, max: 1 }, { min: -1, max: 1 }, { max: 0 }, {}, { min: 0.5, max: 2 }, null, '2']
    for (const size of wrong)
      assert.throws(() => make('basic.js', { size }), { code: 'TW_ERR_INVALID_OPTION' })
    const executor = make('basic.js')
    for (const size of wrong) assert.throws(() => executor.resize(size), { code: 'TW_ERR_INVALID_OPTION' })
    for (const option of [
      { idleTimeout: -1 },
      { recycle: 3 },
      { recycle: { maxTasks: 0 } },
      { recycle: { maxAge: 'x' } },
      { resourceLimits: { maxOldGenerationSize: 100 } },
      { resourceLimits: { maxOldGenerationSizeMb: '100' } },
    ])
      assert.throws(() => make('basic.js', option), { code: 'TW_ERR_INVALID_OPTION' })
    for (const onWorkerExit of ['retry', { retries: 0 }, { retries: 1, backoff: -1 }, null])
      assert.throws(() => make('basic.js', { onWorkerExit }), { code: 'TW_ERR_INVALID_OPTION' })
  })
})

describeExecutors('resize', (make, { isPool }) => {
  if (!isPool) return

  for (const balance of ['shared', 'round-robin']) {
    test(`starts workers now, and lets busy ones finish what they have (${balance})`, async (t) => {
      const path = testFolder(t)
      const executor = make('routed.js', { size: 1, balance })
      executor.resize(3)
      assert.equal(executor.stats().size, 3)
      const blocked = [1, 2, 3].map((i) => executor.tasks.blockUntil(path(`started${i}`), path('free')))
      await waitUntil(() => [1, 2, 3].every((i) => existsSync(path(`started${i}`))))
      executor.resize(1)
      const later = many(5, () => executor.tasks.workerId())
      touch(path('free'))
      assert.deepEqual(await Promise.all(blocked), Array(3).fill('released'))
      assert.equal(new Set(await later).size, 1)
      await waitUntil(() => executor.stats().size === 1)
      assert.equal(executor.stats().completed, 8)
      await executor.close()
    })
  }

  test('up and down piles up no workers', async () => {
    const executor = make('routed.js', { size: 1 })
    await executor.ready
    for (let i = 0; i < 20; i++) {
      executor.resize(4)
      await executor.tasks.workerId()
      executor.resize(1)
      await executor.tasks.workerId()
    }
    const { workers } = executor.stats()
    const alive = workers.filter(({ state }) => state === 'starting' || state === 'up')
    assert.ok(alive.length <= 8, `${alive.length} workers`)
    await waitUntil(() => executor.stats().workers.length === 1)
  })

  test('keeps calls with a key running, wherever they go', async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { size: 3 })
    await executor.ready
    const blocked = executor.run('blockUntil', [path('started'), path('free')], { key: 1 })
    await fileExists(path('started'))
    const keyed = many(20, (i) => executor.run('workerId', [], { key: i }))
    executor.resize(2)
    executor.resize(1)
    touch(path('free'))
    await blocked
    assert.equal((await keyed).length, 20)
  })

  test('leaves every key a worker, whichever workers were there', async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { size: { min: 1, max: 4 }, idleTimeout: 20 })
    const keys = [0, 1, 2, 3, 4, 5, 6, 7]
    for (const key of keys) await executor.run('workerId', [], { key }) // all lanes have a worker
    const waiting = executor.run('waitUntil', [path('started'), path('free')], { key: 3 })
    await fileExists(path('started'))
    await waitUntil(() => executor.stats().size === 1)
    executor.resize(2)
    assert.equal((await Promise.all(keys.map((key) => executor.run('workerId', [], { key })))).length, 8)
    assert.equal(new Set(await executor.broadcast('workerId')).size, 2)
    touch(path('free'))
    assert.equal(await waiting, 'released')
  })

  test('during load loses nothing', async () => {
    const executor = make('basic.js', { size: 2 })
    const sizes = [3, 1, { min: 0, max: 4 }, 2, 1, 3]
    const rounds = sizes.map(async (size, round) => {
      await sleep(10 * round)
      executor.resize(size)
      return many(300, (i) => executor.tasks.add(i, i))
    })
    for (const sums of await Promise.all(rounds)) assert.deepEqual(sums, sums.map((_, i) => 2 * i)) // prettier-ignore
    assert.equal(executor.stats().completed, 1800)
  })
})

describeExecutors('broadcast', (make, { isPool }) => {
  test('calls the task once in each worker', async () => {
    const executor = make('routed.js')
    const ids = await executor.broadcast('workerId')
    assert.equal(ids.length, isPool ? 2 : 1)
    assert.equal(new Set(ids).size, ids.length)
    assert.equal((await rejection(executor.broadcast('noSuchTask'))).code, 'TW_ERR_TASK_NOT_FOUND')
    for (const options of [{ key: 1 }, { transfer: [new ArrayBuffer(1)] }])
      assert.equal(
        (await rejection(executor.broadcast('workerId', [], options))).code,
        'TW_ERR_INVALID_OPTION',
      )
  })

  test('reaches the workers that a rule chooses from', async (t) => {
    if (!isPool) return t.skip('there is no worker to choose')
    const executor = make('routed.js', { balance: 'random' })
    assert.equal(new Set(await executor.broadcast('workerId')).size, 2)
  })
})

describeExecutors('recycling', (make, { isPool }) => {
  if (!isPool) return

  test('replaces a worker after maxTasks calls, and loses none', async () => {
    const executor = make('routed.js', { size: 1, recycle: { maxTasks: 20 } })
    const ids = []
    while (new Set(ids).size < 4) ids.push(await executor.tasks.workerId())
    for (const id of new Set(ids.slice(0, -1))) {
      assert.ok(ids.filter((other) => other === id).length >= 20, 'none was replaced before its time')
    }
    // While it is told to go, it may take a call beside its successor; not beside the one after that.
    for (const id of new Set(ids.slice(2)))
      assert.ok(!ids.slice(ids.indexOf(id)).includes(id - 2), 'no worker came back')
    const all = await many(500, () => executor.tasks.workerId())
    assert.equal(all.length, 500)
    assert.equal(executor.stats().completed, ids.length + 500)
  })

  test('replaces a worker whose memory grows, or that is old', async (t) => {
    for (const recycle of [{ maxHeapBytes: 1 }, { maxAge: 20 }]) {
      const executor = make('routed.js', { size: 1, recycle })
      const first = await executor.tasks.workerId()
      await waitUntil(async () => (await executor.tasks.workerId()) !== first)
      assert.equal(executor.stats().failed, 0)
      t.diagnostic(JSON.stringify(recycle))
      await executor.close()
    }
  })

  test('lets a call that waits on a promise finish in the old worker', async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { size: 1, recycle: { maxTasks: 3 } })
    const waiting = executor.tasks.waitUntil(path('started'), path('free'))
    await fileExists(path('started'))
    const first = await executor.tasks.workerId()
    await waitUntil(async () => (await executor.tasks.workerId()) !== first)
    touch(path('free'))
    assert.equal(await waiting, 'released')
  })
})

describeExecutors('a call whose worker dies', (make, { isPool }) => {
  if (!isPool) return

  test('is tried again where the program asked for that', async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { onWorkerExit: { retries: 2, backoff: 5 } })
    assert.equal(await executor.tasks.exitUntil(path('tries'), 3), 3)
    assert.equal(readFileSync(path('tries'), 'utf8'), 'xxx')
  })

  test('fails when it was tried often enough, and says so; others are not harmed', async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { onWorkerExit: { retries: 2, backoff: 1 } })
    const poison = rejection(executor.tasks.exitUntil(path('tries'), 99))
    const others = many(100, () => executor.tasks.workerId())
    const error = await poison
    assert.equal(error.code, 'TW_ERR_WORKER_EXITED')
    assert.match(error.message, /tried 3 times/)
    assert.equal((await others).length, 100)
    assert.equal(readFileSync(path('tries'), 'utf8'), 'xxx')
  })

  test('and that ends more workers in a row than a broken module may, takes no other call along', async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { size: 1, onWorkerExit: { retries: 7, backoff: 0 } })
    const poison = rejection(executor.tasks.exitUntil(path('tries'), 99))
    await waitUntil(() => existsSync(path('tries')) && readFileSync(path('tries'), 'utf8').length >= 4)
    assert.equal((await many(200, () => executor.tasks.workerId())).length, 200)
    assert.match((await poison).message, /tried 8 times/)
  })

  test('does not hold up others while it waits for a worker of its own', async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { size: 1, onWorkerExit: { retries: 1, backoff: 1 } })
    const retried = executor.tasks.exitUntil(path('tries'), 2)
    await waitUntil(() => existsSync(path('tries')))
    const waiting = executor.tasks.waitUntil(path('started'), path('free'))
    await fileExists(path('started'))
    assert.equal(typeof (await executor.tasks.workerId()), 'number')
    touch(path('free'))
    assert.equal(await waiting, 'released')
    assert.equal(await retried, 2)
  })

  test('can be aborted in the pause, and is given up by destroy', async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { onWorkerExit: { retries: 1, backoff: 60_000 } })
    const controller = new AbortController()
    const aborted = rejection(executor.run('exitUntil', [path('a'), 99], { signal: controller.signal }))
    const destroyed = rejection(executor.tasks.exitUntil(path('b'), 99))
    await waitUntil(() => existsSync(path('a')) && existsSync(path('b')))
    await executor.broadcast('workerId') // the deaths are known
    controller.abort('enough')
    assert.equal(await aborted, 'enough')
    await executor.destroy()
    assert.equal((await destroyed).code, 'TW_ERR_DESTROYED')
  })
})
