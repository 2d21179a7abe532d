// Calls that are due at fixed times.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeDueCalls } from '../../../../build/measure/trial/due-calls.js'

/** Time passes while someone waits, and by the returned function. */
function ownClock({ mock }) {
  let now = 0
  const pass = (ms) => (now += ms)
  mock.method(performance, 'now', () => now)
  mock.method(globalThis, 'setTimeout', (done, ms) => setImmediate(() => (pass(ms), done())))
  return pass
}

test('as many calls are made as are due, and those that fail are counted', async (t) => {
  ownClock(t)
  const seen = []
  const call = async (index) => {
    seen.push(index)
    if (index % 4 === 0) throw new Error('no')
  }
  const { latency, failed } = await makeDueCalls({ ownThread: true, call }, { rate: 100, ms: 200 })
  assert.deepEqual(
    seen,
    Array.from({ length: 20 }, (_, index) => index),
  )
  assert.deepEqual([latency.count, failed], [20, 5])
})

test('a call that had to wait for others waits in the figures, too', async (t) => {
  const pass = ownClock(t)
  const call = async () => pass(20) // ten times as long as there is time for
  const { latency } = await makeDueCalls({ ownThread: true, call }, { rate: 500, ms: 200 })
  assert.equal(latency.count, 100)
  // The tenth is made after 200 ms, and was due after 20. What was never made waits longest.
  assert.ok(latency.percentile(0.5) > 90, String(latency.percentile(0.5)))
  assert.ok(latency.maxMs > 180 && latency.minMs >= 19)
})

test('a call that never ends holds nobody up, and counts for as long as it was waited for', async () => {
  const call = (index) => (index === 0 ? new Promise(() => {}) : delay(1))
  const started = performance.now()
  const { latency } = await makeDueCalls({ ownThread: false, call }, { rate: 50, ms: 100 })
  assert.equal(latency.count, 5)
  assert.ok(latency.maxMs >= 100 && performance.now() - started >= 150)
})
