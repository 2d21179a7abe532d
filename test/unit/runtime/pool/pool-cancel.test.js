// Cancelled and timed-out calls: settled at once, whatever the worker does about them later.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { collectGarbage } from '../../../helpers/collect-garbage.js'
import { fakePool, learnShort, outcome } from '../../../helpers/fake-runtime.js'
import { nextTurn } from '../../../helpers/waiting.js'
import { fakeTimers, pass, replaceTimer } from '../../../helpers/fake-timers.js'

const cancellable = (run, name, options) => {
  const controller = new AbortController()
  return { controller, call: run(name, [], { signal: controller.signal, ...options }) }
}

/** Calls with a buffer each, aborted in the turn in which they are made. What they give their callers stays as long as they do. */
async function makeAndAbort(run, count) {
  const calls = []
  const buffers = []
  const controller = new AbortController()
  for (let i = 0; i < count; i++) {
    const buffer = new ArrayBuffer(1024)
    buffers.push(new WeakRef(buffer))
    calls.push(new WeakRef(run('short', [buffer], { transfer: [buffer], signal: controller.signal })))
  }
  controller.abort()
  await nextTurn()
  return { calls, buffers }
}

const alive = (refs) => refs.filter((ref) => ref.deref()).length

describe('aborting', () => {
  test('a queued call is never sent, and what is behind it is', async (t) => {
    const { pool, workers, up, run } = fakePool(t)
    const { controller, call } = cancellable(run, 'cancelled')
    run('other')
    const reason = { why: 'not needed' }
    controller.abort(reason)
    assert.deepEqual(await outcome(call), { error: reason })
    assert.deepEqual(pool.counts, { queued: 1, running: 0, completed: 0, failed: 0, cancelled: 1 })
    up()
    assert.deepEqual(workers[0].log, [['other']])
  })

  test('nothing is kept of calls that were aborted, though no call waits after them', async (t) => {
    const { workers, up, run } = fakePool(t)
    up()
    run('long')
    await nextTurn()
    const { calls, buffers } = await makeAndAbort(run, 20)
    workers[0].answer('long')
    await nextTurn()
    collectGarbage()
    assert.deepEqual([alive(calls), alive(buffers)], [0, 0])
  })

  test('what an aborted call was to transfer is let go of while another one waits before it', async (t) => {
    const { up, run } = fakePool(t)
    up()
    run('long')
    await nextTurn()
    run('next')
    const { buffers } = await makeAndAbort(run, 20)
    collectGarbage()
    assert.equal(alive(buffers), 0)
  })

  test('a call that was given to a worker and not sent yet is not sent', async (t) => {
    const pool = fakePool(t)
    pool.up()
    await learnShort(pool, 'short')
    pool.run('short')
    await nextTurn()
    const { controller, call } = cancellable(pool.run, 'short')
    const last = pool.run('short', ['last'])
    await Promise.resolve() // both are with the busy worker, and leave in the next turn
    assert.equal(pool.pool.counts.running, 3)
    controller.abort()
    assert.equal((await outcome(call)).error.name, 'AbortError')
    assert.deepEqual(pool.workers[0].log.slice(1), [['short'], ['short']])
    pool.workers[0].answerAll()
    assert.equal(await last, 'last')
    assert.deepEqual(pool.pool.counts, { queued: 0, running: 0, completed: 3, failed: 0, cancelled: 1 })
  })

  test('a sent call is settled at once, the worker is told, and its late answer is dropped', async (t) => {
    const { pool, workers, up, run } = fakePool(t)
    up()
    const { controller, call } = cancellable(run, 'a')
    await nextTurn()
    controller.abort('stop')
    assert.deepEqual(await outcome(call), { error: 'stop' })
    assert.deepEqual(workers[0].log, [['a'], 'cancel'])
    workers[0].answer('a', 'too late')
    assert.deepEqual(pool.counts, { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 1 })
    assert.deepEqual(await outcome(call), { error: 'stop' })
  })

  test('the worker keeps its place until it has answered a cancelled call', async (t) => {
    const { workers, up, run } = fakePool(t)
    up()
    const { controller } = cancellable(run, 'a', { gracePeriod: 1e9 })
    const next = run('next')
    await nextTurn()
    controller.abort()
    await nextTurn()
    assert.deepEqual(workers[0].log, [['a'], 'cancel'])
    workers[0].answer('a', 0)
    workers[0].answer('next', 1)
    assert.equal(await next, 1)
  })

  test('a signal is not held after its call has settled', async (t) => {
    const { pool, workers, up, run } = fakePool(t)
    up()
    const { controller, call } = cancellable(run, 'a')
    await nextTurn()
    workers[0].answer('a', 1)
    assert.equal(await call, 1)
    controller.abort()
    await nextTurn()
    assert.deepEqual(workers[0].log, [['a']])
    assert.equal(pool.counts.cancelled, 0)
  })

  test('a signal that is aborted already refuses the call', async (t) => {
    const { pool, run } = fakePool(t)
    const call = run('a', [], { signal: AbortSignal.abort('no') })
    assert.deepEqual(await outcome(call), { error: 'no' })
    assert.equal(pool.counts.queued, 0)
  })
  test('a reason that the channel cannot carry does not throw at the one who aborts', async (t) => {
    const { workers, up, run } = fakePool(t)
    up()
    const { controller, call } = cancellable(run, 'a')
    await nextTurn()
    workers[0].face.channel.send = () => {
      throw new DOMException('cannot be cloned', 'DataCloneError')
    }
    let uncaught
    process.setUncaughtExceptionCaptureCallback((error) => (uncaught = error))
    t.after(() => process.setUncaughtExceptionCaptureCallback(null))
    controller.abort('stop')
    assert.deepEqual(await outcome(call), { error: 'stop' })
    assert.equal(uncaught, undefined)
  })

  test('a worker that dies over a cancelled call loses nothing more', async (t) => {
    const { pool, workers, up, run } = fakePool(t)
    up()
    const { controller, call } = cancellable(run, 'a')
    await nextTurn()
    workers[0].startedCalls = 1
    controller.abort('stop')
    workers[0].die()
    assert.deepEqual(await outcome(call), { error: 'stop' })
    assert.deepEqual(pool.counts, { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 1 })
  })
})

