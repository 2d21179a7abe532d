// The histogram of latencies against sorted lists.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LatencyHistogram } from '../../../dist/primitives/latency-histogram.js'
import { createRandom } from '../../../dist/measure/stats/random.js'

const recorded = (values) => {
  const histogram = new LatencyHistogram()
  for (const value of values) histogram.record(value)
  return histogram
}

test('an empty one knows nothing', () => {
  const empty = new LatencyHistogram()
  assert.deepEqual([empty.count, empty.maxMs, empty.percentile(0.5), empty.countAbove(0)], [0, null, null, 0])
})

test('every value from a microsecond to half an hour comes back within 1 %, and a microsecond', () => {
  for (let us = 1; us < 2 ** 31; us = Math.ceil(us * 1.003)) {
    // A larger one beside it, or the exact maximum would hide the bucket.
    const found = recorded([us / 1000, 2 ** 22]).percentile(0.5) * 1000
    assert.ok(Math.abs(found - us) <= Math.max(0.5, us * 0.01), `${us} us came back as ${found}`)
  }
})

test('percentiles are those of the sorted list', () => {
  const random = createRandom(3)
  const values = Array.from({ length: 10_000 }, () => Math.exp(12 * random() - 4))
  const histogram = recorded(values)
  const sorted = values.toSorted((a, b) => a - b)
  for (const p of [0.01, 0.5, 0.9, 0.99, 0.999, 0.9999]) {
    const exact = sorted[Math.ceil(10_000 * p - 1e-6) - 1]
    const found = histogram.percentile(p)
    assert.ok(Math.abs(found - exact) <= exact * 0.01 + 0.0005, `${p}: ${found} for ${exact}`)
  }
  assert.equal(histogram.maxMs, sorted.at(-1))
  const above = histogram.countAbove(100)
  assert.ok(Math.abs(above - values.filter((value) => value > 100).length) < 50, above)
})

test('what is longer than the last bucket keeps its exact maximum', () => {
  const histogram = recorded([1, 5_000_000])
  assert.equal(histogram.maxMs, 5_000_000)
  assert.equal(histogram.count, 2)
})

test('half a microsecond more or less than nothing is no bucket of its own', () => {
  const histogram = recorded([0, -0.0001, 0.0004])
  assert.equal(histogram.percentile(0.5), 0)
})
