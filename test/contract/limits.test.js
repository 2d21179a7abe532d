// How many calls run at a time, those that wait on promises included: concurrency, tasksPerWorker, maxQueue, whenFull.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { map } from 'threadwise/parallel'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { numbers } from '../helpers/many.js'
import { all } from '../helpers/streams.js'
import { waitUntil } from '../helpers/waiting.js'

/** How many were between their + and their - at most. */
function mostAtATime(log) {
  let open = 0
  return Math.max(...[...readFileSync(log, 'utf8')].map((sign) => (open += sign === '+' ? 1 : -1)))
}

/** Calls of all kinds at once; resolves when all have settled. */
async function makeCalls(executor, log) {
  const calls = numbers(6).flatMap((i) => [
    executor.tasks.upload(log, i),
    executor.run('upload', [log, 2], { key: `k${i}` }),
    executor.run('upload', [log, 2], { priority: i % 3 }),
    executor.run('upload', [log, 2], { timeout: 60_000 }),
    executor.run('uploadAndTell', [log, 2], { onProgress() {} }),
    executor.tasks.compute(log),
    all(executor.stream('uploadParts', [log, 3])),
  ])
  const inputs = numbers(8).map((i) => ({ log, ms: i % 3 }))
  await Promise.all([...calls, executor.map('uploadOne', inputs), map(executor, 'uploadOne', inputs)])
}

const LIMITS = [
  [2, { size: 2, tasksPerWorker: 1, concurrency: 2 }],
  [3, { size: 2, concurrency: 3 }],
  [2, { size: 4, concurrency: 2 }],
  [6, { size: { min: 1, max: 2 }, concurrency: 6 }],
  [3, { size: 2, concurrency: 3, balance: 'round-robin' }],
  [3, { size: 2, concurrency: 3, recycle: { maxTasks: 3 } }],
  [3, { size: 2, concurrency: 3, maxQueue: 4, whenFull: 'wait' }],
]
/** For pools, which have as many places as workers where the queue is bounded. */
const BOUNDED = [
  [2, { size: 2, maxQueue: 4, whenFull: 'wait' }],
  [4, { size: 2, maxQueue: 4, whenFull: 'wait', tasksPerWorker: 2 }],
  [2, { size: 2, maxQueue: 4, whenFull: 'wait', recycle: { maxTasks: 3 } }],
  [2, { size: 2, maxQueue: 4, whenFull: 'wait', balance: 'least-busy' }],
]