describe('gracePeriod', () => {
  async function aborted(t, beforeAbort) {
    fakeTimers(t)
    const { workers, up, run } = fakePool(t)
    up()
    const { controller } = cancellable(run, 'a', { gracePeriod: 100 })
    await nextTurn()
    beforeAbort?.(workers[0])
    controller.abort()
    await pass(t, 99)
    assert.equal(workers[0].isTerminated, false)
    return workers
  }

  test('a call that still blocks its worker after it costs the worker', async (t) => {
    const workers = await aborted(t, (worker) => worker.started('a'))
    await pass(t, 1)
    assert.equal(workers[0].isTerminated, true)
    await nextTurn()
    assert.equal(workers.length, 2)
  })

  test('an answer that has come by then is read first: this thread may have been busy', async (t) => {
    const workers = await aborted(t, (worker) => worker.started('a'))
    t.mock.timers.tick(1)
    workers[0].answer('a', 0)
    await nextTurn()
    assert.equal(workers[0].isTerminated, false)
  })

  test('a call that waits on a promise blocks nobody, so its worker stays', async (t) => {
    const workers = await aborted(t, (worker) => {
      worker.started('a')
      worker.waits('a')
    })
    await pass(t, 10_000)
    assert.equal(workers[0].isTerminated, false)
  })

  test('a call that has not started is given its time from its start', async (t) => {
    const workers = await aborted(t)
    await pass(t, 1)
    assert.equal(workers[0].isTerminated, false)
    workers[0].started('a')
    await pass(t, 100)
    assert.equal(workers[0].isTerminated, true)
  })

  test('a call that comes meanwhile is not sent behind it, to be lost with the worker', async (t) => {
    fakeTimers(t)
    const pool = fakePool(t)
    const { workers, up, run } = pool
    up()
    await learnShort(pool, 'a')
    await learnShort(pool, 'b')
    const { controller } = cancellable(run, 'a', { gracePeriod: 100 })
    await nextTurn()
    workers[0].started('a')
    controller.abort()
    const before = workers[0].log.flat().length
    const next = run('b')
    for (let i = 0; i < 3; i++) await nextTurn()
    assert.deepEqual(workers[0].log.flat().slice(before), [])
    t.mock.timers.tick(100)
    workers[0].die()
    workers[1].ready()
    workers[1].answer('b', 7)
    assert.equal(await next, 7)
  })

  test('and is sent when it has ended in time', async (t) => {
    fakeTimers(t)
    const pool = fakePool(t)
    const { workers, up, run } = pool
    up()
    await learnShort(pool, 'a')
    await learnShort(pool, 'b')
    const { controller } = cancellable(run, 'a', { gracePeriod: 1000 })
    await nextTurn()
    workers[0].started('a')
    controller.abort()
    const next = run('b')
    await nextTurn()
    workers[0].answer('a', 1)
    workers[0].answer('b', 2)
    assert.equal(await next, 2)
    assert.equal(workers.length, 1)
  })

  test('of Infinity never costs the worker', async (t) => {
    const { workers, up, run } = fakePool(t)
    up()
    const { controller } = cancellable(run, 'a', { gracePeriod: Infinity })
    await nextTurn()
    workers[0].started('a')
    const timers = []
    replaceTimer(t, (callback, ms) => {
      timers.push(ms)
      return { unref() {} }
    })
    controller.abort()
    for (const ms of timers) assert.ok(ms < 2 ** 31, `a timer of ${ms} ms fires after 1 ms`)
  })

  test('a call that ends in time keeps its worker', async (t) => {
    const workers = await aborted(t, (worker) => worker.started('a'))
    workers[0].answer('a', 0)
    await pass(t, 10_000)
    assert.equal(workers[0].isTerminated, false)
  })
})

