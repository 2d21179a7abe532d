// The workers of a pool as their user sees them: the place that each has, errors that end one, and all of them replaced at once.
import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { waitUntil } from '../helpers/waiting.js'

const slotsOf = async (executor) => (await executor.broadcast('worker')).map(({ slot }) => slot).sort()

describeExecutors('places of workers', (make, { kind, isPool }) => {
  if (!isPool)
    return test('the caller’s own thread has none', async () => {
      const executor = make('barrier.js', { name: 'own' })
      assert.deepEqual(await executor.tasks.worker(), { name: 'own', id: 0, slot: 0 })
    })
  // Adaptive has the module in the caller's thread, too.
  const inWorkers = kind === 'adaptive' ? { maxBlock: 0 } : {}

  for (const balance of ['shared', 'round-robin']) {
    test(`are numbered from 1, and kept by those that take over (${balance})`, async () => {
      const executor = make('barrier.js', { size: 3, balance, ...inWorkers })
      await executor.ready
      assert.deepEqual(await slotsOf(executor), [1, 2, 3])
      const before = executor.stats().workers
      assert.deepEqual(before.map(({ slot }) => slot).sort(), [1, 2, 3])
      const { slot, id } = await executor.tasks.worker()
      assert.equal(before.find((worker) => worker.id === id).slot, slot)
      await executor.recycleNow()
      assert.deepEqual(await slotsOf(executor), [1, 2, 3])
      const ids = executor.stats().workers.map(({ id }) => id)
      assert.ok(!ids.some((id) => before.some((worker) => worker.id === id)), ids.join())
    })
  }

  test('a worker that has died leaves its place to the next one', async () => {
    const executor = make('exits.js', { size: 2, ...inWorkers })
    await executor.ready
    await rejection(executor.tasks.exit(1))
    await waitUntil(() => executor.stats().workers.every(({ state }) => state === 'up'))
    assert.deepEqual(
      executor
        .stats()
        .workers.map(({ slot }) => slot)
        .sort(),
      [1, 2],
    )
  })

  test('a size that goes down and up again gives each place to one worker', async () => {
    const executor = make('barrier.js', { size: 4, ...inWorkers })
    executor.resize(1) // while they start
    executor.resize(4)
    await executor.ready
    await waitUntil(() => executor.stats().workers.every(({ state }) => state === 'up'))
    assert.deepEqual(await slotsOf(executor), [1, 2, 3, 4])
  })

  test('workers that start are kept when the size goes down and up again', async (t) => {
    const file = testFolder(t)
    const workerData = { entered: file('entered'), goOn: file('go-on') }
    const executor = make('setup.js', { size: 2, workerData, ...inWorkers })
    await waitUntil(() => executor.stats().workers.length === 2)
    executor.resize(1)
    executor.resize(2)
    touch(workerData.goOn)
    await executor.ready
    const ids = executor.stats().workers.map(({ id }) => id)
    assert.deepEqual(ids.sort(), [1, 2])
  })

  test('events name them, and say whether the pool has ended the worker', async (t) => {
    const events = []
    const channels = ['threadwise:worker:up', 'threadwise:worker:exited']
    const listen = (message, channel) => message.executor === 'seen' && events.push({ ...message, channel })
    for (const name of channels) diagnostics.subscribe(name, listen)
    t.after(() => channels.forEach((name) => diagnostics.unsubscribe(name, listen)))
    const executor = make('exits.js', { name: 'seen', size: 1, ...inWorkers })
    await rejection(executor.tasks.exit(3))
    await executor.tasks.add(1, 2)
    await executor.close()
    const told = events.map(({ channel, slot, isExpected }) => [channel.split(':').at(-1), slot, isExpected])
    assert.deepEqual(told, [
      ['up', 1, undefined],
      ['exited', 1, false],
      ['up', 1, undefined],
      ['exited', 1, true],
    ])
  })
})

describeExecutors('what a task posts by itself', (make, { kind }) => {
  test('is told with its worker', async (t) => {
    if (!['threads', 'adaptive'].includes(kind)) return t.skip('its tasks have no parentPort')
    const told = []
    const listen = (message) => message.executor === 'posting' && told.push(message)
    diagnostics.subscribe('threadwise:worker:message', listen)
    t.after(() => diagnostics.unsubscribe('threadwise:worker:message', listen))
    const pool = make('answers-beside.js', { name: 'posting', size: 1, maxBlock: 0 })
    await pool.run('post', [{ of: 'the task' }])
    await pool.close()
    assert.deepEqual(told.map(({ workerId, slot, message }) => ({ workerId, slot, message })), [{ workerId: 1, slot: 1, message: { of: 'the task' } }]) // prettier-ignore
  })
})

