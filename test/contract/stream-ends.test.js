// Streams that end before their items do, on every executor: left, failed, given up; and what is left in the worker.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { numbers } from '../helpers/many.js'
import { all, assertIdle, end, fileSays, untilFailure } from '../helpers/streams.js'
import { nextTurn } from '../helpers/waiting.js'

describeExecutors('leaving a stream early', (make, { isPool }) => {
  const executor = make('streams.js', { size: 1 })

  for (const task of ['noted', 'notedLater']) {
    test(`runs the finally of ${task} before the loop is left`, async (t) => {
      const path = testFolder(t)('steps')
      for await (const item of executor.stream(task, [path])) if (item === 3) break
      assert.match(readFileSync(path, 'utf8'), /^0 1 2 3 .*end$/)
      await assertIdle(executor)
    })
  }

  test('before the first item never calls the task', async (t) => {
    const path = testFolder(t)('steps')
    const stream = executor.stream('noted', [path])
    assert.deepEqual(await stream.return(), end)
    assert.deepEqual(await stream.next(), end)
    assert.equal(existsSync(path), false)
    await stream[Symbol.asyncDispose]()
  })

  test('while the first item is awaited ends the task all the same', async () => {
    for (let i = 0; i < 20; i++) {
      const stream = executor.stream('count', [Infinity])
      const first = stream.next()
      for (let turns = 0; turns < i % 5; turns++) await nextTurn()
      assert.deepEqual(await stream.return(), end)
      assert.ok([0, undefined].includes((await first).value))
      assert.deepEqual(await stream.return(), end)
    }
    await assertIdle(executor)
  })

  test('in the turn in which its end comes leaves the worker free for others', async () => {
    const leave = async (items) => {
      for await (const item of executor.stream('count', [items])) if (item === items - 1) break
    }
    // Side by side: their last items and ends come in one message.
    for (let turn = 0; turn < 20; turn++) await Promise.all(numbers(20).map((items) => leave(items)))
    await assertIdle(executor)
  })

  test('aborts task.signal, so that a task that waits can end', async (t) => {
    const file = testFolder(t)
    const stream = executor.stream('thenWait', [2, file('x')])
    assert.deepEqual([(await stream.next()).value, (await stream.next()).value], [0, 1])
    const third = stream.next()
    await fileExists(file('x.waits'))
    assert.deepEqual(await stream.return(), end)
    assert.deepEqual(await third, end)
    assert.equal(readFileSync(file('x.ended'), 'utf8'), 'true')
    await assertIdle(executor)
  })

  test('of a task that waits for ever is over after gracePeriod', async (t) => {
    const file = testFolder(t)
    const before = executor.stats().cancelled
    const stream = executor.stream('thenHang', [1, file('hangs')], { gracePeriod: 5 })
    await stream.next()
    const second = stream.next()
    await fileExists(file('hangs'))
    assert.deepEqual(await stream.return(), end)
    assert.deepEqual(await second, end)
    assert.equal(executor.stats().cancelled, before + 1)
    await assertIdle(executor)
  })

  test('of a generator that blocks its worker replaces that after gracePeriod', async (t) => {
    if (!isPool) return t.skip('the own thread cannot be replaced')
    const file = testFolder(t)
    const stream = executor.stream('thenBlock', [1, file('blocks')], { gracePeriod: 5 })
    assert.equal((await stream.next()).value, 0)
    await fileExists(file('blocks'))
    assert.deepEqual(await stream.return(), end)
    await assertIdle(executor)
  })

  test('rejects with what the finally of the task throws', async () => {
    const stream = executor.stream('throwsAtReturn')
    await stream.next()
    const error = await rejection(stream.return())
    assert.ok(error instanceof RangeError)
    assert.equal(error.message, 'in finally')
    assert.deepEqual(await stream.next(), end)
    await assertIdle(executor)
  })

  test('is what await using does', async (t) => {
    const path = testFolder(t)('steps')
    const stream = executor.stream('noted', [path])
    await stream.next()
    await stream[Symbol.asyncDispose]()
    assert.match(readFileSync(path, 'utf8'), /end$/)
  })

  test('leaves alone a call that keeps the worker busy meanwhile', async (t) => {
    if (!isPool) return t.skip('nothing runs meanwhile in the own thread')
    const file = testFolder(t)
    const stream = executor.stream('count', [Infinity], { gracePeriod: 5 })
    await stream.next()
    const busy = executor.run('progressThenBlock', [file('go')], { onProgress: () => touch(file('started')) })
    await fileExists(file('started'))
    assert.deepEqual(await stream.return(), end)
    await new Promise((resolve) => setTimeout(resolve, 30)) // a worker that was ended by mistake would show by now
    touch(file('go'))
    assert.equal(await busy, 'seen')
    await assertIdle(executor)
  })
})