describe('timeout', () => {
  test('counts from the moment at which the worker says that the call starts', async (t) => {
    fakeTimers(t)
    const { pool, workers, up, run } = fakePool(t)
    up()
    const call = run('a', [], { timeout: 100 })
    await nextTurn()
    t.mock.timers.tick(1000)
    assert.equal(await outcome(call), 'open')
    workers[0].started('a')
    t.mock.timers.tick(99)
    assert.equal(await outcome(call), 'open')
    t.mock.timers.tick(1)
    assert.equal((await outcome(call)).error.code, 'TW_ERR_TIMEOUT')
    assert.deepEqual(workers[0].log, [['a'], 'cancel'])
    assert.deepEqual(pool.counts, { queued: 0, running: 0, completed: 0, failed: 1, cancelled: 0 })
  })

  test('a call that ends in time is left alone', async (t) => {
    fakeTimers(t)
    const { pool, workers, up, run } = fakePool(t)
    up()
    const call = run('a', [], { timeout: 100 })
    await nextTurn()
    workers[0].started('a')
    workers[0].answer('a', 1)
    t.mock.timers.tick(1000)
    assert.equal(await call, 1)
    assert.deepEqual(pool.counts, { queued: 0, running: 0, completed: 1, failed: 0, cancelled: 0 })
  })

  test('starts anew when the call moves to another worker', async (t) => {
    fakeTimers(t)
    const { workers, up, run } = fakePool(t)
    up()
    const call = run('a', [], { timeout: 100 })
    await nextTurn()
    workers[0].die()
    t.mock.timers.tick(1000)
    workers[1].ready()
    assert.equal(await outcome(call), 'open')
    workers[1].started('a')
    t.mock.timers.tick(100)
    assert.equal((await outcome(call)).error.code, 'TW_ERR_TIMEOUT')
  })
})