describeExecutors('errors of workers', (make, { kind, isPool }) => {
  if (!isPool) return
  const inWorkers = kind === 'adaptive' ? { maxBlock: 0 } : {}

  function watched(fixture, options) {
    const errors = []
    const onWorkerError = (error, worker) => errors.push({ error, worker })
    return { errors, executor: make(fixture, { size: 1, onWorkerError, ...inWorkers, ...options }) }
  }

  test('between calls: the hook has the error, and there is no warning', async (t) => {
    const warnings = []
    const listen = ({ code }) => warnings.push(code)
    process.on('warning', listen)
    t.after(() => process.off('warning', listen))
    const { errors, executor } = watched('exits.js', { name: 'late' })
    await executor.tasks.throwOutside().catch(() => {})
    await waitUntil(() => errors.length === 1)
    const [{ error, worker }] = errors
    assert.ok(error instanceof Error, String(error))
    assert.equal(worker.slot, 1)
    assert.equal(worker.id, 1)
    assert.equal(worker.name, 'late-1')
    assert.match(worker.how, /outside of any task/)
    assert.equal(typeof (worker.threadId ?? worker.pid), 'number')
    assert.equal(await executor.tasks.add(1, 2), 3)
    assert.ok(!warnings.includes('TW_WARN_WORKER_ERROR'))
  })

  test('during a call: the caller is told, and so is the hook', async () => {
    const { errors, executor } = watched('exits.js')
    assert.equal((await rejection(executor.tasks.exit(3))).code, 'TW_ERR_WORKER_EXITED')
    await waitUntil(() => errors.length === 1)
    assert.equal(errors[0].error.code, 'TW_ERR_WORKER_EXITED')
    assert.match(errors[0].error.message, /exit code 3/)
  })

  test('a start that fails', async () => {
    const { errors, executor } = watched('setup.js', { workerData: { fails: true } })
    const error = await rejection(executor.ready)
    await waitUntil(() => errors.length > 0)
    assert.equal(errors[0].error.code, 'TW_ERR_START_FAILED')
    assert.equal(errors[0].error.code, error.code)
    assert.equal(errors[0].error.cause.message, 'no connection')
  })

  test('what the pool ends is no error', async () => {
    const { errors, executor } = watched('barrier.js', { size: 2 })
    await executor.ready
    await executor.recycleNow()
    executor.resize(1)
    await executor.tasks.worker()
    await executor.close()
    assert.deepEqual(errors, [])
  })
})

describeExecutors('recycleNow()', (make, { kind, isPool }) => {
  if (!isPool)
    return test('has nothing to replace', async () => {
      const executor = make('barrier.js')
      assert.equal(await executor.recycleNow(), undefined)
      assert.equal((await executor.tasks.worker()).id, 0)
    })
  const inWorkers = kind === 'adaptive' ? { maxBlock: 0 } : {}

  test('loses no call: old workers finish, new ones take what comes', async (t) => {
    const path = testFolder(t)
    const executor = make('barrier.js', { size: 2, ...inWorkers })
    await executor.ready
    const slow = executor.tasks.waitUntil(path('started'), path('free'))
    await fileExists(path('started'))
    const before = executor.stats().workers.map(({ id }) => id)
    let isDone = false
    const recycled = executor.recycleNow().then(() => (isDone = true))
    await waitUntil(() => executor.stats().workers.some(({ id, state }) => id > 2 && state === 'up'))
    const calls = Array.from({ length: 200 }, () => executor.tasks.workerId())
    assert.equal((await Promise.all(calls)).length, 200)
    assert.equal(isDone, false, 'one of them still works')
    touch(path('free'))
    assert.equal(await slow, 'released')
    await recycled
    const after = await Promise.all(Array.from({ length: 50 }, () => executor.tasks.workerId()))
    assert.ok(!after.some((id) => before.includes(id)))
    assert.equal(executor.stats().failed, 0)
  })

  test('also right after the start, twice, and with one worker', async () => {
    const executor = make('barrier.js', { size: 1, ...inWorkers })
    await Promise.all([executor.recycleNow(), executor.recycleNow(), executor.tasks.worker()])
    assert.ok((await executor.tasks.workerId()) > 1)
    assert.equal(executor.stats().workers.length, 1)
  })

  test('again and again, and resize() too, while workers start: each ends well', async () => {
    const executor = make('barrier.js', { size: 3, ...inWorkers })
    const asked = []
    for (const size of [1, 3, 2, 3, 1, 3]) {
      asked.push(executor.recycleNow())
      asked.at(-1).catch(() => {}) // looked at below
      executor.resize(size)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await Promise.all([executor.ready, ...asked, executor.tasks.workerId()])
    assert.equal(executor.stats().failed, 0)
    await waitUntil(() => executor.size === 3)
  })

  test('of a closed pool rejects', async () => {
    const executor = make('barrier.js', inWorkers)
    await executor.close()
    assert.equal((await rejection(executor.recycleNow())).code, 'TW_ERR_CLOSED')
  })

  test('settles when the pool is destroyed meanwhile', async () => {
    const executor = make('barrier.js', { size: 2, ...inWorkers })
    await executor.ready
    const recycled = rejection(executor.recycleNow())
    await executor.destroy()
    assert.equal((await recycled).code, 'TW_ERR_DESTROYED')
  })
})
