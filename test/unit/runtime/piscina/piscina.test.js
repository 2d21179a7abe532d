// threadwise/piscina: what programs that were written for piscina rely on. All tests of piscina itself: field/piscina/run-suite.js.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import Default, { ArrayTaskQueue, FixedQueue, Piscina } from 'threadwise/piscina'
import { waitUntil } from '../../../helpers/waiting.js'

const require = createRequire(import.meta.url)
const filename = fileURLToPath(new URL('../../../fixtures/piscina/worker.cjs', import.meta.url))
const module = new URL('../../../fixtures/piscina/worker.mjs', import.meta.url).href

async function withPool(options, use) {
  const pool = new Piscina({ filename, minThreads: 1, maxThreads: 1, ...options })
  try {
    return await use(pool)
  } finally {
    await pool.destroy()
  }
}

describe('a Piscina', () => {
  test('is the default export, and what require() gives', () => {
    assert.equal(Default, Piscina)
    assert.equal(require('threadwise/piscina'), Piscina, 'one class, however it was loaded')
    assert.equal(require('threadwise/piscina').Piscina, require('threadwise/piscina'))
  })

  test('runs functions by name, and of other files', () =>
    withPool({}, async (pool) => {
      assert.deepEqual(await pool.run({ a: 1 }), { a: 1 })
      assert.equal(await pool.run('x', { filename: module }), 'module x')
      await assert.rejects(pool.run(1, { name: 'missing' }), /No handler function exported/)
    }))

  test('gives threads their data and arguments', () =>
    withPool({ workerData: { a: 1 }, argv: ['b'] }, async (pool) => {
      assert.deepEqual(await pool.run(0, { name: 'data' }), [true, { a: 1 }, { a: 1 }, ['b']])
      assert.equal(Piscina.workerData, undefined)
    }))

  test('moves arguments and results', () =>
    withPool({}, async (pool) => {
      const bytes = new Uint8Array(8)
      const result = await pool.run({ bytes }, { name: 'take', transferList: [bytes.buffer] })
      assert.deepEqual([bytes.length, result.length], [0, 9])
    }))

  // A pool gives up after five deaths in a row without an answer; the first thread has answered. It is the pool that ends one in a loop.
  for (const [name, times] of [
    ['wait', 7],
    ['loop', 3],
  ])
    // prettier-ignore
    test(`ends the thread of an aborted call that would ${name} for ever, as often as it is asked to`, () =>
      withPool({}, async (pool) => {
        const before = await pool.run(0, { name: 'thread' })
        for (let i = 0; i < times; i++) {
          const words = new Int32Array(new SharedArrayBuffer(4))
          const controller = new AbortController()
          const call = pool.run(words, { name, signal: controller.signal })
          await waitUntil(() => words[0] === 1)
          const reason = new Error(String(i))
          controller.abort(reason)
          await assert.rejects(call, { name: 'AbortError', cause: reason })
        }
        assert.notEqual(await pool.run(0, { name: 'thread' }), before)
      }))

  test('counts what waits, and refuses more than maxQueue', () =>
    withPool({ maxQueue: 1 }, async (pool) => {
      const calls = [pool.run(0, { name: 'wait' }), pool.run(0, { name: 'wait' })].map((call) =>
        call.catch(String),
      )
      assert.equal(pool.queueSize, 1)
      await assert.rejects(pool.run(1), /Task queue is at limit/)
      await pool.destroy()
      assert.deepEqual(await Promise.all(calls), Array(2).fill('Error: Terminating worker thread'))
      assert.equal(await pool.run(1), 1, 'and is usable again')
      assert.equal(pool.completed, 3)
    }))

  test('takes calls in the order of a queue of the user', () =>
    withPool({ taskQueue: lastInFirstOut() }, async (pool) => {
      const order = []
      await Promise.all([1, 2, 3, 4].map((n) => pool.run(n).then(() => order.push(n))))
      assert.deepEqual(order, [1, 4, 3, 2])
    }))

  test('asks a load balancer which thread a call is for, and shows it what each has', () => {
    const seen = []
    const shown = []
    let isFirst = true
    const loadBalancer = (task, workers) => {
      shown.push(workers)
      seen.push(workers.map(({ currentUsage }) => currentUsage))
      if (task.name === 'thread' && isFirst) return ((isFirst = false), workers[1])
      return workers.find(({ currentUsage }) => currentUsage === 0) ?? null
    }
    const options = { minThreads: 2, maxThreads: 2, loadBalancer, workerHistogram: true }
    return withPool(options, async (pool) => {
      const threads = await Promise.all([1, 2, 3].map(() => pool.run(0, { name: 'thread' })))
      assert.notEqual(threads[0], threads[1])
      assert.deepEqual(seen.slice(0, 3), [[0, 0], [0, 1], [1, 1]]) // prettier-ignore
      const [first] = shown.at(-1)
      assert.equal(first.histogram.max > 0, true)
      const abort = new AbortController()
      const words = new Int32Array(new SharedArrayBuffer(4))
      const loops = pool.run(words, { name: 'loop', signal: abort.signal })
      await waitUntil(() => words[0] === 1)
      const keeper = shown.at(-1).find(({ isRunningAbortableTask }) => isRunningAbortableTask)
      abort.abort()
      await assert.rejects(loops, { name: 'AbortError' })
      await waitUntil(() => keeper.destroyed)
    })
  })

  test('rejects calls whose load balancer throws', async () => {
    let calls = 0
    const loadBalancer = (_task, [worker]) => {
      if (++calls > 1 && worker.currentUsage === 0) throw new Error('which?')
      return worker.currentUsage === 0 ? worker : null
    }
    await withPool({ loadBalancer }, async (pool) => {
      const [first, second] = await Promise.allSettled([pool.run(1), pool.run(2)])
      assert.equal(first.value, 1)
      assert.equal(second.reason.message, 'which?')
    })
  })

  test('tells what a task posts', () =>
    withPool({}, async (pool) => {
      const message = once(pool, 'message')
      await pool.run({ a: 1 }, { name: 'post' })
      assert.deepEqual(await message, [{ a: 1 }])
    }))

  test('tells how a worker has ended', () =>
    withPool({}, async (pool) => {
      await assert.rejects(pool.run(0, { name: 'exit' }), { message: 'worker exited with code: 3' })
      const error = once(pool, 'error')
      await pool.run(0, { name: 'throwLater' })
      pool.threads[0].ref() // nothing else keeps this program
      assert.equal((await error)[0].message, 'late')
    }))

  test('refuses what it does not have', () => {
    for (const options of [{ workerHistogram: true }, { trackUnmanagedFds: false }])
      assert.throws(() => new Piscina({ filename, ...options }), { code: 'TW_ERR_INVALID_OPTION' })
  })

  test('refuses what cannot be copied, as a DataCloneError that says where it is', () =>
    withPool({}, async (pool) => {
      await assert.rejects(pool.run({ user: { save() {} } }), {
        name: 'DataCloneError',
        message: /user\.save/,
      })
    }))

  test('lets open calls end as it closes, and tells of it', () =>
    withPool({}, async (pool) => {
      const closed = once(pool, 'close')
      const call = pool.run(7)
      const closing = pool.close()
      await assert.rejects(pool.run(8), { name: 'AbortError', cause: 'queue is being terminated' })
      assert.equal(await call, 7)
      await Promise.all([closing, closed])
    }))
})

test('queues keep their order, and find what is removed', () => {
  for (const Queue of [FixedQueue, ArrayTaskQueue]) {
    const queue = new Queue()
    const tasks = Array.from({ length: 5000 }, (_, i) => ({ i }))
    for (const task of tasks) queue.push(task)
    queue.remove(tasks[2500])
    queue.unshift(tasks[2500])
    const order = []
    while (queue.size > 0) order.push(queue.shift().i)
    assert.deepEqual(order.slice(0, 3), [2500, 0, 1])
    assert.equal(order.length, 5000)
    queue.push(tasks[0])
    assert.equal(queue.shift(), tasks[0])
  }
})

function lastInFirstOut() {
  const tasks = []
  return {
    get size() {
      return tasks.length
    },
    push: (task) => tasks.push(task),
    shift: () => tasks.pop() ?? null,
    remove: (task) => tasks.splice(tasks.indexOf(task), 1),
  }
}