describeExecutors('a stream that fails', (make, { kind, isPool }) => {
  const executor = make('streams.js', { size: 1 })

  for (const task of ['failAfter', 'failLaterAfter']) {
    test(`gives what came before the error of ${task}, then the error whole, then the end`, async () => {
      for (const n of [0, 1, 5, 40]) {
        const stream = executor.stream(task, [n])
        const { items, error } = await untilFailure(stream)
        assert.deepEqual(items, numbers(n))
        assert.ok(error instanceof RangeError)
        assert.deepEqual([error.message, error.code], ['enough', 'E_ENOUGH'])
        assert.match(
          error.stack,
          /streams\.js[^]*at task fail\w* \(called by the following\)[^]*untilFailure/,
        )
        assert.deepEqual(await stream.next(), end)
      }
    })
  }

  test('because the task throws at once', async () => {
    const error = await rejection(executor.stream('throwAtOnce').next())
    assert.deepEqual([error.name, error.code], ['RangeError', 'E_ONCE'])
  })

  test('because the task gives nothing iterable, or does not exist', async () => {
    for (const [task, got] of [
      ['number', '5'],
      ['text', '"not a stream"'],
    ]) {
      const error = await rejection(executor.stream(task).next())
      assert.equal(error.code, 'TW_ERR_NOT_ITERABLE')
      assert.match(error.message, new RegExp(`task "${task}" gave ${got}. Call it with run\\(\\)`))
    }
    assert.equal((await rejection(executor.stream('missing').next())).code, 'TW_ERR_TASK_NOT_FOUND')
  })

  test('because an item cannot be sent: those before it come, and the generator is ended', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    for (const n of [0, 3, 30, 300]) {
      const file = testFolder(t)
      const args = [n, file('ended'), n !== 3]
      const { items, error } = await untilFailure(executor.stream('functionAfter', args))
      assert.deepEqual(items, numbers(n))
      assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
      assert.match(error.message, /^An item of task "functionAfter" cannot be sent/)
      await fileExists(file('ended'))
    }
  })

  test('because an argument cannot be sent', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    assert.equal((await rejection(executor.stream('list', [() => {}]).next())).code, 'TW_ERR_NOT_CLONEABLE')
  })

  test('because its worker ends: what was received comes before that', async (t) => {
    if (!isPool) return t.skip('process.exit in the own thread ends the program')
    const file = testFolder(t)
    const { error } = await untilFailure(executor.stream('exitAfter', [3]))
    assert.equal(error.code, 'TW_ERR_WORKER_EXITED')
    const stream = executor.stream('exitWhen', [file('go')])
    assert.equal((await stream.next()).value, 1)
    touch(file('go'))
    assert.equal((await rejection(stream.next())).code, 'TW_ERR_WORKER_EXITED')
    assert.deepEqual(await stream.next(), end)
    await assertIdle(executor)
  })

  test('run() of a generator says that stream() is for that', async (t) => {
    if (!isPool) return t.skip('the own thread gives the generator itself')
    for (const task of ['count', 'countLater']) {
      const error = await rejection(executor.run(task, [1]))
      assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
      assert.match(error.message, /its items come one by one when it is called with stream\(\)/)
    }
  })

  test('a wrong call throws at once', () => {
    assert.throws(() => executor.stream(5), { code: 'TW_ERR_INVALID_CALL', message: /^stream\(\) needs/ })
    assert.throws(() => executor.stream('count', 5), { code: 'TW_ERR_INVALID_CALL' })
    for (const options of [
      5,
      { highWaterMark: 0 },
      { highWaterMark: 1.5 },
      { timeout: -1 },
      { onProgress: 1 },
    ])
      assert.throws(() => executor.stream('count', [1], options), { code: 'TW_ERR_INVALID_OPTION' })
    assert.ok(kind)
  })
})

