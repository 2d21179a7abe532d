// How late the event loop runs. Orders of magnitude only: the machine of a test may be busy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startLoopDelayProbe } from '../../../../build/measure/trial/loop-delay.js'
import { fakeClock } from '../../../helpers/fake-timers.js'

const block = (ms) => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a loop that was blocked for 100 ms yields many late ticks, up to about 100 ms', async () => {
  const probe = startLoopDelayProbe()
  await delay(5)
  probe.reset()
  block(100)
  await delay(5)
  const delays = probe.stop()
  assert.ok(delays.count >= 40, `${delays.count} ticks were missed`)
  assert.ok(delays.maxMs >= 80 && delays.maxMs < 5000, `the longest delay is ${delays.maxMs} ms`)
  const median = delays.percentile(0.5)
  assert.ok(median >= 5 && median <= delays.maxMs, `the median is ${median} ms: not one sample for a stall`)
})

test('what a stall at the very end cost is counted when the probe stops', () => {
  const probe = startLoopDelayProbe()
  block(50)
  const delays = probe.stop()
  assert.ok(delays.count >= 15)
  assert.ok(delays.maxMs >= 30)
})

test('reset() forgets what was before', (t) => {
  const pass = fakeClock(t)
  const probe = startLoopDelayProbe()
  pass(300)
  probe.reset()
  pass(2)
  assert.equal(probe.stop().count, 2)
})
