// The engine behind threads and processes, on workers that do exactly what the test says.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Pool } from '../../../../build/runtime/pool/pool.js'
import { fakePool, fakeRuntime, learnShort, outcome, poolOptions } from '../../../helpers/fake-runtime.js'
import { nextTurn } from '../../../helpers/waiting.js'
import { fakeTimers } from '../../../helpers/fake-timers.js'

describe('sending', () => {
  test('shares the first call at once, while its worker starts', (t) => {
    const { startWorker } = fakeRuntime()
    const offered = []
    const offer = (task) => (offered.push(task), 'taken')
    const giveUp = () => ({ calls: offered, started: [] })
    const shared = { waiting: 0, offer, takeBack: () => [], withdraw: () => true, giveUp }
    const pool = new Pool(() => ({ startWorker, shared }), poolOptions())
    t.after(() => pool.destroy())
    pool.submit('a', []).catch(() => {})
    assert.deepEqual(offered.map(({ name }) => name), ['a']) // prettier-ignore
  })

  test('calls wait for a worker to come up, and then go to it', async (t) => {
    const { pool, workers, up, run } = fakePool(t)
    const call = run('add', [1, 2])
    await nextTurn()
    assert.deepEqual(workers[0].log, [])
    assert.deepEqual(pool.counts, { queued: 1, running: 0, completed: 0, failed: 0, cancelled: 0 })
    up()
    assert.deepEqual(workers[0].open[0].args, [1, 2])
    assert.deepEqual(pool.counts, { queued: 0, running: 1, completed: 0, failed: 0, cancelled: 0 })
    workers[0].answer('add', 3)
    assert.equal(await call, 3)
    assert.deepEqual(pool.counts, { queued: 0, running: 0, completed: 1, failed: 0, cancelled: 0 })
  })

  test('a call of unknown length goes alone; the next one follows its answer', async (t) => {
    const { workers, up, run } = fakePool(t)
    up()
    run('a')
    run('b')
    await nextTurn()
    assert.deepEqual(workers[0].log, [['a']])
    workers[0].answer('a', 0)
    assert.deepEqual(workers[0].log, [['a'], ['b']])
  })

  test('calls that are known to be short go ahead in one message, in order', async (t) => {
    const pool = fakePool(t)
    pool.up()
    await learnShort(pool, 'short')
    const calls = Array.from({ length: 100 }, (_, i) => pool.run('short', [i]))
    await nextTurn()
    assert.deepEqual(pool.workers[0].log.slice(1), [Array(100).fill('short')])
    pool.workers[0].answerAll()
    assert.deepEqual(await Promise.all(calls), [...calls.keys()])
  })

  test('calls that are known to be long stay in the queue, for whichever worker falls idle', async (t) => {
    const { workers, up, run } = fakePool(t, { size: 2 })
    up()
    for (let i = 0; i < 4; i++) run(`long${i}`)
    await nextTurn()
    assert.deepEqual([workers[0].log, workers[1].log], [[['long0']], [['long1']]])
    workers[1].answer('long1', 0, 50_000)
    workers[1].answer('long2', 0, 50_000)
    assert.deepEqual([workers[0].log, workers[1].log], [[['long0']], [['long1'], ['long2'], ['long3']]])
  })

  test('a call that waits on a promise leaves room for others', async (t) => {
    const { pool, workers, up, run } = fakePool(t)
    up()
    const first = run('first')
    const second = run('second')
    await nextTurn()
    workers[0].waits('first')
    await nextTurn()
    assert.deepEqual(workers[0].log, [['first'], ['second']])
    workers[0].answer('second', 2)
    assert.equal(await second, 2)
    assert.equal(pool.counts.running, 1)
    workers[0].answer('first', 1)
    assert.equal(await first, 1)
  })

  test('the time that a promise takes to settle says nothing of how long its function blocks the thread', async (t) => {
    const { workers, up, run } = fakePool(t)
    up()
    for (let i = 0; i < 40; i++) {
      const call = run('long')
      await nextTurn()
      workers[0].waits('long', 800)
      workers[0].answer('long', 0, 0)
      await call
    }
    workers[0].log.length = 0
    run('long')
    run('long')
    await nextTurn()
    assert.deepEqual(workers[0].log, [['long']])
  })

  test('one worker holds at most tasksPerWorker calls, waiting ones included', async (t) => {
    const { workers, up, run } = fakePool(t, { tasksPerWorker: 2 })
    up()
    for (const name of ['a', 'b', 'c']) run(name)
    await nextTurn()
    workers[0].waits('a')
    await nextTurn()
    workers[0].waits('b')
    await nextTurn()
    assert.deepEqual(workers[0].log, [['a'], ['b']])
    workers[0].answer('a', 0)
    await nextTurn()
    assert.deepEqual(workers[0].log, [['a'], ['b'], ['c']])
  })

  test('a call with a transfer list goes in a message of its own, in its place', async (t) => {
    const pool = fakePool(t)
    pool.up()
    await learnShort(pool, 'short')
    const bytes = new ArrayBuffer(8)
    pool.run('short', [1])
    pool.run('short', [bytes], { transfer: [bytes] })
    pool.run('short', [2])
    pool.run('short', [3])
    await nextTurn()
    await nextTurn()
    assert.deepEqual(pool.workers[0].log.slice(1), [['short'], ['short'], ['short', 'short']])
    assert.equal(bytes.byteLength, 0)
    assert.equal(pool.workers[0].open[1].args[0].byteLength, 8)
  })
})

