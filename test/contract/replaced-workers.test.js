// Workers that take over from others, while something else happens: a start that fails, a broadcast, map().
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { numbers } from '../helpers/many.js'
import { fileSays } from '../helpers/streams.js'
import { nextTurn, waitUntil } from '../helpers/waiting.js'

describeExecutors('a worker that fails to start once', (make, { isPool }) => {
  if (!isPool) return

  test('is started again, though the others suffice and nobody calls', async (t) => {
    const path = testFolder(t)
    const executor = make('load-while.js', { size: 6, env: { MODULE_IS_BROKEN: path('broken') } })
    await executor.ready
    touch(path('broken'))
    const deaths = [1, 2, 3, 4, 5, 6, 7, 8].map((key) => rejection(executor.run('die', [], { key })))
    await Promise.all(deaths.slice(0, 3))
    await waitUntil(() => executor.size < 5)
    await Promise.allSettled(deaths)
    rmSync(path('broken'))
    await waitUntil(
      () => executor.size === 6 && executor.stats().workers.every(({ state }) => state === 'up'),
    )
  })

  test('takes over all the same from one that has run enough calls', async (t) => {
    const path = testFolder(t)
    const options = { size: 1, recycle: { maxTasks: 5 }, env: { MODULE_IS_BROKEN: path('broken') } }
    const executor = make('load-while.js', options)
    await executor.ready
    touch(path('broken'))
    const first = await executor.tasks.workerId()
    for (let i = 0; i < 5; i++) await executor.tasks.workerId()
    await waitUntil(() => executor.stats().workers.length === 2) // its successor, which does not load
    await waitUntil(() => executor.stats().workers.length === 1)
    assert.equal(await executor.tasks.workerId(), first)
    rmSync(path('broken'))
    await waitUntil(async () => (await executor.tasks.workerId()) !== first)
  })
})

describeExecutors('a broadcast while one worker takes over from another', (make, { isPool, kind }) => {
  if (!isPool || kind === 'adaptive') return

  test('goes to the one that stays', async (t) => {
    const path = testFolder(t)
    writeFileSync(path('config'), 'old')
    touch(path('may-load'))
    const env = { CONFIG: path('config'), MAY_LOAD: path('may-load') }
    const executor = make('reads-config.js', { size: 1, recycle: { maxTasks: 5 }, env })
    await executor.ready
    rmSync(path('may-load'))
    for (let i = 0; i < 5; i++) await executor.tasks.configNow()
    await fileSays(path('config.read'), (text) => text.length === 2)
    writeFileSync(path('config'), 'new')
    const told = executor.broadcast('reload')
    assert.equal(await executor.tasks.configNow(), 'old', 'the other one still works')
    touch(path('may-load'))
    assert.deepEqual(await told, ['new'])
    for (let i = 0; i < 3; i++) assert.equal(await executor.tasks.configNow(), 'new') // with one more it would be replaced
    assert.equal(readFileSync(path('config.read'), 'utf8'), 'xx')
  })
})

describeExecutors('calls with one key while one worker takes over from another', (make, { isPool }) => {
  if (!isPool) return

  test('never run side by side', async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { size: 1, recycle: { maxTasks: 2 } })
    const key = 'k'
    for (let i = 0; i < 2; i++) await executor.run('workerId', [], { key })
    const first = executor.run('blockUntil', [path('started'), path('free')], { key })
    const others = [executor.run('workerId', [], { key })]
    await fileExists(path('started'))
    await waitUntil(() => executor.stats().workers.some(({ id, state }) => id > 1 && state === 'up'))
    others.push(executor.run('workerId', [], { key }))
    await executor.tasks.workerId() // there is a worker that could run them
    assert.equal(await Promise.race([...others, 'still']), 'still')
    touch(path('free'))
    assert.equal(await first, 'released')
    assert.equal((await Promise.all(others)).length, 2)
  })
})

describeExecutors('inputs of map()', (make, { isPool, kind }) => {
  if (!isPool || kind === 'adaptive') return

  test('count as calls, for the statistics of workers and for recycling', async () => {
    const counted = make('basic.js', { size: 1 })
    await counted.map('double', numbers(5000))
    assert.deepEqual(counted.stats().workers.map(({ completed }) => completed), [5000]) // prettier-ignore
    const recycled = make('basic.js', { size: 1, recycle: { maxTasks: 1000 } })
    await recycled.ready
    await recycled.map('double', numbers(3000))
    await waitUntil(() => recycled.stats().workers[0].id > 1)
  })
})

