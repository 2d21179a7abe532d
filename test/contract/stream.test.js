// Streams, on every executor: what comes, in which order, and how far the task runs ahead.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { numbers } from '../helpers/many.js'
import { all, assertIdle, end, fileSays } from '../helpers/streams.js'

describeExecutors('the items of a stream', (make, { isPool }) => {
  const executor = make('streams.js')

  test('come from generators, iterables, and promises of either', async () => {
    assert.deepEqual(await all(executor.stream('count', [5])), [0, 1, 2, 3, 4])
    assert.deepEqual(await all(executor.stream('countLater', [20])), numbers(20))
    assert.deepEqual(await all(executor.stream('list', ['a', 'b'])), ['a', 'b'])
    assert.deepEqual(await all(executor.stream('promised', ['a', 'b'])), ['a', 'b'])
    assert.deepEqual(await all(executor.stream('promises', ['a', 'b', 'c'])), ['a', 'b', 'c'])
    assert.deepEqual(await all(executor.stream('list')), [])
    await assertIdle(executor)
  })

  test('come in order, 30,000 of them', async () => {
    for (const [task, n] of [
      ['count', 30_000],
      ['countLater', 10_000],
    ]) {
      let next = 0
      for await (const item of executor.stream(task, [n], { highWaterMark: 64 })) {
        if (item !== next++) assert.equal(item, next - 1)
      }
      assert.equal(next, n)
    }
  })

  test('are what they were when they were given, though the task changes its object', async (t) => {
    if (!isPool) return t.skip('nothing is copied in the own thread')
    const rows = await all(executor.stream('sameObject', [40], { highWaterMark: 20 }))
    assert.deepEqual(
      rows,
      numbers(40).map((i) => ({ i, inner: { list: [i] } })),
    )
  })

  test('are what run() would give', async () => {
    const items = await all(executor.stream('kinds'))
    assert.deepEqual(items.slice(0, 9), [
      ...[1, 'two', 3n, true, null, undefined, new Date(5), { a: [1, { b: 2 }] }],
      new Map([[1, 2]]),
    ])
    assert.ok(Buffer.isBuffer(items[9]))
    assert.deepEqual(Buffer.from(items[9]), Buffer.from('bytes'))
    assert.deepEqual(items[10], new Uint8Array([1, 2, 3]))
  })

  test('of two streams in one worker come side by side, and calls run between them', async () => {
    const narrow = make('streams.js', { size: 1 })
    const a = narrow.stream('count', [1000], { highWaterMark: 2 })
    const b = narrow.stream('countLater', [1000], { highWaterMark: 2 })
    for (let i = 0; i < 500; i++) {
      assert.equal((await a.next()).value, i)
      assert.equal((await b.next()).value, i)
      if (i % 100 === 0) assert.equal(await narrow.run('sum', [i, 1]), i + 1)
    }
    assert.equal(narrow.stats().running, 2)
    await Promise.all([a.return(), b.return()])
    await assertIdle(narrow)
  })

  test('answer calls of next() that were made together', async () => {
    const stream = executor.stream('countLater', [3], { highWaterMark: 1 })
    const results = await Promise.all(numbers(5).map(() => stream.next()))
    assert.deepEqual(
      results.map(({ value }) => value),
      [0, 1, 2, undefined, undefined],
    )
    assert.deepEqual(results[4], end)
    assert.deepEqual(await stream.next(), end)
  })

  test('with a key come from its worker', async () => {
    assert.deepEqual(await all(executor.stream('count', [3], { key: 'a' })), [0, 1, 2])
  })

  test('count as one call', async () => {
    const own = make('streams.js')
    await all(own.stream('count', [50]))
    await rejection(own.stream('number').next())
    const stream = own.stream('count', [50])
    await stream.next()
    assert.equal(own.stats().running, 1)
    await stream.return()
    const { completed, failed, cancelled } = own.stats()
    assert.deepEqual({ completed, failed, cancelled }, { completed: 2, failed: 1, cancelled: 0 })
  })
})

describeExecutors('the back-pressure of a stream', (make, { isPool }) => {
  const executor = make('streams.js', { size: 1 })
  const produced = (text) => text.trim().split(' ').length

  for (const task of ['noted', 'notedLater']) {
    for (const highWaterMark of [1, 2, 5, 16]) {
      test(`${task} never runs more than ${highWaterMark} ahead, and goes on when items are taken`, async (t) => {
        const path = testFolder(t)('steps')
        const stream = executor.stream(task, [path], { highWaterMark })
        for (let taken = 1; taken <= 40; taken++) {
          assert.deepEqual(await stream.next(), { done: false, value: taken - 1 })
          await executor.run('sum', [1, 2]) // runs in the same worker, after what the generator was allowed
          const ahead = produced(readFileSync(path, 'utf8')) - taken
          assert.ok(ahead <= highWaterMark, `${ahead} ahead after ${taken}`)
          if (isPool && taken === 1) await fileSays(path, (text) => produced(text) >= highWaterMark)
        }
        await stream.return()
        assert.match(readFileSync(path, 'utf8'), /end$/)
      })
    }
  }

  test(
    'an item that is ready is sent although the next one keeps the thread busy',
    { timeout: 60_000 },
    async (t) => {
      if (!isPool) return t.skip('nothing runs ahead in the own thread')
      const file = testFolder(t)
      const stream = executor.stream('oneByOne', [file('started'), file('go')])
      assert.equal((await stream.next()).value, 'first')
      await fileExists(file('started'))
      touch(file('go'))
      assert.equal((await stream.next()).value, 'second')
      assert.deepEqual(await stream.next(), end)
    },
  )
})
