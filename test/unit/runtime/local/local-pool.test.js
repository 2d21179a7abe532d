// The engine behind inline and concurrent: the order and the number of calls, and what they cost their callers' errors.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalPool } from '../../../../build/runtime/local/local-pool.js'
import { outcome } from '../../../helpers/fake-runtime.js'
import { fakeTimers } from '../../../helpers/fake-timers.js'

// Each call waits until the test ends it through this list; a data: module reaches it as a global.
const calls = (globalThis.localPoolCalls = [])
const source = `
  export const wait = (name) => new Promise((resolve, reject) => globalThis.localPoolCalls.push({ name, resolve, reject }))
  export const now = (value) => value
`
const module = `data:text/javascript,${encodeURIComponent(source)}`

async function localPool(t, limit, options) {
  calls.length = 0
  const pool = new LocalPool({
    module,
    name: 'test',
    limit,
    startTimeout: Infinity,
    closeTimeout: Infinity,
    ...options,
  })
  t.after(() => pool.destroy())
  await pool.ready.catch(() => {})
  const run = (name, args = [], runOptions) => {
    const call = pool.submit(name, args, runOptions)
    call.catch(() => {}) // a call that the test leaves open is rejected when the test ends
    return call
  }
  return { pool, run }
}

const names = () => calls.map(({ name }) => name)

test('at most `limit` calls run at a time; the others follow in order', async (t) => {
  const { pool, run } = await localPool(t, 2)
  const results = ['a', 'b', 'c', 'd'].map((name) => run('wait', [name]))
  assert.deepEqual(names(), ['a', 'b'])
  assert.deepEqual(pool.counts, { queued: 2, running: 2, completed: 0, failed: 0, cancelled: 0 })
  calls[1].resolve('B')
  assert.equal(await results[1], 'B')
  assert.deepEqual(names(), ['a', 'b', 'c'])
  calls[0].reject(new Error('A'))
  assert.equal((await outcome(results[0])).error.message, 'A')
  assert.deepEqual(names(), ['a', 'b', 'c', 'd'])
  assert.deepEqual(pool.counts, { queued: 0, running: 2, completed: 1, failed: 1, cancelled: 0 })
})

test('a cancelled call settles at once and keeps its place until its function ends', async (t) => {
  const { pool, run } = await localPool(t, 1)
  const controller = new AbortController()
  const cancelled = run('wait', ['a'], { signal: controller.signal })
  const next = run('wait', ['b'])
  controller.abort('stop')
  assert.deepEqual(await outcome(cancelled), { error: 'stop' })
  assert.deepEqual(names(), ['a'])
  calls[0].resolve('late')
  await outcome(next)
  assert.deepEqual(names(), ['a', 'b'])
  calls[1].resolve('B')
  assert.equal(await next, 'B')
  assert.deepEqual(pool.counts, { queued: 0, running: 0, completed: 1, failed: 0, cancelled: 1 })
})

test('a cancelled call that was queued never starts', async (t) => {
  const { run } = await localPool(t, 1)
  const controller = new AbortController()
  run('wait', ['a'])
  const cancelled = run('wait', ['b'], { signal: controller.signal })
  const last = run('wait', ['c'])
  controller.abort('stop')
  assert.deepEqual(await outcome(cancelled), { error: 'stop' })
  calls[0].resolve()
  await outcome(last)
  assert.deepEqual(names(), ['a', 'c'])
})

test('a timeout counts from the start of the function', async (t) => {
  const { run } = await localPool(t, 1)
  fakeTimers(t)
  run('wait', ['a'])
  const queued = run('wait', ['b'], { timeout: 100 })
  t.mock.timers.tick(1000)
  assert.equal(await outcome(queued), 'open')
  calls[0].resolve()
  await outcome(queued)
  t.mock.timers.tick(100)
  assert.equal((await outcome(queued)).error.code, 'TW_ERR_TIMEOUT')
})

test('close waits for all calls, and for no function whose call was cancelled', async (t) => {
  const { pool, run } = await localPool(t, 2)
  const controller = new AbortController()
  run('wait', ['a'], { signal: controller.signal })
  const b = run('wait', ['b'])
  controller.abort()
  const closed = pool.close()
  assert.equal(await outcome(closed), 'open')
  calls[1].resolve('B')
  assert.equal(await b, 'B')
  await closed
})

test('every call of a module that does not load gets its error', async (t) => {
  const broken = `data:text/javascript,${encodeURIComponent('throw new RangeError("broken")')}`
  const { run } = await localPool(t, 1, { module: broken })
  for (let i = 0; i < 3; i++) {
    const { error } = await outcome(run('now'))
    assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.equal(error.cause.message, 'broken')
  }
})
test('aborting many queued calls with one signal leaves the reason readable', async (t) => {
  const { pool } = await localPool(t, 1)
  const controller = new AbortController()
  const call = async () => {
    await pool.submit('wait', ['a'], { signal: controller.signal })
  }
  const all = Promise.allSettled(Array.from({ length: 50 }, call))
  controller.abort(new Error('stop'))
  const outcomes = await all
  const { stack } = outcomes[49].reason
  assert.equal(outcomes[49].reason, outcomes[0].reason)
  assert.ok(stack.split('called by the following').length <= 2, `the stack has ${stack.length} characters`)
})
