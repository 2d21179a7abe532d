// task.progress() and onProgress, on every executor.
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { task } from 'threadwise/task'
import { filter, map, mapReduce, reduce } from 'threadwise/parallel'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { waitUntil } from '../helpers/waiting.js'

describeExecutors('progress', (make, { isPool }) => {
  const executor = make('streams.js', { size: 1 })

  for (const name of ['progress', 'progressLater']) {
    test(`of ${name} arrives in order, before the result`, async () => {
      const seen = []
      const values = [1, 'two', { three: [3] }, null, undefined, new Map([[4, 4]])]
      const call = executor.run(name, values, { onProgress: (value) => seen.push(value) })
      call.then(() => seen.push('result'))
      assert.equal(await call, 'done')
      await null
      assert.deepEqual(seen, [...values, 'result'])
    })
  }

  test('goes to the caller of the call, and to nobody else', async () => {
    const seen = { a: [], b: [] }
    const report = (to) => (value) => seen[to].push(value)
    await Promise.all([
      executor.run('progressLater', ['a1', 'a2'], { onProgress: report('a') }),
      executor.run('progressLater', ['x1', 'x2']),
      executor.run('progressLater', ['b1', 'b2'], { onProgress: report('b') }),
    ])
    assert.deepEqual(seen, { a: ['a1', 'a2'], b: ['b1', 'b2'] })
  })

  test('comes in the context of its call, whichever request has started the worker', async () => {
    const request = new AsyncLocalStorage()
    const own = make('streams.js', isPool ? { size: { min: 0, max: 1 } } : {})
    await request.run('first', () => own.run('progress', [1]))
    const seen = []
    const onProgress = () => seen.push(request.getStore())
    await request.run('second', () => own.run('progressLater', [1], { onProgress }))
    const items = request.run('third', () => own.stream('count', [1], { onProgress }))
    for await (const item of items) assert.equal(item, 0)
    await own.run('progress', [1], { onProgress })
    assert.deepEqual(new Set(seen), new Set(['second', undefined]))
  })

  test('comes in the context of its call, also when that had to wait for room', async () => {
    const request = new AsyncLocalStorage()
    const limits = isPool ? { size: 1, tasksPerWorker: 1 } : {}
    const own = make('streams.js', { ...limits, maxQueue: 1, whenFull: 'wait' })
    const seen = []
    const onProgress = (value) => seen.push([value, request.getStore()])
    const numbers = [1, 2, 3, 4, 5, 6]
    await Promise.all(numbers.map((i) => request.run(i, () => own.run('progressLater', [i], { onProgress }))))
    assert.deepEqual(seen.sort(([a], [b]) => a - b), numbers.map((i) => [i, i])) // prettier-ignore
  })

  test('leaves a synchronous task at once', async (t) => {
    if (!isPool) return t.skip('the callback is called directly')
    const file = testFolder(t)
    const onProgress = () => touch(file('seen')) // the task waits for that
    assert.equal(await executor.run('progressThenBlock', [file('seen')], { onProgress }), 'seen')
  })

  test('of map comes from every call', async () => {
    const seen = []
    assert.deepEqual(await executor.map('progress', [1, 2, 3], { onProgress: (value) => seen.push(value) }), [
      'done',
      'done',
      'done',
    ])
    assert.deepEqual(seen.sort(), [1, 2, 3])
  })

  test('of a stream comes before the item that follows it', async () => {
    const seen = []
    const stream = executor.stream('progressAndItems', [5], { onProgress: (value) => seen.push(value) })
    let i = 0
    for await (const item of stream) {
      assert.equal(item, i++)
      assert.equal(seen[item], `before ${item}`)
    }
    assert.equal(seen.length, 5)
  })

  test('does nothing where nobody listens, and outside of tasks', async () => {
    assert.equal(await executor.run('progress', [() => 1].slice(1)), 'done')
    assert.equal(await executor.run('progressOf', ['function']), 'was sent')
    assert.equal(task.progress(1), undefined)
  })

  test('that cannot be sent throws in the task', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    const onProgress = () => assert.fail('nothing can arrive')
    for (const kind of ['function', 'symbol']) {
      const thrown = await executor.run('progressOf', [kind], { onProgress })
      assert.equal(thrown.code, 'TW_ERR_NOT_CLONEABLE')
      assert.match(thrown.message, /^A progress value of task "progressOf" cannot be sent/)
    }
  })

  test('whose callback throws rejects the call with that, and cancels the task', async (t) => {
    const path = testFolder(t)('stopped')
    const reason = new RangeError('in onProgress')
    const onProgress = () => {
      throw reason
    }
    assert.equal(await rejection(executor.run('progressUntilAborted', [path], { onProgress })), reason)
    await fileExists(path)
    await waitUntil(() => readFileSync(path, 'utf8') !== '')
    assert.equal(readFileSync(path, 'utf8'), 'in onProgress')
    assert.equal(await rejection(executor.stream('progressAndItems', [3], { onProgress }).next()), reason)
    assert.equal(await executor.run('progress', []), 'done')
    assert.equal(executor.stats().running, 0)
  })

  test('after the end of its call goes nowhere', async () => {
    const seen = []
    await executor.run('progressAfterwards', [], { onProgress: (value) => seen.push(value) })
    await executor.run('leak')
    assert.deepEqual(seen, [])
  })

  test('may call the executor', async () => {
    let inner
    await executor.run('progress', [1], { onProgress: () => (inner = executor.run('sum', [2, 3])) })
    assert.equal(await inner, 5)
  })

  test('needs a function', async () => {
    const error = await rejection(executor.run('progress', [], { onProgress: 5 }))
    assert.equal(error.code, 'TW_ERR_INVALID_OPTION')
    assert.match(error.message, /onProgress must be a function/)
  })
})

describeExecutors('progress of the algorithms over lists', (make) => {
  test('comes from every item, and what the callback throws ends them', async () => {
    const executor = make('streams.js')
    for (const algorithm of [map, filter]) {
      const seen = []
      await algorithm(executor, 'progressOne', [1, 2, 3, 4, 5], {
        chunk: 2,
        onProgress: (value) => seen.push(value),
      })
      assert.deepEqual(seen.sort(), [1, 2, 3, 4, 5])
    }
    const seen = []
    const onProgress = (value) => seen.push(value)
    const steps = { map: 'progressOne', reduce: 'progressSum', inputs: [1, 2, 3, 4] }
    assert.equal(await mapReduce(executor, steps, { onProgress }), 10)
    assert.ok(
      [1, 2, 3, 4].every((each) => seen.includes(each)),
      seen.join(),
    )
    const sums = []
    assert.equal(
      await reduce(executor, 'progressSum', [1, 2, 3, 4], { onProgress: (sum) => sums.push(sum) }),
      10,
    )
    assert.ok(sums.includes(10), sums.join())
    const stop = () => {
      throw new Error('enough')
    }
    const error = await rejection(map(executor, 'progressOne', [1, 2, 3], { onProgress: stop }))
    assert.equal(error.message, 'enough')
  })
})
