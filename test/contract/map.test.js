// map(): the results of one call for each input, however many of them travel together.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filter, map } from 'threadwise/parallel'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { numbers } from '../helpers/many.js'
import { nextTurn } from '../helpers/waiting.js'

describeExecutors('map', (make, { kind, isPool, isOnQueue }) => {
  const executor = make('mapped.js')
  /** A store hands jobs over at its own pace. */
  const isSlow = isOnQueue

  test('of many small inputs gives their results in order, and counts each call', async () => {
    const own = make('mapped.js')
    for (const length of [1, 2, 63, 64, 65, 5000]) {
      const before = own.stats().completed
      assert.deepEqual(await own.map('double', numbers(length)), numbers(length).map((n) => n * 2)) // prettier-ignore
      assert.equal(own.stats().completed - before, length)
    }
    const { queued, running, failed } = own.stats()
    assert.deepEqual({ queued, running, failed }, { queued: 0, running: 0, failed: 0 })
  })

  test('takes inputs of every kind, mixed', async () => {
    const kinds = [1, -0, NaN, 2n ** 70n, 'text', 'x'.repeat(1000), '\ud800', true, null, undefined, [1, [2]], { a: { b: 1 } }, new Date(7), new Map([[1, 2]])] // prettier-ignore
    const inputs = numbers(isSlow ? 300 : 3000).map((i) => kinds[(i * 7) % kinds.length])
    assert.deepEqual(await executor.map('echo', inputs), inputs)
  })

  test('gives an object of its own for each input, and each result', async (t) => {
    if (!isPool) return t.skip('in the own thread values are not copied')
    const list = []
    assert.deepEqual(await executor.map('append', new Array(500).fill(list)), new Array(500).fill(1))
    for (const name of ['sameObject', 'wrap']) {
      const results = await executor.map(name, numbers(2000))
      const objects = results.filter((value) => typeof value === 'object')
      assert.equal(new Set(objects).size, objects.length)
      assert.equal(new Set(objects.map((value) => value.same ?? value)).size, objects.length)
    }
  })

  test('ends when its signal aborts, while inputs wait that travel together', async (t) => {
    if (kind !== 'threads') return t.skip('only threads see an abort while they run')
    const own = make('mapped.js')
    const controller = new AbortController()
    const inputs = numbers(3000).map((n) => ({ n, last: 2500 }))
    setTimeout(() => controller.abort('enough'), 50)
    const { signal } = controller
    assert.equal(await rejection(own.map('abortedAt', inputs, { signal })), 'enough')
    assert.deepEqual(await own.map('double', [1, 2]), [2, 4])
  })

  test('warns once when copying takes longer than the work', async (t) => {
    if (!['threads', 'processes'].includes(kind))
      return t.skip('each call goes by itself, or nothing is copied')
    const own = make('mapped.js', { name: 'rows' })
    const warnings = []
    const listen = (warning) => warning.code === 'TW_WARN_COPIES' && warnings.push(warning)
    process.on('warning', listen)
    t.after(() => process.off('warning', listen))
    await own.map('spin', numbers(2000))
    await nextTurn()
    assert.deepEqual(warnings, [], 'not where the work takes longer')
    const cells = Array.from({ length: 400 }, (_, i) => ({ i, text: `cell ${i}` }))
    for (let times = 0; times < 2; times++) await own.map('cellsOf', new Array(2000).fill({ cells }))
    await nextTurn()
    assert.equal(warnings.length, 1)
    assert.match(
      warnings[0].message,
      new RegExp(`^map\\("cellsOf"\\) of ${kind} "rows" copies more than it works`),
    )
    assert.match(warnings[0].detail, /columns/)
  })

  test('fails when the iterator of its inputs is none', async () => {
    for (const result of [undefined, null, 5]) {
      const next = () => result
      for (const inputs of [
        { [Symbol.iterator]: () => ({ next }) },
        { [Symbol.asyncIterator]: () => ({ next }) },
      ])
        // prettier-ignore
        assert.match((await rejection(executor.map('double', inputs))).message, /^Iterator result .* is not an object$/)
    }
  })

  test('of promises: all, some', async () => {
    const inputs = numbers(isSlow ? 200 : 2000)
    assert.deepEqual(await executor.map('doubleLater', inputs), inputs.map((n) => n * 2)) // prettier-ignore
    assert.deepEqual(await executor.map('sometimesLater', inputs), inputs)
  })

  test('keeps to tasksPerWorker', async (t) => {
    if (!isPool) return t.skip('no option of this executor')
    const one = make('mapped.js', { size: 1, tasksPerWorker: 1 })
    const calls = isSlow ? 10 : 50
    assert.deepEqual(await one.map('openCalls', numbers(calls)), new Array(calls).fill(1))
    const many = make('mapped.js', { size: 1 })
    const open = await many.map('openCalls', numbers(isSlow ? 50 : 200))
    assert.ok(Math.max(...open) > (isSlow ? 2 : 20), 'promises overlap')
  })

  test('keeps to it where a function gives values first and promises later', async (t) => {
    if (!isPool || isSlow) return t.skip('no option of this executor, or it has many more calls open')
    const own = make('mapped.js', { size: 1, tasksPerWorker: 3 })
    const inputs = numbers(600)
    for (const open of [await own.map('openLater', inputs), await map(own, 'openLater', inputs)]) {
      assert.deepEqual(open.slice(0, 400), new Array(400).fill(0))
      assert.equal(Math.max(...open), 3)
    }
    const kept = await filter(own, 'openLater', inputs)
    assert.deepEqual(kept, inputs.slice(400))
  })

  test('keeps to concurrency, of all workers together', async (t) => {
    if (kind === 'inline' || isSlow) return t.skip('no option of this executor')
    let open = 0
    let most = 0
    const counted = async (n) => {
      most = Math.max(most, ++open)
      await new Promise((resolve) => setTimeout(resolve, 1))
      open--
      return n
    }
    const host = { counted }
    const own = make('mapped.js', { concurrency: 3, host })
    const inputs = numbers(600)
    assert.deepEqual(await own.map('countedLater', inputs), inputs)
    assert.deepEqual(await map(own, 'countedLater', inputs), inputs)
    assert.ok(most > 1 && most <= 3, `${most} at a time`)
  })

  test('sends inputs together though calls are limited', async (t) => {
    if (!['threads', 'processes'].includes(kind)) return t.skip('inputs go one by one there')
    for (const options of [{ tasksPerWorker: 1 }, { concurrency: 2 }]) {
      const calls = await make('mapped.js', { size: 1, ...options }).map('signalNumber', numbers(2000))
      assert.ok(new Set(calls).size < 1000, `${new Set(calls).size} calls`)
    }
  })

  test('fails with the error of the input that throws', async () => {
    const own = make('mapped.js')
    async function theCaller() {
      await own.map('failAt', numbers(3000))
    }
    const error = await rejection(theCaller())
    assert.ok(error instanceof RangeError)
    assert.equal(error.message, 'number 1500')
    assert.match(error.stack, /failAt\b.*mapped\.js/)
    assert.deepEqual(await own.map('double', [1, 2]), [2, 4])
  })

  test('says which task gave what cannot be sent', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    const error = await rejection(executor.map('uncloneableAt', numbers(2000)))
    assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
    assert.match(error.message, /The result of task "uncloneableAt"/)
  })

  test('fails when a worker dies, and the next one works', async (t) => {
    if (!isPool) return t.skip('it would be the process of the test')
    const own = make('mapped.js')
    const error = await rejection(own.map('exitAt', numbers(2000)))
    assert.equal(error.code, 'TW_ERR_WORKER_EXITED')
    assert.match(error.message, /"exitAt"/)
    assert.deepEqual(await own.map('exitAt', [1, 2]), [1, 2])
  })
})

describeExecutors('calls in one go', (make, { isPool, isOnQueue }) => {
  test('share no object with each other, neither going nor coming', async (t) => {
    if (!isPool) return t.skip('in the own thread values are not copied')
    const executor = make('mapped.js')
    const list = []
    const length = isOnQueue ? 50 : 300
    const each = (call) => Promise.all(Array.from({ length }, call))
    const ones = new Array(length).fill(1)
    assert.deepEqual(await each(() => executor.tasks.append(list)), ones)
    assert.deepEqual(await each(() => executor.tasks.appendInside({ list })), ones)
    assert.deepEqual(await each(() => executor.tasks.appendInside(new Map([['list', list]]))), ones)
    for (const task of ['sameObject', 'sameInMap', 'sameLater']) {
      const results = await each(() => executor.run(task))
      const objects = results.map((value) => (value instanceof Map ? value.get('same') : value))
      assert.equal(new Set(objects).size, length)
    }
  })
})
