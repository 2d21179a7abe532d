// Workers that die at the worst moment, on a runtime in which the test decides when that is.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Pool } from '../../build/runtime/pool/pool.js'
import { collectGarbage } from '../helpers/collect-garbage.js'
import { fakePool, fakeRuntime, learnShort, outcome, poolOptions } from '../helpers/fake-runtime.js'
import { nextTurn } from '../helpers/waiting.js'
import { fakeTimers, pass, replaceTimer } from '../helpers/fake-timers.js'

const options = poolOptions()

describe('a call that can go on with another worker', () => {
  test('does not if its buffers were transferred', async (t) => {
    const pool = fakePool(t)
    pool.up()
    await learnShort(pool, 'short')
    const bytes = new ArrayBuffer(8)
    const calls = [pool.run('short'), pool.run('short', [bytes], { transfer: [bytes] })]
    await nextTurn()
    pool.workers[0].startedCalls = 2
    pool.workers[0].die()
    for (const call of calls) assert.equal((await outcome(call)).error.code, 'TW_ERR_WORKER_EXITED')
  })

  test('goes on once when it may be what kills them: two workers had no memory for it', async (t) => {
    const { workers, up, run } = fakePool(t)
    up()
    const call = run('poison')
    await nextTurn()
    const reason = ['because it ran out of memory', undefined, { blame: 'memory' }]
    workers[0].die(...reason)
    workers[1].ready()
    assert.equal(await outcome(call), 'open')
    workers[1].die(...reason)
    assert.equal((await outcome(call)).error.code, 'TW_ERR_WORKER_EXITED')
  })

  test('is not given to a worker that takes no more messages', async (t) => {
    const { workers, startWorker } = fakeRuntime({ knowsStarted: false })
    const events = []
    const startNoted = (id, of) => startWorker(id, (events.push(of), of))
    const pool = new Pool(() => ({ startWorker: startNoted }), options)
    t.after(() => pool.destroy())
    workers[0].ready()
    events[0].onEnding()
    const call = pool.submit('a', [], undefined)
    await nextTurn()
    assert.deepEqual(workers[0].log, [])
    workers[0].die()
    workers[1].ready()
    workers[1].answer('a', 1)
    assert.equal(await call, 1)
  })
})

describe('workers that die before they have answered', () => {
  test('are not started for ever while nothing is asked of them', async (t) => {
    const { workers, run } = fakePool(t)
    for (let i = 0; i < workers.length && i < 50; i++) {
      workers[i].ready()
      workers[i].die()
    }
    const started = workers.length
    assert.ok(started < 10, `${started} workers were started`)
    const call = run('a')
    await nextTurn()
    assert.equal(workers.length, started + 1)
    workers.at(-1).ready()
    workers.at(-1).answer('a', 1)
    assert.equal(await call, 1)
  })

  test('fail the calls that wait for one', async (t) => {
    const { workers, run } = fakePool(t)
    const calls = Array.from({ length: 20 }, () => run('a'))
    await nextTurn()
    for (let i = 0; i < workers.length && i < 50; i++) {
      workers[i].ready()
      workers[i].die('with exit code 9')
    }
    assert.ok(workers.length < 10, `${workers.length} workers were started`)
    const { error } = await outcome(calls.at(-1))
    assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.match(error.message, /it ended with exit code 9 before it had answered a call/)
  })

  test('do not count when the pool itself has ended them', async (t) => {
    fakeTimers(t)
    const { workers, run } = fakePool(t)
    for (let i = 0; i < 20; i++) {
      workers[i].ready()
      const call = run('loop', [], { timeout: 10, gracePeriod: 10 })
      await nextTurn()
      workers[i].started('loop')
      t.mock.timers.tick(10)
      assert.equal((await outcome(call)).error.code, 'TW_ERR_TIMEOUT')
      t.mock.timers.tick(10)
      await nextTurn()
    }
    assert.equal(workers.length, 21)
  })
})