describeExecutors('a worker that is given up in the midst of a task', (make, { isPool, kind }) => {
  if (!isPool || kind === 'adaptive') return
  const gracePeriod = 0
  const makePipe = (path) => execFileSync('mkfifo', [path])
  /** Waits until the system holds the thread that reads a pipe; returns what lets it go. */
  const heldBy = async (path) => {
    let descriptor
    await waitUntil(() => {
      try {
        descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
        return true
      } catch (error) {
        if (error.code !== 'ENXIO') throw error // that is: nobody reads it yet
        return false
      }
    })
    return () => closeSync(descriptor)
  }
  const aborts = (executor, path, options) => {
    const controller = new AbortController()
    const { signal } = controller
    const call = rejection(executor.run('loopForEver', [path], { ...options, signal, gracePeriod }))
    return fileExists(path).then(() => {
      controller.abort('enough')
      return call
    })
  }

  for (const options of [
    { size: 1 },
    { size: 2 },
    { size: 1, isolate: true },
    { size: 1, balance: 'round-robin' },
  ])
    test(`is replaced: the next calls run (${JSON.stringify(options)})`, async (t) => {
      const path = testFolder(t)
      const executor = make('barrier.js', options)
      for (const name of ['a', 'b', 'c']) {
        assert.equal(await aborts(executor, path(name)), 'enough')
        assert.equal(typeof (await executor.tasks.workerId()), 'number')
      }
    })

  test('is replaced at once, though the system holds its thread: no call waits for its end', async (t) => {
    if (kind !== 'threads' || process.platform === 'win32') return t.skip('only a thread outlives its end')
    const path = testFolder(t)
    const executor = make('barrier.js', { size: 1 })
    for (const pipe of [path('first'), path('second')]) {
      makePipe(pipe)
      const before = await executor.tasks.workerId()
      const controller = new AbortController()
      const { signal } = controller
      const call = rejection(executor.run('readPipe', [pipe], { signal, gracePeriod }))
      const release = await heldBy(pipe)
      controller.abort('enough')
      assert.equal(await call, 'enough')
      const after = await executor.tasks.workerId()
      const states = executor.stats().workers.map(({ id, state }) => [id, state])
      assert.deepEqual(states, [[before, 'ending'], [after, 'up']]) // prettier-ignore
      assert.equal(executor.size, 1)
      release()
      await waitUntil(() => executor.stats().workers.length === 1)
    }
  })

  test('is replaced at once, though a child of its task holds its output', async (t) => {
    if (kind !== 'processes') return t.skip('only processes have children of their own')
    const path = testFolder(t)
    const executor = make('holds-output.js', { size: 1, output: 'labelled' })
    const before = await executor.tasks.workerId()
    const controller = new AbortController()
    const { signal } = controller
    const call = rejection(
      executor.run('startAndLoop', [path('in'), path('release')], { signal, gracePeriod }),
    )
    await fileExists(path('in'))
    controller.abort('enough')
    await call
    const ids = () => executor.stats().workers.map(({ id }) => id)
    while (!ids().some((id) => id > before)) await nextTurn()
    assert.equal(ids()[0], before, 'its successor starts before it has ended')
    assert.ok((await executor.tasks.workerId()) > before)
    touch(path('release'))
  })

  test('and its calls with the same key wait for its end, so that none run side by side', async (t) => {
    if (kind !== 'threads' || process.platform === 'win32') return t.skip('only a thread outlives its end')
    const path = testFolder(t)
    makePipe(path('pipe'))
    const executor = make('barrier.js', { size: 1 })
    const [key, controller] = ['k', new AbortController()]
    const { signal } = controller
    const call = rejection(executor.run('readPipe', [path('pipe')], { key, signal, gracePeriod }))
    const release = await heldBy(path('pipe'))
    controller.abort('enough')
    await call
    const keyed = executor.run('workerId', [], { key })
    await executor.tasks.workerId()
    assert.equal(await Promise.race([keyed, 'waits']), 'waits')
    release()
    assert.equal(typeof (await keyed), 'number')
  })
})
