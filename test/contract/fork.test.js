// task.fork(): a task calls another one of the same executor, at any depth and width.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineContext, task } from 'threadwise/task'
import '../fixtures/tasks/forks.js' // its class must be known here, too
import { describeExecutors, rejection } from '../helpers/executors.js'
import { nextTurn } from '../helpers/waiting.js'

const trace = defineContext('fork-trace')
/** Of the numbers 1 to `count`. */
const sumTo = (count) => (count * (count + 1)) / 2

/** Resolves when the task says so. */
function said(executor, name, args, options = {}) {
  let result
  const progress = new Promise((resolve, reject) => {
    result = executor.run(name, args, { ...options, onProgress: resolve })
    result.catch(reject)
  })
  return { progress, result }
}

/** In-thread executors share one module. */
async function aborts(executor) {
  return (await executor.broadcast('abortsSoFar')).reduce((a, b) => a + b)
}

async function starts(executor) {
  return (await executor.broadcast('startsSoFar')).reduce((a, b) => a + b)
}

describeExecutors('task.fork', (make, { kind, isPool, name }) => {
  const executor = make('forks.js')

  test('gives the result of another task', async () => {
    assert.equal(await executor.run('forkOf', ['add', [1, 2]]), 3)
    assert.equal(await executor.run('forkOf', ['forkOf', ['add', [1, 2]]]), 3)
    assert.equal(await executor.run('forkOf', ['nothing']), undefined)
  })

  const narrow = { size: 1, concurrency: 1, tasksPerWorker: 1 }
  for (const [title, options] of Object.entries({
    'two workers': {},
    'one place': narrow,
    'one place and a full queue': { ...narrow, maxQueue: 0, whenFull: 'wait' },
    'lanes of their own': { balance: 'round-robin', tasksPerWorker: 1 },
    'a pool that grows': { size: { min: 1, max: 2 }, tasksPerWorker: 1 },
  })) {
    test(`never deadlocks: ${title}`, async () => {
      const own = make('forks.js', options)
      assert.equal(await own.run('fibonacci', [12]), 144)
      assert.equal(await own.run('deep', [200]), 200)
      const width = name === 'threads' && title === 'two workers' ? 10_000 : 1000
      assert.equal(await own.run('wide', [width]), sumTo(width))
      // Calls that wait for a place meanwhile must neither pass the forks nor be lost.
      const results = await Promise.all([
        ...[7, 8, 9].map((n) => own.run('fibonacci', [n])),
        own.run('add', [1, 1]),
      ])
      assert.deepEqual(results, [13, 21, 34, 2])
      const { queued, running, failed, cancelled } = own.stats()
      assert.deepEqual({ queued, running, failed, cancelled }, { queued: 0, running: 0, failed: 0, cancelled: 0 }) // prettier-ignore
      await own.close()
    })
  }

  test('passes calls that wait in one place, by message and through shared memory', async () => {
    const own = make('forks.js', narrow)
    const first = own.run('fibonacci', [6])
    const others = Array.from({ length: 20 }, (_, i) => own.run('add', [i, 0], i % 3 === 0 ? { timeout: 60_000 } : undefined)) // prettier-ignore
    const second = own.run('fibonacci', [6], { transfer: [] })
    assert.equal(await first, 8)
    assert.equal(await second, 8)
    assert.deepEqual(await Promise.all(others), others.map((_, i) => i)) // prettier-ignore
  })

  test('is not held back by a call by message that waits behind calls that wait for a place', async () => {
    for (const tasksPerWorker of [1, 4]) {
      for (const balance of isPool ? ['shared', 'round-robin'] : ['shared']) {
        const own = make('forks.js', { ...narrow, tasksPerWorker, balance })
        const parents = Array.from({ length: tasksPerWorker }, (_, i) => own.run('forkOf', ['add', [i, 0]]))
        const behind = [own.run('add', [1, 1]), own.run('add', [1, 2], { onProgress() {} })]
        assert.deepEqual(await Promise.all(parents), parents.map((_, i) => i)) // prettier-ignore
        assert.deepEqual(await Promise.all(behind), [2, 3])
      }
    }
  })

  test('goes to a worker that comes up later, too', async (t) => {
    if (!isPool) return t.skip('there is one thread')
    for (const tasksPerWorker of [1, 1024]) {
      let workers
      // All forks wait when the second worker comes up: more of them where its start takes long.
      for (const count of [80, 400, 2000]) {
        const own = make('forks.js', { size: { min: 1, max: 2 }, tasksPerWorker, maxBlock: 0 })
        await own.ready
        workers = await own.run('spread', [count, 5])
        if (workers === 2) break
      }
      assert.equal(workers, 2)
    }
  })

  test('counts as a call', async () => {
    const own = make('forks.js')
    await own.run('wide', [10])
    assert.equal(own.stats().completed, 11)
  })

  test('fails with what the other task throws', async () => {
    const { error, isRangeError } = await executor.run('outcomeOf', ['fail', []])
    assert.ok(isRangeError)
    assert.equal(error.limit, 7)
    const outer = await rejection(executor.run('forkOf', ['fail', []]))
    assert.ok(outer instanceof RangeError && outer.message === 'too far')
    const { code } = await executor.run('outcomeOf', ['missing', []])
    assert.equal(code, 'TW_ERR_TASK_NOT_FOUND')
  })

  test('says what cannot be sent, and sends the others', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    assert.deepEqual(await executor.run('forkUncloneable'), [3, 'TW_ERR_NOT_CLONEABLE'])
    assert.equal((await executor.run('outcomeOf', ['uncloneable', []])).code, 'TW_ERR_NOT_CLONEABLE')
  })

  test('fails with errors of our class, under its name', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    assert.equal(await executor.run('classOfFailure', ['uncloneable', []]), 'ThreadwiseError')
    assert.equal(await executor.run('classOfFailure', ['nowhere', []]), 'ThreadwiseError')
  })

  test('fails when the worker of the fork dies, and nothing hangs', async (t) => {
    if (!isPool) return t.skip('no worker to lose')
    const own = make('forks.js')
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => own.run('outcomeOf', ['exit', []])))
    for (const { value, reason } of outcomes) assert.equal(value?.code ?? reason.code, 'TW_ERR_WORKER_EXITED')
    assert.equal(await own.run('fibonacci', [5]), 5)
    const { queued, running } = own.stats()
    assert.deepEqual({ queued, running }, { queued: 0, running: 0 })
  })

  test('an abort of the call aborts its forks', async () => {
    const own = make('forks.js')
    const controller = new AbortController()
    const reason = new Error('enough')
    await own.ready
    const before = await aborts(own)
    const startsBefore = await starts(own)
    const { progress, result } = said(own, 'forkCountAborts', [12], { signal: controller.signal })
    assert.equal(await progress, 'forked')
    // A process may have been sent a call that it has not started.
    const haveStarted = async () =>
      isPool ? (await starts(own)) - startsBefore === 12 : own.stats().running === 13
    while (!(await haveStarted())) await nextTurn()
    controller.abort(reason)
    assert.equal(await rejection(result), reason)
    while ((await aborts(own)) - before < 12) await nextTurn()
    const { running, cancelled } = own.stats()
    assert.deepEqual({ running, cancelled }, { running: 0, cancelled: 13 })
  })

  test('a timeout of the call aborts its forks', async () => {
    const own = make('forks.js')
    await own.ready
    const error = await rejection(own.run('forkCountAborts', [2], { timeout: 1000 }))
    assert.equal(error.code, 'TW_ERR_TIMEOUT')
    while (own.stats().running > 0) await nextTurn()
    assert.equal(own.stats().cancelled, 2)
  })

  test('goes on while the executor closes', async () => {
    for (const balance of ['shared', 'round-robin']) {
      const own = make('forks.js', { balance })
      const result = own.run('fibonacci', [8])
      const slow = said(own, 'forkThenWait', [])
      await slow.progress
      const closed = own.close()
      assert.equal(await result, 21)
      assert.equal(await slow.result, 'done')
      await closed
    }
  })

  test('is rejected when the executor is destroyed', async () => {
    const own = make('forks.js')
    const { progress, result } = said(own, 'forkCountAborts', [1])
    const end = rejection(result)
    await progress
    await own.destroy()
    assert.equal((await end).code, 'TW_ERR_DESTROYED')
  })

  test('that nobody waits for runs all the same', async (t) => {
    if (kind === 'processes') return t.skip('no shared memory')
    const flag = new Int32Array(new SharedArrayBuffer(4))
    assert.equal(await executor.run('forget', [flag]), 'forgotten')
    while (Atomics.load(flag, 0) === 0) await nextTurn()
  })

  test('keeps contexts and classes', async () => {
    assert.equal(await trace.run('t-1', () => executor.run('forkOf', ['traceOf'])), 't-1')
    assert.equal(await executor.run('forkOf', ['traceOf']), undefined)
    assert.equal(await executor.run('forkPoint'), true)
  })
})

test('outside of a task it rejects, and calls nothing', async () => {
  for (const call of [() => task.fork('add', [1, 2]), () => task.fork(7), () => task.fork('add', 7)]) {
    const promise = call()
    assert.equal((await rejection(promise)).code, 'TW_ERR_INVALID_CALL')
  }
})
