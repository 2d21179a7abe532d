// What stats() makes of single calls: the histogram, and which calls are timed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Latency } from '../../../../dist/runtime/engine/latency.js'
import { Observer } from '../../../../dist/runtime/engine/observer.js'

test('quantiles are within 3 % of the exact ones, over ten orders of magnitude', () => {
  for (let ms = 0.04; ms < 1e8; ms *= 1.7) {
    const latency = new Latency()
    for (let i = 0; i < 100; i++) latency.add(i < 90 ? ms : ms * 3, 1)
    const { count, mean, p50, p99, max } = latency.summary
    assert.equal(count, 100)
    assert.ok(Math.abs(p50 / ms - 1) < 0.032, `p50 ${p50} of ${ms}`)
    assert.ok(Math.abs(p99 / (3 * ms) - 1) < 0.032, `p99 ${p99} of ${3 * ms}`)
    assert.ok(Math.abs(mean / (1.2 * ms) - 1) < 1e-9)
    assert.equal(max, ms * 3)
  }
})

test('a quantile is never above the maximum, and zero is a value', () => {
  const latency = new Latency()
  latency.add(0, 1)
  latency.add(-0.001, 1) // two clocks
  assert.deepEqual(latency.summary, { count: 2, mean: 0, p50: 0, p99: 0, max: 0 })
})

test('a weight stands for as many calls', () => {
  const latency = new Latency()
  latency.add(1, 1)
  latency.add(2, 31)
  const { count, mean, p50 } = latency.summary
  assert.deepEqual([count, mean], [32, 63 / 32])
  assert.ok(Math.abs(p50 - 2) < 0.07)
})

test('of calls that alternate both kinds are timed, in proportion', () => {
  // Standard deviations: 128 * sqrt(2_000_000 / 32 / 128) = 2800 and 128 * sqrt(2_000_000 / 128) = 16_000.
  const observer = new Observer({ name: 'x', kind: 'inline' })
  const timed = [0, 0]
  for (let i = 0; i < 2_000_000; i++) {
    const timing = observer.accept('task')
    if (timing) timed[i % 32 === 0 ? 0 : 1] += timing.weight
  }
  assert.ok(Math.abs(timed[0] - 2_000_000 / 32) < 15_000, String(timed))
  assert.ok(Math.abs(timed[0] + timed[1] - 2_000_000) < 80_000, String(timed))
})