describe('replies', () => {
  test('an error arrives with the stack of the worker first and the caller behind it', async (t) => {
    const { pool, workers, up } = fakePool(t)
    up()
    async function theCaller() {
      await pool.submit('fail', [], undefined)
    }
    const call = theCaller()
    await nextTurn()
    const thrown = Object.assign(new RangeError('too far'), { code: 'E_FAR' })
    workers[0].throws('fail', thrown)
    const { error } = await outcome(call)
    assert.ok(error instanceof RangeError)
    assert.deepEqual([error.message, error.code], ['too far', 'E_FAR'])
    assert.ok(error.stack.startsWith(`${thrown.stack}\n`))
    assert.match(error.stack, /at task fail \(called by the following\)\n.*at async theCaller/)
  })

  test('a result that cannot be sent is named, and the worker goes on', async (t) => {
    const { pool, workers, up, run } = fakePool(t)
    up()
    const bad = run('bad')
    const good = run('good')
    await nextTurn()
    workers[0].cannotSend('bad', 'DataCloneError: () => {} could not be cloned')
    const { error } = await outcome(bad)
    assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
    assert.match(error.message, /^The result of task "bad" .*could not be cloned/)
    workers[0].answer('good', 1)
    assert.equal(await good, 1)
    assert.equal(pool.counts.failed, 1)
  })

  test('an argument that cannot be sent fails its own call and no other of the batch', async (t) => {
    const pool = fakePool(t)
    pool.up()
    await learnShort(pool, 'short')
    const calls = [1, () => {}, 3].map((value) => pool.run('short', [value]))
    await nextTurn()
    const { error } = await outcome(calls[1])
    assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
    assert.match(error.message, /^An argument of task "short"/)
    pool.workers[0].answerAll()
    assert.deepEqual([await calls[0], await calls[2]], [1, 3])
    const { completed, failed, running } = pool.pool.counts
    assert.deepEqual({ completed, failed, running }, { completed: 3, failed: 1, running: 0 })
  })
  test('a call behind one that cannot be sent is sent all the same', async (t) => {
    const { workers, up, run } = fakePool(t)
    up()
    const bad = run('bad', [() => {}])
    run('good')
    assert.equal((await outcome(bad)).error.code, 'TW_ERR_NOT_CLONEABLE')
    await nextTurn()
    assert.deepEqual(workers[0].log, [['good']])
  })

  test('an answer to a call that nobody made is ignored', async (t) => {
    const { pool, workers, up, run } = fakePool(t)
    up()
    const call = run('a')
    await nextTurn()
    workers[0].open.push({ id: 4711, name: 'stranger' })
    workers[0].answer('stranger', 'x')
    assert.equal(await outcome(call), 'open')
    assert.equal(pool.counts.completed, 0)
  })

  test('a second answer to the same call is ignored', async (t) => {
    const { pool, workers, up, run } = fakePool(t)
    up()
    const call = run('a')
    await nextTurn()
    const [again] = workers[0].open
    workers[0].answer('a', 'first')
    workers[0].open.push(again)
    workers[0].answer('a', 'second')
    assert.equal(await call, 'first')
    assert.deepEqual(pool.counts, { queued: 0, running: 0, completed: 1, failed: 0, cancelled: 0 })
  })
})

