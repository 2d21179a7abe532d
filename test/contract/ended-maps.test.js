// A map that ends early: by an abort, or the first error. It starts nothing more, and its error says where it comes from.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { filter, map } from 'threadwise/parallel'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { numbers } from '../helpers/many.js'

const WAYS = {
  'pool.map': (pool, name, list, options) => pool.map(name, list, options),
  'map of threadwise/parallel': map,
  'filter of threadwise/parallel': filter,
}

describeExecutors('a map that ends early', (make, { isPool, isOnQueue }) => {
  if (isOnQueue) return
  const sum = async (pool) => (await pool.broadcast('begunSoFar')).reduce((a, b) => a + b)
  /**
   * What begins while nobody should begin anything. A call that a worker had just taken ends when the pool has read that: the first count is not
   * answered before. The last one waits for all that was sent before the one between.
   */
  async function begunAfterwards(pool) {
    await sum(pool)
    const before = await sum(pool)
    await delay(100)
    return (await sum(pool)) - before
  }

  for (const [way, go] of Object.entries(WAYS)) {
    for (const task of ['load', 'loadLater'])
      test(`${way}: starts no call of ${task}() once its signal has aborted`, async () => {
        const pool = make('ended-maps.js')
        await pool.ready
        const signal = AbortSignal.timeout(60)
        assert.equal((await rejection(go(pool, task, numbers(20_000), { signal }))).name, 'TimeoutError')
        assert.equal(await begunAfterwards(pool), 0)
        assert.deepEqual(await go(pool, 'load', [1, 2, 3]), [1, 2, 3])
      })

    for (const [task, message] of Object.entries({ failLate: 'number 800', rejectLate: 'number 100' }))
      test(`${way}: starts no call of ${task}() after the first error`, async () => {
        const pool = make('ended-maps.js')
        await pool.ready
        assert.equal((await rejection(go(pool, task, numbers(20_000)))).message, message)
        assert.equal(await begunAfterwards(pool), 0)
      })

    test(`${way}: an error of the task has the line of its caller`, async () => {
      const pool = make('ended-maps.js')
      async function theCaller(task) {
        await go(pool, task, numbers(100))
      }
      for (const task of ['failAt', 'rejectAt']) {
        const { stack } = await rejection(theCaller(task))
        assert.match(stack, /at .*failAt.*ended-maps\.js/)
        assert.match(stack, /at async theCaller /, task)
      }
    })

    test(`${way}: an input that cannot be sent is named by its place, and the function as its caller names it`, async (t) => {
      if (!isPool) return t.skip('nothing is sent')
      const pool = make('ended-maps.js')
      for (const size of [1, 300]) {
        const rows = numbers(size).map((i) => (i === size - 1 ? { name: 'x', save() {} } : { name: 'x' }))
        const { code, message } = await rejection(go(pool, 'nameOf', rows))
        assert.equal(code, 'TW_ERR_NOT_CLONEABLE')
        if (size > 1) assert.match(message, /inputs\[299\]\.save is a function/)
        assert.match(message, /task "nameOf"/)
      }
    })
  }
})
