// The workers of a pool: their starts, deaths and replacements, and what becomes of the calls that they held.
import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { describe, test } from 'node:test'
import { fakePool, fakeRuntime, learnShort, outcome, poolOptions } from '../../../../helpers/fake-runtime.js'
import { laneOf } from '../../../../../build/runtime/pool/balance.js'
import { Pool } from '../../../../../build/runtime/pool/pool.js'
import { nextTurn } from '../../../../helpers/waiting.js'
import { fakeTimers, pass } from '../../../../helpers/fake-timers.js'

/** A pool of one worker that holds the given short calls, each in a message of its own turn. */
async function holding(t, names, runtimeOptions) {
  const pool = fakePool(t, {}, runtimeOptions)
  pool.up()
  for (const name of new Set(names)) await learnShort(pool, name)
  const calls = names.map((name, i) => pool.run(name, [i]))
  await nextTurn()
  return { ...pool, calls }
}

describe('a worker that dies', () => {
  test('loses the calls that had started; the others go on in their order before the queue', async (t) => {
    const { pool, workers, run, calls } = await holding(t, ['a', 'b', 'c'])
    const queued = run('unknown')
    await nextTurn()
    const learnt = 3
    workers[0].startedCalls = learnt + 1
    workers[0].die('with exit code 9')
    const { error } = await outcome(calls[0])
    assert.equal(error.code, 'TW_ERR_WORKER_EXITED')
    assert.match(error.message, /"a" ended with exit code 9/)
    assert.deepEqual(pool.counts, { queued: 3, running: 0, completed: 3, failed: 1, cancelled: 0 })
    workers[1].ready()
    assert.deepEqual(workers[1].log, [['b', 'c']])
    workers[1].answerAll()
    assert.deepEqual([await calls[1], await calls[2]], [1, 2])
    await nextTurn()
    workers[1].answer('unknown', 'u')
    assert.equal(await queued, 'u')
  })

  test('where the runtime cannot tell, every call that was sent may have run', async (t) => {
    const { workers, calls } = await holding(t, ['a', 'b'], { knowsStarted: false })
    workers[0].die()
    for (const call of calls) assert.equal((await outcome(call)).error.code, 'TW_ERR_WORKER_EXITED')
  })

  test('calls that were given and not sent go on, even where the runtime cannot tell', async (t) => {
    const { workers, run, calls } = await holding(t, ['a'], { knowsStarted: false })
    const unsent = run('a', ['unsent'])
    await Promise.resolve() // given to the busy worker, and not sent before the next turn
    workers[0].die()
    assert.equal((await outcome(calls[0])).error.code, 'TW_ERR_WORKER_EXITED')
    workers[1].ready()
    assert.deepEqual(workers[1].log, [['a']])
    workers[1].answerAll()
    assert.equal(await unsent, 'unsent')
  })

  test('the count of started calls may wrap around 2^32', async (t) => {
    const { workers, calls } = await holding(t, ['a', 'b'])
    workers[0].startedCalls = 3 | 0
    workers[0].die()
    assert.equal((await outcome(calls[0])).error.code, 'TW_ERR_WORKER_EXITED')
    assert.equal(await outcome(calls[1]), 'open')
  })

  test('the error says how it ended and keeps the cause', async (t) => {
    const { workers, calls } = await holding(t, ['a'])
    const cause = new Error('heap')
    workers[0].startedCalls = 2
    workers[0].die('because it ran out of memory', cause)
    const { error } = await outcome(calls[0])
    assert.match(error.message, /ended because it ran out of memory/)
    assert.equal(error.cause, cause)
  })

  test('a call that was moved is lost if the next worker dies over it', async (t) => {
    const { workers, calls } = await holding(t, ['a'])
    workers[0].startedCalls = 1
    workers[0].die()
    workers[1].ready()
    workers[1].startedCalls = 1
    workers[1].die()
    assert.equal((await outcome(calls[0])).error.code, 'TW_ERR_WORKER_EXITED')
  })

  test('a call that has not started goes on, though each worker that gets it dies', async (t) => {
    const { workers, run } = await holding(t, ['a'])
    const innocent = run('a', ['innocent'])
    for (let last = 0; last < 3; last++) {
      await nextTurn()
      await nextTurn()
      workers[last].startedCalls = last === 0 ? 2 : 0
      assert.ok(workers[last].open.length > 0)
      workers[last].die()
      workers[last + 1].ready()
    }
    await nextTurn()
    workers[3].answerAll()
    assert.equal(await innocent, 'innocent')
  })

  for (const [title, { started, isLost }] of Object.entries({
    'while nothing runs there': { started: 0, isLost: true },
    'while another call runs there, which explains it': { started: 1, isLost: false },
  }))
    test(`a call whose message may have ended two workers, ${title}`, async (t) => {
      const { workers, run, calls } = await holding(t, ['a'])
      const large = run('a', ['large'])
      await nextTurn()
      await nextTurn() // to a busy worker it is sent a turn later
      workers[0].startedCalls = 1 // the one from which the pool has learnt
      workers[0].die('because it ran out of memory', undefined, { blame: 'memory' })
      workers[1].ready()
      workers[1].startedCalls = started
      workers[1].die('because it ran out of memory', undefined, { blame: 'memory' })
      workers[2].ready()
      workers[2].answerAll()
      const lost = { error: 'TW_ERR_WORKER_EXITED' }
      const codeOf = async (call) => {
        const { value, error } = await outcome(call)
        return error ? { error: error.code } : { value }
      }
      assert.deepEqual(await codeOf(calls[0]), lost)
      assert.deepEqual(await codeOf(large), isLost ? lost : { value: 'large' })
    })

  test('a call that was moved, and is not sent yet when the next worker dies too, goes on again', async (t) => {
    const pool = fakePool(t, { size: 2 })
    pool.up()
    for (const name of ['a', 'b', 'b', 'b']) await learnShort(pool, name)
    const [one, two] = pool.workers
    const calls = [pool.run('a'), pool.run('b', ['moved'])]
    await nextTurn()
    assert.deepEqual([one.open.at(-1).name, two.open.at(-1).name], ['a', 'b'])
    two.startedCalls = two.log.length - 1
    two.die() // b goes to the first worker, which is busy: it is sent in the next turn
    one.startedCalls = one.log.length
    one.die()
    pool.workers[2].ready()
    pool.workers[2].answerAll()
    assert.equal((await outcome(calls[0])).error.code, 'TW_ERR_WORKER_EXITED')
    assert.equal(await calls[1], 'moved')
  })

  test('the others go on with what they hold', async (t) => {
    const { pool, workers, up, run } = fakePool(t, { size: 2 })
    up()
    const [a, b] = [run('a'), run('b')]
    await nextTurn()
    workers[0].startedCalls = 1
    workers[0].die()
    assert.equal((await outcome(a)).error.code, 'TW_ERR_WORKER_EXITED')
    workers[1].answer('b', 'b')
    assert.equal(await b, 'b')
    assert.equal(pool.size, 2)
    assert.equal(workers.length, 3)
  })

  test('idle is replaced too', async (t) => {
    const { pool, workers, up } = fakePool(t)
    up()
    workers[0].die()
    assert.equal(workers.length, 2)
    assert.equal(pool.size, 1)
    assert.notEqual(workers[1].id, workers[0].id)
  })
})

