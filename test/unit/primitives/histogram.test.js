// The histogram of times against sorted lists.
import { test } from 'node:test'
import assert from 'node:assert/strict'
import { assertClose } from '../measure/oracle.js'
import { Histogram } from '../../../build/primitives/histogram.js'
import { createRandom } from '../../../build/measure/stats/random.js'

const recorded = (values) => {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram
}

test('every time from nanoseconds to weeks comes back within 1 %', () => {
  for (let ms = 2e-6; ms < 2 ** 31; ms *= 1.003) {
    // A smaller and a larger one beside it, or the exact minimum and maximum would hide the bucket.
    const found = recorded([ms / 2, ms, ms * 3]).percentile(0.5)
    assertClose(found, ms, 0.01, `${ms} ms`)
  }
})

test('percentiles are those of the sorted list', () => {
  const random = createRandom(3)
  const values = Array.from({ length: 10_000 }, () => Math.exp(12 * random() - 4))
  const histogram = recorded(values)
  const sorted = values.toSorted((a, b) => a - b)
  for (const p of [0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999]) {
    assertClose(histogram.percentile(p), sorted[Math.ceil(10_000 * p - 1e-6) - 1], 0.01, `p${p * 100}`)
  }
  assert.equal(histogram.maxMs, sorted.at(-1))
  assert.equal(histogram.minMs, sorted[0])
  const above = histogram.countAbove(100)
  assert.ok(Math.abs(above - values.filter((value) => value > 100).length) < 50, above)
})

test('count, sum and mean are exact, and a weight stands for as many times', () => {
  const histogram = recorded([1])
  histogram.record(2, 31)
  assert.deepEqual([histogram.count, histogram.sumMs, histogram.meanMs], [32, 63, 63 / 32])
  assertClose(histogram.percentile(0.5), 2, 0.01)
})

for (const [p, enough] of [
  [0.5, 20],
  [0.9, 100],
  [0.99, 1000],
  [0.999, 10_000],
]) {
  test(`p${p * 100} is settled by ${enough} values`, () => {
    const histogram = new Histogram()
    histogram.record(5, enough - 1)
    assert.equal(histogram.isSettled(p), false)
    histogram.record(5)
    assert.equal(histogram.isSettled(p), true)
    assert.equal(histogram.percentile(p), 5)
  })
}

test('an outlier is kept: it is the exact maximum', () => {
  const histogram = new Histogram()
  histogram.record(10, 2000)
  histogram.record(123_456.7)
  assert.equal(histogram.maxMs, 123_456.7)
  assert.equal(histogram.minMs, 10)
  assertClose(histogram.percentile(0.99), 10, 0.01)
})

test('a percentile never lies outside the values', () => {
  assert.equal(recorded(Array(50).fill(100)).percentile(0.5), 100)
})

test('merging is the same as recording everything in one', () => {
  const [a, b, both] = [new Histogram(), new Histogram(), new Histogram()]
  for (let value = 1; value <= 3000; value++) {
    ;(value % 3 === 0 ? a : b).record(value)
    both.record(value)
  }
  a.merge(b)
  assert.deepEqual(a.toJSON(), both.toJSON())
  assert.deepEqual([a.count, a.sumMs, a.maxMs], [3000, (3000 * 3001) / 2, 3000])
  assert.equal(a.percentile(0.99), both.percentile(0.99))
})

test('JSON is sparse and brings everything back', () => {
  const histogram = new Histogram()
  histogram.record(0.0125, 700)
  histogram.record(40, 400)
  const json = JSON.parse(JSON.stringify(histogram))
  assert.equal(json.buckets.length, 2)
  const back = Histogram.fromJSON(json)
  assert.deepEqual(back.toJSON(), histogram.toJSON())
  assert.equal(back.count, 1100)
  assert.equal(back.meanMs, histogram.meanMs)
  assert.equal(back.percentile(0.5), histogram.percentile(0.5))
})

test('an empty histogram knows nothing, and survives JSON and merging', () => {
  const empty = Histogram.fromJSON(JSON.parse(JSON.stringify(new Histogram())))
  const { count, sumMs, meanMs, minMs, maxMs } = empty
  assert.deepEqual({ count, sumMs, meanMs, minMs, maxMs }, { count: 0, sumMs: 0, meanMs: null, minMs: null, maxMs: null }) // prettier-ignore
  assert.deepEqual([empty.percentile(0.5), empty.countAbove(0), empty.isSettled(0.5)], [null, 0, false])
  const histogram = recorded(Array(30).fill(7))
  histogram.merge(empty)
  assert.deepEqual([histogram.minMs, histogram.maxMs], [7, 7])
})

test('what a coarse clock calls nothing, or two clocks less than nothing, counts as nothing', () => {
  const histogram = recorded([0, -0.0001, 0.0000004])
  assert.equal(histogram.percentile(0.5), 0)
  assert.deepEqual([histogram.count, histogram.minMs], [3, 0])
  assert.equal(recorded([0, -0.001]).meanMs, 0)
})

test('what is longer than the last bucket still counts, and keeps its exact maximum', () => {
  const histogram = recorded([1, 1e12, 1e15])
  assert.equal(histogram.maxMs, 1e15)
  assert.equal(histogram.count, 3)
  assert.equal(histogram.countAbove(1), 2)
})

test('impossible values and unknown buckets are bugs', () => {
  const histogram = new Histogram()
  assert.throws(() => histogram.record(NaN), /bug in threadwise/)
  assert.throws(() => histogram.percentile(1), /bug in threadwise/)
  const json = { sumMs: 1, minMs: 1, maxMs: 1 }
  assert.throws(() => Histogram.fromJSON({ ...json, buckets: [[1e9, 1]] }), /bug in threadwise/)
  assert.throws(() => Histogram.fromJSON({ ...json, buckets: [[-1, 1]] }), /bug in threadwise/)
})
