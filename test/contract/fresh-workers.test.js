// Executors that give each call a worker of its own: recycle: { maxTasks: 1 } and isolate: true.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { adaptive, concurrent, inline } from 'threadwise'
import { describeExecutors, rejection, taskModule } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { numbers } from '../helpers/many.js'
import { waitUntil } from '../helpers/waiting.js'

/** Calls that fork, fail, are given up or cannot be sent, and after each a worker for the next one. */
async function callsThatEndOtherwise(executor) {
  const [own, ...forked] = await executor.tasks.forkCallsHere()
  assert.deepEqual([own, forked.length], [1, 2])
  await rejection(executor.tasks.missing())
  const given = rejection(executor.run('callsHere', [600_000], { timeout: 5, gracePeriod: 5 }))
  assert.equal((await given).code, 'TW_ERR_TIMEOUT')
  assert.equal((await executor.tasks.callsHere())[1], 1)
  await rejection(executor.run('callsHere', [() => {}]))
  assert.equal((await executor.tasks.callsHere())[1], 1)
}

describeExecutors('a fresh worker for each call', (make, { kind, isPool, name }) => {
  if (!isPool) return
  const options = { recycle: { maxTasks: 1 }, ...(kind === 'adaptive' ? { maxBlock: 0 } : {}) }

  // Each call starts a worker: the pools of the others do not differ.
  const sizes = name === 'threads' ? [1, 2, { min: 0, max: 3 }] : [1, { min: 0, max: 3 }]
  for (const size of sizes)
    test(`by recycle: { maxTasks: 1 } (size ${JSON.stringify(size)})`, async () => {
      const executor = make('uploads.js', { ...options, size })
      const calls = [
        ...numbers(4).map((i) => executor.tasks.callsHere(i)),
        executor.tasks.callsHereAtOnce(),
        executor.run('callsHere', [], { key: 'k' }),
        executor.run('callsHere', [], { priority: 2 }),
        executor.run('callsHere', [], { timeout: 60_000, onProgress() {} }),
      ]
      const seen = [...(await Promise.all(calls)), ...(await executor.map('callsHereAtOnce', [1, 2, 3, 4]))]
      assert.equal(new Set(seen.map(([id]) => id)).size, 12, 'as many workers as calls')
      for (const [, count] of seen) assert.equal(count, 1)
      for (let i = 0; i < 3; i++) assert.equal((await executor.tasks.callsHere())[1], 1)
      assert.equal(executor.stats().failed, 0)
    })

  test('is no obstacle to a call that forks, gives up or fails, and to the end', async () => {
    const executor = make('uploads.js', { ...options, size: 1 })
    await callsThatEndOtherwise(executor)
    await waitUntil(() => executor.size === 1)
    await executor.close()
  })
})

describeExecutors('isolate: true', (make, { kind, isPool }) => {
  if (!isPool || kind === 'adaptive')
    return test('is refused where calls share a thread', () => {
      const isolating = () =>
        ({ adaptive, concurrent, inline })[kind](taskModule('uploads.js'), { isolate: true })
      assert.throws(isolating, { code: 'TW_ERR_INVALID_OPTION', message: /isolate.*threads, processes/ })
    })

  for (const options of [{ size: 1 }, { size: 2, balance: 'round-robin' }, { size: { min: 0, max: 3 } }])
    test(`gives each call a fresh worker (${JSON.stringify(options)})`, async () => {
      const executor = make('uploads.js', { isolate: true, ...options })
      const calls = [
        ...numbers(4).map((i) => executor.tasks.callsHere(i)),
        executor.tasks.callsHereAtOnce(),
        executor.run('callsHere', [], { key: 'k' }),
        executor.run('callsHere', [], { priority: 2 }),
      ]
      const seen = [...(await Promise.all(calls)), ...(await executor.map('callsHereAtOnce', [1, 2, 3, 4]))]
      assert.equal(new Set(seen.map(([id]) => id)).size, 11, 'as many workers as calls')
      for (const [, count] of seen) assert.equal(count, 1)
      assert.equal(executor.stats().failed, 0)
    })

  test('has the next worker up while a call runs, and runs no more calls than its size', async (t) => {
    const path = testFolder(t)
    const executor = make('barrier.js', { isolate: true, size: 1 })
    await executor.ready
    const first = executor.tasks.waitUntil(path('started'), path('free'))
    await fileExists(path('started'))
    await waitUntil(() => executor.stats().workers.filter(({ state }) => state === 'up').length === 1)
    const second = executor.tasks.note(path('notes'), 'second')
    await executor.inspect() // a round trip to the workers: a call that may start has
    assert.equal(existsSync(path('notes')), false)
    touch(path('free'))
    assert.deepEqual(await Promise.all([first, second]), ['released', 'second'])
  })

  test('does not stop calls that fork, fail, give up or cannot be sent', async () => {
    const executor = make('uploads.js', { isolate: true, size: 1 })
    await callsThatEndOtherwise(executor)
    await executor.close()
  })

  test('has a worker for a call after one that has ended its own', async () => {
    const executor = make('exits.js', { isolate: true, size: 1 })
    for (let i = 0; i < 6; i++) await rejection(executor.tasks.exit(1))
    assert.equal(await executor.tasks.add(1, 2), 3)
  })

  test('says what does not go with it', () => {
    for (const other of [{ recycle: { maxTasks: 5 } }, { tasksPerWorker: 2 }])
      assert.throws(() => make('uploads.js', { isolate: true, ...other }), { code: 'TW_ERR_INVALID_OPTION' })
  })
})
