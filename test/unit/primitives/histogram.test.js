import { test } from 'node:test'
import assert from 'node:assert/strict'
import { assertClose } from '../measure/oracle.js'
import { Histogram } from '../../../dist/primitives/histogram.js'
import { createRandom } from '../../../dist/measure/stats/random.js'

test('a percentile is within 1 % of the exact value from nanoseconds to hours', () => {
  for (const value of [0.002, 0.7, 1, 3.3, 99.9, 1250, 1e6, 3.6e9, 2e10]) {
    const histogram = new Histogram()
    histogram.record(value / 2, 30)
    histogram.record(value, 40)
    histogram.record(value * 3, 30)
    assertClose(histogram.percentile(0.5), value, 0.01, `${value} us`)
  }
})

test('percentiles of many random values agree with the sorted values', () => {
  const random = createRandom(4)
  const values = Array.from({ length: 5000 }, () => Math.exp(random() * 12))
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  values.sort((a, b) => a - b)
  for (const p of [0.1, 0.5, 0.9, 0.99]) {
    assertClose(histogram.percentile(p), values[Math.ceil(p * 5000) - 1], 0.01, `p${p * 100}`)
  }
})

for (const [p, enough] of [
  [0.5, 20],
  [0.9, 100],
  [0.99, 1000],
  [0.999, 10_000],
]) {
  test(`p${p * 100} needs ${enough} values`, () => {
    const histogram = new Histogram()
    histogram.record(5, enough - 1)
    assert.equal(histogram.percentile(p), null)
    histogram.record(5)
    assertClose(histogram.percentile(p), 5, 0.01)
  })
}

test('an outlier is kept: it is the exact maximum', () => {
  const histogram = new Histogram()
  histogram.record(10, 2000)
  histogram.record(123_456.7)
  assert.equal(histogram.maxUs, 123_456.7)
  assert.equal(histogram.minUs, 10)
  assertClose(histogram.percentile(0.99), 10, 0.01)
})

test('a percentile never lies outside the values', () => {
  const histogram = new Histogram()
  histogram.record(100, 50)
  assert.equal(histogram.percentile(0.5), 100)
})

test('merging is the same as recording everything in one', () => {
  const [a, b, both] = [new Histogram(), new Histogram(), new Histogram()]
  for (let value = 1; value <= 3000; value++) {
    ;(value % 3 === 0 ? a : b).record(value)
    both.record(value)
  }
  a.merge(b)
  assert.deepEqual(a.toJSON(), both.toJSON())
  assert.equal(a.count, 3000)
  assert.equal(a.percentile(0.99), both.percentile(0.99))
})

test('JSON is sparse and brings everything back', () => {
  const histogram = new Histogram()
  histogram.record(12.5, 700)
  histogram.record(40_000, 400)
  const json = JSON.parse(JSON.stringify(histogram))
  assert.equal(json.buckets.length, 2)
  const back = Histogram.fromJSON(json)
  assert.deepEqual(back.toJSON(), histogram.toJSON())
  assert.equal(back.count, 1100)
  assert.equal(back.percentile(0.5), histogram.percentile(0.5))
})

test('an empty histogram has no percentiles, and survives JSON and merging', () => {
  const empty = Histogram.fromJSON(JSON.parse(JSON.stringify(new Histogram())))
  assert.equal(empty.count, 0)
  assert.equal(empty.percentile(0.5), null)
  assert.equal(empty.maxUs, null)
  const histogram = new Histogram()
  histogram.record(7, 30)
  histogram.merge(empty)
  assert.equal(histogram.minUs, 7)
})

test('what a coarse clock calls 0, and what is longer than a day, still counts', () => {
  const histogram = new Histogram()
  histogram.record(0, 30)
  histogram.record(1e15, 30)
  assert.equal(histogram.count, 60)
  assert.equal(histogram.minUs, 0)
  assert.equal(histogram.maxUs, 1e15)
})

test('impossible values and unknown buckets are bugs', () => {
  const histogram = new Histogram()
  assert.throws(() => histogram.record(NaN), /bug in threadwise/)
  assert.throws(() => histogram.record(-1), /bug in threadwise/)
  assert.throws(() => histogram.percentile(1), /bug in threadwise/)
  assert.throws(() => Histogram.fromJSON({ buckets: [[1e9, 1]], minUs: 1, maxUs: 1 }), /bug in threadwise/)
})
