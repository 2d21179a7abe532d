// Messages to a running task: the option messages, and task.messages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { task } from 'threadwise/task'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder } from '../helpers/files.js'
import { numbers } from '../helpers/many.js'
import { nextTurn } from '../helpers/waiting.js'

test('outside of a task there are none', async () => {
  for await (const value of task.messages) assert.fail(value)
})

describeExecutors('messages to a running task', (make, { kind, isPool, isOnQueue, name }) => {
  if (isOnQueue) return
  const own = kind === 'adaptive' ? { maxBlock: 0 } : {}
  const executor = make('reads-messages.js', own)

  /** A source that tells how far it was read, and how it ended. */
  function source(count, after = async () => {}) {
    const seen = { given: 0, isEnded: false }
    const messages = (async function* () {
      try {
        for (let i = 1; i <= count; i++) {
          seen.given = i
          yield i
        }
        await after()
      } finally {
        seen.isEnded = true
      }
    })()
    return { messages, seen }
  }

  test('are read in their order, from iterables of every kind', async () => {
    const { messages } = source(20)
    assert.equal(await executor.run('sum', [1], { messages }), 211)
    assert.equal(await executor.run('sum', [0], { messages: [1, 2, 3] }), 6)
    assert.equal(await executor.run('sum', [5], { messages: new Set() }), 5)
    assert.equal(await executor.run('sum', [5]), 5, 'none were given')
    assert.equal(await executor.tasks.sum(5), 5)
    const calls = numbers(20).map((n) => executor.run('sum', [0], { messages: [n, 1] }))
    assert.deepEqual(await Promise.all(calls), numbers(20).map((n) => n + 1)) // prettier-ignore
    assert.equal(await executor.run('firstLater', [], { messages: ['late'] }), 'late')
  })

  test('arrive whole', async () => {
    const values = [new Map([[1, { when: new Date(0) }]]), undefined, null, [1n], new Error('as a value')]
    const [read] = await executor.run('readSome', [5], { messages: values })
    assert.deepEqual(read, values)
  })

  test('are asked for by the task: the source is never ahead, and ends with the call', async () => {
    const { messages, seen } = source(1000)
    assert.deepEqual(await executor.run('readSome', [3], { messages }), [[1, 2, 3], true])
    await nextTurn()
    assert.deepEqual(seen, { given: 3, isEnded: true })
  })

  test('end with the abort of their call, while the source is silent', async (t) => {
    const path = testFolder(t)('started')
    const controller = new AbortController()
    let wake
    const messages = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise((resolve) => (wake = resolve)) }),
    }
    const call = rejection(executor.run('started', [path], { messages, signal: controller.signal }))
    await fileExists(path)
    controller.abort('enough')
    assert.equal(await call, 'enough')
    wake?.({ done: true })
    assert.equal(await executor.run('sum', [1]), 1)
  })

  test('reject in the task with what the source throws', async () => {
    const { messages } = source(2, () => Promise.reject(new RangeError('no more')))
    const error = await rejection(executor.run('sum', [0], { messages }))
    assert.ok(error instanceof RangeError)
    assert.equal(error.message, 'no more')
  })

  test('that cannot be sent reject with their place', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    const error = await rejection(executor.run('sum', [0], { messages: [() => {}] }))
    assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
  })

  test('are refused where they are none, or have no task', async () => {
    for (const messages of [5, 'text', {}, () => {}]) {
      const error = await rejection(executor.run('sum', [0], { messages }))
      assert.equal(error.code, 'TW_ERR_INVALID_OPTION', String(messages))
    }
    assert.match(
      (await rejection(executor.map('sum', [1], { messages: [] }))).message,
      /messages must be absent from map/,
    )
    assert.match(
      (await rejection(executor.broadcast('sum', [1], { messages: [] }))).message,
      /messages must be absent/,
    )
    assert.throws(() => executor.stream('sum', [1], { messages: [] }), { code: 'TW_ERR_INVALID_OPTION' })
    const missing = await rejection(executor.run('noSuchTask', [], { messages: [] }))
    assert.equal(missing.code, 'TW_ERR_TASK_NOT_FOUND')
    assert.match(missing.message, /"noSuchTask"/)
  })

  test('end with the worker; a call that is tried again gets those that were not read', async (t) => {
    if (!isPool || kind === 'adaptive') return t.skip('it would end the program')
    const { messages, seen } = source(5)
    const pool = make('reads-messages.js', { ...own, size: 1 })
    const error = await rejection(pool.run('exitAfterOne', [], { messages }))
    assert.equal(error.code, 'TW_ERR_WORKER_EXITED', name)
    await nextTurn()
    assert.equal(seen.isEnded, true)
    const again = make('reads-messages.js', { ...own, size: 1, onWorkerExit: { retries: 1 } })
    assert.equal(await again.run('exitAfterOne', [], { messages: [1, 2, 3] }), 2)
  })
})