describeExecutors('limits', (make, { kind, isPool }) => {
  if (kind === 'inline') return
  const inWorkers = kind === 'adaptive' ? { maxBlock: 0 } : {}

  for (const [most, options] of isPool ? [...LIMITS, ...BOUNDED] : LIMITS) {
    test(`no more than ${most} calls run at a time (${JSON.stringify(options)})`, async (t) => {
      const log = testFolder(t)('log')
      const executor = make('uploads.js', { ...options, ...inWorkers })
      await makeCalls(executor, log)
      await makeCalls(executor, log)
      const seen = mostAtATime(log)
      assert.ok(seen <= most, `${seen} at a time`)
      const { queued, running } = executor.stats()
      assert.deepEqual({ queued, running }, { queued: 0, running: 0 })
    })
  }

  for (const balance of ['shared', 'round-robin', 'least-busy'])
    test(
      `no more run when the size changes, whichever worker gets a call (${balance})`,
      { skip: !isPool },
      async (t) => {
        const log = testFolder(t)('log')
        const executor = make('uploads.js', { size: 2, concurrency: 4, balance, ...inWorkers })
        await executor.ready
        const calls = numbers(3).map(() => makeCalls(executor, log))
        for (const size of [4, 1, { min: 1, max: 9 }, 2, 3]) {
          executor.resize(size)
          await executor.run('upload', [log, 1])
        }
        await Promise.all(calls)
        const seen = mostAtATime(log)
        assert.ok(seen <= 4, `${seen} at a time`)
        const { queued, running } = executor.stats()
        assert.deepEqual({ queued, running }, { queued: 0, running: 0 })
      },
    )

  for (const balance of ['shared', 'round-robin'])
    test(
      `as many as may run do, in equal shares, whatever the size (${balance})`,
      { skip: !isPool },
      async (t) => {
        const path = testFolder(t)
        const executor = make('barrier.js', { size: 2, concurrency: 4, balance, ...inWorkers })
        for (const [size, shares] of [
          [4, [1, 1, 1, 1]],
          [1, [4]],
          [9, [1, 1, 1, 1]],
          [2, [2, 2]],
        ]) {
          executor.resize(size)
          await waitUntil(() => executor.stats().workers.every(({ state }) => state === 'up'))
          await waitUntil(() => executor.stats().workers.length === shares.length)
          const calls = numbers(6).map((i) =>
            executor.run('waitUntil', [path(`started${size}-${i}`), path(`free${size}`)]),
          )
          const running = () => executor.stats().workers.map((worker) => worker.running)
          await waitUntil(() => String(running()) === String(shares))
          assert.equal(executor.stats().queued, 2)
          touch(path(`free${size}`))
          await Promise.all(calls)
        }
      },
    )

  test('as many as may run do, and maxQueue more wait', async (t) => {
    const path = testFolder(t)
    const executor = make('barrier.js', { size: 2, concurrency: 5, maxQueue: 3 })
    const calls = numbers(12).map((i) => executor.run('waitUntil', [path(`started${i}`), path('free')]))
    const refused = await Promise.all(calls.slice(8).map(rejection))
    for (const { code } of refused) assert.equal(code, 'TW_ERR_QUEUE_FULL')
    for (const i of numbers(5)) await fileExists(path(`started${i}`))
    const { queued, running } = executor.stats()
    assert.deepEqual({ queued, running }, { queued: 3, running: 5 })
    touch(path('free'))
    assert.deepEqual(await Promise.all(calls.slice(0, 8)), new Array(8).fill('released'))
  })

  test(
    'calls that wait on promises make a pool grow, each in a worker of its own',
    { skip: !isPool },
    async (t) => {
      const path = testFolder(t)
      for (const options of [{ concurrency: 4 }, { maxQueue: 10 }, { tasksPerWorker: 1 }]) {
        const executor = make('barrier.js', { size: { min: 1, max: 4 }, ...options, ...inWorkers })
        const [free, name] = [path(`free${JSON.stringify(options)}`), JSON.stringify(options)]
        const calls = numbers(6).map((i) => executor.run('waitUntil', [path(`started${i}${name}`), free]))
        for (const i of numbers(4)) await fileExists(path(`started${i}${name}`))
        const { size, queued } = executor.stats()
        assert.deepEqual([size, queued], [4, 2])
        const running = () => executor.stats().workers.map((worker) => worker.running)
        await waitUntil(() => running().every((count) => count === 1)) // they tell a moment after they have begun
        touch(free)
        await Promise.all(calls)
      }
    },
  )

  test('the caller runs one call at a time, and those behind it go where there is room', async (t) => {
    const path = testFolder(t)
    const narrow = { size: 1, tasksPerWorker: 1, concurrency: 1, maxQueue: 1, whenFull: 'caller-runs' }
    const executor = make('barrier.js', { ...narrow, ...inWorkers })
    const wait = (i, free) => executor.run('waitUntil', [path(`started${i}`), path(free)])
    const first = wait(0, 'free0')
    const second = wait(1, 'free1')
    const own = wait(2, 'free2')
    await fileExists(path('started2'))
    const behind = [wait(3, 'free'), wait(4, 'free')]
    const order = []
    behind.forEach((call, i) => void call.then(() => order.push(i)))
    await fileExists(path('started0'))
    touch(path('free0'))
    assert.equal(await first, 'released')
    await fileExists(path('started1'))
    const { queued, running } = executor.stats()
    assert.deepEqual({ queued, running }, { queued: 1, running: 2 }) // one of those behind it waits in the queue now
    touch(path('free2'))
    assert.equal(await own, 'released')
    await fileExists(path('started4')) // in the caller's thread, before the one in the queue
    touch(path('free'))
    touch(path('free1'))
    assert.deepEqual(await Promise.all([second, ...behind]), new Array(3).fill('released'))
  })

  test('the caller runs calls without end in the order in which they come', async (t) => {
    const log = testFolder(t)('log')
    const executor = make('uploads.js', {
      size: 1,
      concurrency: 1,
      maxQueue: 2,
      whenFull: 'caller-runs',
      ...inWorkers,
    })
    const ids = await Promise.all(
      numbers(60).map((i) => executor.tasks[i % 3 ? 'upload' : 'compute'](log, 1)),
    )
    assert.ok(
      mostAtATime(log) <= 2,
      `${mostAtATime(log)} at a time: one of the executor, and one of the caller`,
    )
    assert.equal(ids.length, 60)
    assert.equal(executor.stats().completed, 60)
    await rejection(executor.run('upload'))
    assert.ok((await executor.tasks.upload(log)) >= 0, 'it goes on')
  })
})