describeExecutors('a stream that is given up', (make, { isPool }) => {
  test('by a signal, before it starts and in the middle, with the reason', async (t) => {
    const executor = make('streams.js', { size: 1 })
    const path = testFolder(t)('steps')
    const reason = { why: 'enough' }
    const early = executor.stream('noted', [path], { signal: AbortSignal.abort(reason) })
    assert.equal(await rejection(early.next()), reason)
    assert.deepEqual(await early.next(), end)
    assert.equal(existsSync(path), false)
    for (const task of ['noted', 'notedLater']) {
      const controller = new AbortController()
      const own = testFolder(t)('steps')
      const stream = executor.stream(task, [own], { signal: controller.signal, highWaterMark: 2 })
      await stream.next()
      controller.abort(reason)
      let failure
      for (let i = 0; i < 4 && !failure; i++) failure = await stream.next().then(() => undefined, (error) => ({ error })) // prettier-ignore
      assert.equal(failure.error, reason)
      await fileSays(own, (text) => text.endsWith('end'))
    }
    assert.equal(executor.stats().cancelled, 2)
    await assertIdle(executor)
  })

  test('by a signal while next() waits', async (t) => {
    const executor = make('streams.js', { size: 1 })
    const file = testFolder(t)
    const controller = new AbortController()
    const stream = executor.stream('thenWait', [0, file('x')], { signal: controller.signal })
    const first = rejection(stream.next())
    await fileExists(file('x.waits'))
    controller.abort(new Error('too slow'))
    assert.equal((await first).message, 'too slow')
    await fileExists(file('x.ended'))
    await assertIdle(executor)
  })

  test('by its timeout, which is for the whole of it', async () => {
    const executor = make('streams.js', { size: 1 })
    const { items, error } = await untilFailure(
      executor.stream('thenHang', [3], { timeout: 1000, gracePeriod: 5 }),
    )
    assert.deepEqual(items, [0, 1, 2])
    assert.equal(error.code, 'TW_ERR_TIMEOUT')
    await assertIdle(executor)
  })

  test('while its generator blocks the worker, which is replaced', async (t) => {
    if (!isPool) return t.skip('the own thread cannot be replaced')
    const executor = make('streams.js', { size: 1 })
    const file = testFolder(t)
    for (const n of [0, 1, 20]) {
      const stream = executor.stream('thenBlock', [n, file(`x${n}`)], { timeout: 30, gracePeriod: 5 })
      assert.equal((await untilFailure(stream)).error.code, 'TW_ERR_TIMEOUT')
      await assertIdle(executor)
    }
  })

  test('by close, which waits for open streams', async () => {
    const executor = make('streams.js')
    const stream = executor.stream('count', [100])
    await stream.next()
    const closed = executor.close()
    assert.equal((await rejection(executor.stream('count', [1]).next())).code, 'TW_ERR_CLOSED')
    assert.equal((await all(stream)).length, 99)
    await closed
  })

  test('by close, after its timeout', async () => {
    const executor = make('streams.js')
    const stream = executor.stream('thenHang', [2])
    await stream.next()
    await executor.close({ timeout: 20 })
    const { items, error } = await untilFailure(stream)
    assert.deepEqual(items, [1].slice(0, items.length))
    assert.equal(error.code, 'TW_ERR_CLOSED')
    assert.deepEqual(await stream.return(), end)
  })

  test('by destroy', async (t) => {
    const executor = make('streams.js')
    const path = testFolder(t)('steps')
    const reason = new Error('going down')
    const stream = executor.stream('noted', [path], { highWaterMark: 1 })
    const waiting = executor.stream('thenHang', [0])
    const next = rejection(waiting.next())
    await stream.next()
    await executor.destroy(reason)
    const { error } = await untilFailure(stream)
    assert.deepEqual([error.code, error.cause], ['TW_ERR_DESTROYED', reason])
    assert.equal((await next).code, 'TW_ERR_DESTROYED')
    if (!isPool) assert.match(readFileSync(path, 'utf8'), /end$/)
  })

  test('while it is queued, by its caller', async (t) => {
    const executor = make('streams.js', { size: 1, tasksPerWorker: 1 })
    if (executor.kind === 'inline') return t.skip('inline has no queue once its module is loaded')
    const open = numbers(8).map(() => executor.stream('thenHang', [1], { gracePeriod: 5 }))
    const firsts = open.map((stream) => stream.next())
    await firsts[0]
    const path = testFolder(t)('steps')
    const queued = executor.stream('noted', [path])
    const first = queued.next()
    assert.deepEqual(await queued.return(), end)
    assert.deepEqual(await first, end)
    await Promise.all(open.map((stream) => stream.return()))
    await assertIdle(executor)
    assert.equal(existsSync(path), false)
  })
})