describe('ready', () => {
  test('resolves when all workers are up', async (t) => {
    const { pool, workers } = fakePool(t, { size: 2 })
    workers[0].ready()
    assert.equal(await outcome(pool.ready), 'open')
    workers[1].ready()
    assert.deepEqual(await outcome(pool.ready), { value: undefined })
  })

  test('waits for the replacement of a worker that died before the others were up', async (t) => {
    const { pool, workers } = fakePool(t, { size: 2 })
    workers[0].ready()
    workers[0].die()
    workers[1].ready()
    assert.equal(await outcome(pool.ready), 'open')
    workers[2].ready()
    assert.deepEqual(await outcome(pool.ready), { value: undefined })
  })

  test('rejects with the error of the module', async (t) => {
    const { pool, workers } = fakePool(t)
    workers[0].failStart(new SyntaxError('broken'))
    const { error } = await outcome(pool.ready)
    assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.match(error.message, /file:\/\/\/tasks\.js: SyntaxError: broken/)
    assert.ok(error.cause instanceof SyntaxError)
    assert.equal(workers[0].isTerminated, true)
  })

  test('rejects when a worker ends while loading', async (t) => {
    const { pool, workers } = fakePool(t)
    workers[0].die('with exit code 7')
    const { error } = await outcome(pool.ready)
    assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.match(error.message, /it ended with exit code 7 while loading/)
  })

  test('rejects when startTimeout passes, and a late start changes nothing', async (t) => {
    fakeTimers(t)
    const { pool, workers, run } = fakePool(t, { startTimeout: 500 })
    const call = run('a')
    t.mock.timers.tick(499)
    assert.equal(await outcome(pool.ready), 'open')
    t.mock.timers.tick(1)
    await nextTurn() // what has come meanwhile is read
    workers[0].ready()
    assert.equal((await outcome(pool.ready)).error.code, 'TW_ERR_START_TIMEOUT')
    assert.equal((await outcome(call)).error.code, 'TW_ERR_START_TIMEOUT')
    assert.deepEqual(workers[0].log, [])
  })

  test('startTimeout ends with the start', async (t) => {
    fakeTimers(t)
    const { workers, up } = fakePool(t, { startTimeout: 500 })
    up()
    await pass(t, 10_000)
    assert.equal(workers[0].isTerminated, false)
  })
})

