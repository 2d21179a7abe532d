// Programs, and tasks, whose timers are fake, as in somebody's tests: calls go on, and their times are those of the real clock.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { all } from '../helpers/streams.js'

const limit = { timeout: 30_000 } // a hang is what is tested
const turn = setImmediate
/** Of the real event loop. */
const realTurn = () => new Promise((resolve) => turn(resolve))

/** All that fake clocks replace. Not process.nextTick, which Node's own streams need. */
function fakeAll(t) {
  t.mock.timers.enable()
  t.mock.method(globalThis, 'queueMicrotask', () => {})
  replace(t, globalThis, 'performance', { now: () => 1 })
  replace(
    t,
    process,
    'hrtime',
    Object.assign(() => [1, 0], { bigint: () => 1_000_000_000n }),
  )
}

function replace(t, object, name, value) {
  const own = Object.getOwnPropertyDescriptor(object, name)
  t.after(() => Object.defineProperty(object, name, own))
  Object.defineProperty(object, name, { value, configurable: true, writable: true })
}

describeExecutors('a program whose timers are fake', (make, { isPool, kind }) => {
  test('makes calls, maps, streams and forks', limit, async (t) => {
    fakeAll(t)
    const executor = make('basic.js')
    assert.equal(await executor.tasks.add(1, 2), 3)
    assert.deepEqual(await executor.map('double', [1, 2, 3]), [2, 4, 6])
    assert.deepEqual(await all(make('streams.js').stream('count', [3])), [0, 1, 2])
    assert.equal(await make('forks.js').run('fibonacci', [8]), 21)
    await executor.close()
  })

  test('and was quiet for a while before, makes calls', limit, async (t) => {
    const executor = make('basic.js')
    assert.equal(await executor.tasks.add(1, 2), 3)
    fakeAll(t)
    for (let i = 0; i < 100; i++) assert.equal(await executor.tasks.add(i, 1), i + 1)
  })

  test('has its timeouts by the real clock', limit, async (t) => {
    fakeAll(t)
    const executor = make('basic.js')
    const late = await rejection(executor.run('later', [1, 60_000], { timeout: 20, gracePeriod: 20 }))
    assert.equal(late.code, 'TW_ERR_TIMEOUT')
    t.mock.timers.tick(1000) // and not by the fake one
    if (kind !== 'inline' && kind !== 'concurrent')
      assert.equal(await executor.run('later', [2, 1], { timeout: 25_000 }), 2)
  })

  if (!isPool) return

  test('has a new worker for one that has ended', limit, async (t) => {
    fakeAll(t)
    const executor = make('exits.js', { size: 1 })
    const lost = await rejection(executor.tasks.exit(1))
    assert.equal(lost.code, 'TW_ERR_WORKER_EXITED')
    assert.equal(await executor.tasks.add(1, 2), 3)
  })

  test('ends workers that were idle for idleTimeout', limit, async (t) => {
    fakeAll(t)
    const executor = make('basic.js', { size: { min: 1, max: 2 }, idleTimeout: 20 })
    await Promise.all([1, 2, 3, 4].map((value) => executor.run('later', [value, 50], { timeout: 25_000 })))
    while (executor.size > 1) await realTurn()
  })
})

describeExecutors('a task that replaces the timers of its worker', (make, { kind, isPool }) => {
  if (!isPool || kind === 'adaptive') return // there it would be the program that has them replaced

  test('hinders no other call', limit, async () => {
    const executor = make('fakes-timers.js', { size: 1 })
    await executor.tasks.fakeTimers()
    assert.deepEqual(await Promise.all([1, 2, 3].map((value) => executor.tasks.echo(value))), [1, 2, 3])
    assert.deepEqual(await executor.map('later', [1, 2, 3]), [1, 2, 3])
    assert.deepEqual(await all(executor.stream('count', [3])), [0, 1, 2])
    assert.deepEqual(await executor.tasks.echo(new Map([[1, 2]])), new Map([[1, 2]]))
    await executor.close()
  })
})