describe('a worker that cannot be created', () => {
  test('is a start that failed, and the next call tries again', async (t) => {
    const { workers, startWorker } = fakeRuntime()
    let isFull = true
    const startUnlessFull = (id, events) => {
      if (isFull) throw new RangeError('no more threads')
      return startWorker(id, events)
    }
    const pool = new Pool(() => ({ startWorker: startUnlessFull }), options)
    t.after(() => pool.destroy())
    const call = pool.submit('a', [], undefined)
    const [ready, called] = await Promise.all([outcome(pool.ready), outcome(call)])
    for (const { error } of [ready, called]) {
      assert.equal(error.code, 'TW_ERR_START_FAILED')
      assert.match(error.message, /no more threads/)
    }
    isFull = false
    const next = pool.submit('a', [], undefined)
    await nextTurn()
    workers[0].ready()
    workers[0].answer('a', 1)
    assert.equal(await next, 1)
  })

  test('in place of a dead one loses none of its calls', async (t) => {
    const { workers, startWorker } = fakeRuntime()
    let isFull = false
    const startUnlessFull = (id, events) => {
      if (isFull) throw new RangeError('no more threads')
      return startWorker(id, events)
    }
    const pool = new Pool(() => ({ startWorker: startUnlessFull }), options)
    t.after(() => pool.destroy())
    workers[0].ready()
    const call = pool.submit('a', [], undefined)
    await nextTurn()
    isFull = true
    workers[0].startedCalls = 1
    workers[0].die()
    assert.equal((await outcome(call)).error.code, 'TW_ERR_WORKER_EXITED')
    assert.deepEqual(pool.counts, { queued: 0, running: 0, completed: 0, failed: 1, cancelled: 0 })
  })
})

describe('a call that nobody waits for any more', () => {
  test('settles once, though its worker starts it afterwards', async (t) => {
    fakeTimers(t)
    const { pool, workers, up, run } = fakePool(t)
    up()
    const controller = new AbortController()
    const call = run('a', [], { signal: controller.signal, timeout: 100, gracePeriod: Infinity })
    await nextTurn()
    controller.abort('stop')
    workers[0].started('a')
    t.mock.timers.tick(1000)
    assert.deepEqual(await outcome(call), { error: 'stop' })
    assert.deepEqual(pool.counts, { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 1 })
    workers[0].answer('a', 1)
    await pool.close()
  })

  test('gives its place to others after the grace, if it waits on a promise', async (t) => {
    fakeTimers(t)
    const { workers, up, run } = fakePool(t, { tasksPerWorker: 2 })
    up()
    const abandoned = run('never', [], { timeout: 10, gracePeriod: 10 })
    run('open')
    await nextTurn()
    workers[0].started('never')
    workers[0].waits('never')
    await nextTurn()
    workers[0].waits('open')
    run('next')
    t.mock.timers.tick(10)
    assert.equal((await outcome(abandoned)).error.code, 'TW_ERR_TIMEOUT')
    assert.deepEqual(workers[0].log, [['never'], ['open'], 'cancel'])
    t.mock.timers.tick(10)
    await nextTurn()
    assert.deepEqual(workers[0].log.at(-1), ['next'])
  })

  test('costs its worker when all places are taken by such calls', async (t) => {
    fakeTimers(t)
    const { workers, up, run } = fakePool(t, { tasksPerWorker: 1 })
    up()
    run('never', [], { timeout: 10, gracePeriod: 10 })
    const next = run('next')
    await nextTurn()
    workers[0].started('never')
    workers[0].waits('never')
    await pass(t, 10)
    assert.equal(workers[0].isTerminated, false)
    await pass(t, 10)
    assert.equal(workers[0].isTerminated, true)
    await nextTurn()
    workers[1].ready()
    workers[1].answer('next', 1)
    assert.equal(await next, 1)
  })

  test('starts no timer before it has started, even without a grace', async (t) => {
    const { workers, up, run } = fakePool(t)
    up()
    const controller = new AbortController()
    run('a', [], { signal: controller.signal, gracePeriod: 0 })
    await nextTurn()
    const timers = replaceTimer(t)
    controller.abort()
    assert.equal(timers.callCount(), 0)
    workers[0].started('a')
    assert.equal(timers.callCount(), 1)
  })

  test('does not keep its arguments in memory while it stands in the queue', async (t) => {
    const { run } = fakePool(t)
    run('ahead of it')
    const controller = new AbortController()
    const submit = (argument) => {
      outcome(run('a', [argument], { signal: controller.signal }))
      return new WeakRef(argument)
    }
    const reference = submit({ large: true })
    controller.abort('stop')
    await nextTurn()
    collectGarbage()
    assert.equal(reference.deref(), undefined)
  })
})