describe('a start that fails', () => {
  test('fails the queued calls when no worker is left, each with an error of its own', async (t) => {
    fakeTimers(t) // it starts another one after a while
    const { pool, workers, run } = fakePool(t, { size: 2 })
    const calls = [run('a'), run('b')]
    workers[0].failStart(new Error('first'))
    await nextTurn()
    assert.equal(await outcome(calls[0]), 'open')
    workers[1].failStart(new Error('second'))
    const errors = []
    for (const call of calls) errors.push((await outcome(call)).error)
    for (const error of errors) assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.notEqual(errors[0], errors[1])
    assert.deepEqual(pool.counts, { queued: 0, running: 0, completed: 0, failed: 2, cancelled: 0 })
    assert.equal(pool.size, 0)
  })

  test('is tried again by the next call, since the cause may be gone', async (t) => {
    const { workers, run } = fakePool(t)
    workers[0].failStart(new Error('not yet'))
    await nextTurn()
    assert.equal(workers.length, 1)
    const call = run('a')
    await nextTurn()
    assert.equal(workers.length, 2)
    workers[1].ready()
    workers[1].answer('a', 'now')
    assert.equal(await call, 'now')
  })

  test('is not tried again at once while other workers do the work, and is later', async (t) => {
    let now = 1000
    t.mock.method(process.hrtime, 'bigint', () => BigInt(now) * 1_000_000n)
    const { pool, workers, run } = fakePool(t, { size: 2 })
    workers[0].ready()
    workers[1].failStart(new Error('out of threads'))
    await nextTurn()
    const [a, b] = [run('a'), run('b')]
    await nextTurn()
    assert.equal(workers.length, 2)
    workers[0].answer('a', 'a')
    workers[0].answer('b', 'b')
    assert.deepEqual(await Promise.all([a, b]), ['a', 'b'])
    now += 60_000
    run('c')
    run('d')
    await nextTurn()
    assert.equal(workers.length, 3)
    assert.equal(pool.size, 2)
  })

  test('does not fail calls that another worker may still take', async (t) => {
    const { workers, run } = fakePool(t, { size: 2 })
    const call = run('a')
    workers[0].failStart(new Error('broken'))
    await nextTurn()
    workers[1].ready()
    workers[1].answer('a', 'a')
    assert.equal(await call, 'a')
  })

  test('of the replacement of a dead worker fails the calls that went back to the queue', async (t) => {
    const { workers, calls } = await holding(t, ['a', 'b'])
    workers[0].startedCalls = 3
    workers[0].die()
    workers[1].failStart(new Error('the file is gone'))
    assert.equal((await outcome(calls[0])).error.code, 'TW_ERR_WORKER_EXITED')
    const { error } = await outcome(calls[1])
    assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.match(error.message, /the file is gone/)
  })
})

test('the worker of a key is started in the next turn, where this one has started enough', async (t) => {
  const { bigint } = process.hrtime
  let ahead = 0n
  process.hrtime.bigint = () => bigint() + ahead
  t.after(() => (process.hrtime.bigint = bigint))
  const { workers, startWorker } = fakeRuntime()
  const startSlowly = (...worker) => {
    ahead += 6_000_000n
    return startWorker(...worker)
  }
  const pool = new Pool(() => ({ startWorker: startSlowly }), poolOptions({ size: { min: 0, max: 2 } }))
  t.after(() => pool.destroy())
  const [one, other] = [0, 1].map((lane) => [1, 2, 3, 4, 5].find((key) => laneOf(key, 2) === lane))
  for (const key of [one, other]) pool.submit('task', [], { key }).catch(() => {})
  for (let turn = 0; turn < 3; turn++) await nextTurn()
  assert.equal(workers.length, 2)
})

test('a program that waits for `ready` goes on while a worker ends that was never up', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const { pool, workers } = fakePool(t, { size: 2 })
  assert.equal(timers(), before + 1)
  workers[0].ends()
  workers[1].ready()
  await nextTurn()
  assert.equal(timers(), before + 1)
  workers[0].die()
  assert.equal((await outcome(pool.ready)).error.code, 'TW_ERR_START_FAILED')
  assert.equal(timers(), before)
})

/** The timers that somebody has started since and that are neither over nor cleared, also those that keep no process alive. */
function openTimers(t) {
  const open = new Set()
  const hook = createHook({
    init: (id, type) => type === 'Timeout' && open.add(id),
    destroy: (id) => open.delete(id),
  })
  t.after(() => hook.disable())
  hook.enable()
  return open
}

describe('a pool that has ended leaves no timer, which would hold it for that long', () => {
  for (const how of ['close', 'destroy'])
    for (const isUp of [true, false])
      test(`${how}, ${isUp ? 'its workers up' : 'its workers starting'}`, async (t) => {
        const open = openTimers(t)
        const { pool, workers, up } = fakePool(t, { size: 2, idleTimeout: 30_000, startTimeout: 10_000 })
        if (isUp) up()
        const ended = pool[how]()
        await nextTurn()
        for (const worker of workers) worker.die()
        await ended
        await nextTurn()
        await nextTurn()
        assert.equal(open.size, 0)
      })

  test('nor does one that is resized while it ends', async (t) => {
    const open = openTimers(t)
    const { pool, workers, up } = fakePool(t, { size: 3, idleTimeout: 30_000 }, { endsItself: false })
    up()
    const ended = pool.close()
    await nextTurn()
    pool.resize({ min: 1, max: 1 })
    for (const worker of workers) worker.die()
    await ended
    await nextTurn()
    assert.equal(open.size, 0)
  })
})