describe('stopping', () => {
  test('close waits for queued and running calls, then asks the workers to end', async (t) => {
    const { pool, workers, up, run } = fakePool(t)
    up()
    const [a, b] = [run('a'), run('b')]
    await nextTurn()
    const closed = pool.close()
    assert.equal(await outcome(closed), 'open')
    workers[0].answer('a', 1)
    await nextTurn()
    assert.equal(workers[0].log.includes('close'), false)
    workers[0].answer('b', 2)
    assert.deepEqual(await Promise.all([a, b, closed]), [1, 2, undefined])
    assert.equal(workers[0].log.at(-1), 'close')
    assert.equal(workers[0].isTerminated, false)
    assert.equal(pool.size, 0)
  })

  test('a worker that does not end when asked is terminated', async (t) => {
    fakeTimers(t)
    const { pool, workers, up } = fakePool(t, {}, { endsItself: false })
    up()
    const closed = pool.close()
    await nextTurn()
    assert.equal(workers[0].log.at(-1), 'close')
    assert.equal(workers[0].isTerminated, false)
    t.mock.timers.tick(60_000)
    await closed
    assert.equal(workers[0].isTerminated, true)
  })

  test('close gives up what is not done after its timeout, by name', async (t) => {
    fakeTimers(t)
    const { pool, workers, up, run } = fakePool(t)
    up()
    const calls = [run('slow'), run('queued')]
    await nextTurn()
    const closed = pool.close(50)
    await nextTurn()
    t.mock.timers.tick(49)
    assert.equal(await outcome(calls[0]), 'open')
    t.mock.timers.tick(1)
    for (const [i, name] of ['slow', 'queued'].entries()) {
      const { error } = await outcome(calls[i])
      assert.equal(error.code, 'TW_ERR_CLOSED')
      assert.match(error.message, new RegExp(`"${name}" did not finish within closeTimeout \\(50 ms\\)`))
    }
    await closed
    assert.equal(workers[0].isTerminated, true)
    assert.deepEqual(pool.counts, { queued: 0, running: 0, completed: 0, failed: 2, cancelled: 0 })
  })

  test('destroy rejects queued, unsent and sent calls, and terminates', async (t) => {
    const pool = fakePool(t)
    pool.up()
    await learnShort(pool, 'short')
    const sent = pool.run('short')
    await nextTurn()
    const calls = [sent, pool.run('short'), pool.run('unknown')]
    await Promise.resolve() // given to the busy worker, and not sent before the next turn
    const reason = new Error('enough')
    const destroyed = pool.pool.destroy(reason)
    for (const call of calls) {
      const { error } = await outcome(call)
      assert.equal(error.code, 'TW_ERR_DESTROYED')
      assert.equal(error.cause, reason)
    }
    await destroyed
    assert.deepEqual(pool.workers[0].log.slice(1), [['short']])
    assert.equal(pool.workers.length, 1)
    assert.deepEqual(pool.pool.counts, { queued: 0, running: 0, completed: 1, failed: 3, cancelled: 0 })
  })

  test('destroy during close ends the waiting of close', async (t) => {
    const { pool, up, run } = fakePool(t)
    up()
    const call = run('for ever')
    await nextTurn()
    const closed = pool.close()
    await pool.destroy()
    await closed
    assert.equal((await outcome(call)).error.code, 'TW_ERR_DESTROYED')
    assert.equal((await outcome(run('late'))).error.code, 'TW_ERR_DESTROYED')
  })

  test('a worker that dies while close waits is replaced, and its queued calls finish', async (t) => {
    const { pool, workers, up, run } = fakePool(t)
    up()
    const [a, b] = [run('a'), run('b')]
    await nextTurn()
    const closed = pool.close()
    workers[0].startedCalls = 1
    workers[0].die()
    assert.equal((await outcome(a)).error.code, 'TW_ERR_WORKER_EXITED')
    assert.equal(workers.length, 2)
    workers[1].ready()
    workers[1].answer('b', 2)
    assert.equal(await b, 2)
    await closed
  })

  test('close while workers start gives them a second for that, in which a setup() may begin', async (t) => {
    fakeTimers(t)
    const { pool, workers } = fakePool(t, { size: 2 })
    const closed = pool.close()
    const ended = async () => {
      for (let turns = 0; turns < 3; turns++) await nextTurn()
      return workers.map(({ isTerminated }) => isTerminated)
    }
    await nextTurn()
    t.mock.timers.tick(999)
    assert.deepEqual(await ended(), [false, false])
    t.mock.timers.tick(1)
    assert.deepEqual(await ended(), [true, true])
    await closed
  })

  for (const how of ['close', 'destroy']) {
    test(`ready of a pool whose start was cut short by ${how} does not blame the module`, async (t) => {
      const { pool } = fakePool(t)
      const { ready } = pool
      await pool[how]()
      const { error } = await outcome(ready)
      assert.equal(error.code, how === 'close' ? 'TW_ERR_CLOSED' : 'TW_ERR_DESTROYED')
    })
  }
})
