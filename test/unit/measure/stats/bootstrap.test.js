import { test } from 'node:test'
import assert from 'node:assert/strict'
import { noise } from '../noise.js'
import { assertClose, oracle } from '../oracle.js'
import { bootstrapRatio, logRatios } from '../../../../build/measure/stats/bootstrap.js'
import { createRandom } from '../../../../build/measure/stats/random.js'

const { logRatios: sample, intervals } = oracle.bootstrap

test('each end of the interval is the wider of the expanded percentile and the t interval', () => {
  const distribution = bootstrapRatio(sample, createRandom(1), 200_000)
  for (const [confidence, { percentile, t }] of Object.entries(intervals)) {
    const { low, high } = distribution.interval(Number(confidence))
    assertClose(low, Math.min(percentile[0], t[0]), 0.002, `low at ${confidence}`)
    assertClose(high, Math.max(percentile[1], t[1]), 0.002, `high at ${confidence}`)
  }
})

test('the value is the geometric mean of the ratios', () => {
  assertClose(bootstrapRatio([Math.log(2), Math.log(0.5)], createRandom(1)).value, 1, 1e-15)
})

test('p is the alpha at which the interval just leaves the ratio behind', () => {
  const distribution = bootstrapRatio(sample, createRandom(2))
  for (const ratio of [0.7, 0.95, 1.02, 1.1, 1.12]) {
    const p = distribution.pAbove(ratio)
    assertClose(distribution.interval(1 - p).low, ratio, 1e-7, `above ${ratio}, p = ${p}`)
  }
  for (const ratio of [1.14, 1.2, 1.3, 1.6]) {
    const p = distribution.pBelow(ratio)
    assertClose(distribution.interval(1 - p).high, ratio, 1e-7, `below ${ratio}, p = ${p}`)
  }
})

test('p is 1 for a ratio on the wrong side of the value', () => {
  const distribution = bootstrapRatio(sample, createRandom(2))
  assert.equal(distribution.pAbove(1.2), 1)
  assert.equal(distribution.pBelow(1.05), 1)
})

test('a wider confidence never gives a narrower interval', () => {
  const distribution = bootstrapRatio(sample, createRandom(3), 1000)
  let previous = distribution.interval(0.01)
  for (const confidence of [0.2, 0.5, 0.9, 0.95, 0.99, 0.999, 0.999999]) {
    const interval = distribution.interval(confidence)
    assert.ok(interval.low <= previous.low && interval.high >= previous.high, `at ${confidence}`)
    previous = interval
  }
})

test('the tail goes on beyond the range of six rounds, where a bootstrap alone would end', () => {
  const { low } = bootstrapRatio(sample, createRandom(4)).interval(0.999)
  assert.ok(low < Math.exp(Math.min(...sample)))
})

test('one round has a value and no end to its interval, no round not even a value', () => {
  const one = bootstrapRatio([Math.log(2)], createRandom(1))
  assert.deepEqual(one.interval(), { value: 2, low: 0, high: Infinity })
  assert.equal(one.pAbove(1.05), 1)
  const none = bootstrapRatio([], createRandom(1))
  assert.equal(none.value, NaN)
  assert.equal(none.rounds, 0)
})

test('inline against itself is 1 without doubt', () => {
  const distribution = bootstrapRatio([0, 0, 0, 0, 0, 0], createRandom(1))
  assert.deepEqual(distribution.interval(), { value: 1, low: 1, high: 1 })
  assert.equal(distribution.pAbove(1.05), 1)
  assert.equal(distribution.pAbove(0.95), 0)
})

test('rounds that failed in either cell are left out of both', () => {
  const logs = logRatios([200, null, 300, NaN, 0, 400], [100, 100, null, 100, 100, 200])
  assert.deepEqual(logs, [Math.log(2), Math.log(2)])
})

for (const { rounds, label, skew } of [
  { rounds: 6, label: 'lognormal noise', skew: 0 },
  { rounds: 8, label: 'lognormal noise', skew: 0 },
  { rounds: 8, label: 'noise with rounds that were disturbed', skew: 0.1 },
]) {
  test(`the 95 % interval of ${rounds} rounds covers the truth in 92 to 98 % of runs with ${label}`, () => {
    const random = createRandom(20 + rounds)
    const truth = 1.3
    // A disturbed round hits the cell or inline, so it shifts the ratio either way.
    const disturbance = () => (random() < skew ? (random() < 0.5 ? 0.06 : -0.06) : 0)
    let covered = 0
    for (let run = 0; run < 2000; run++) {
      const logs = Array.from({ length: rounds }, () => Math.log(truth) + noise(random, 0.03) + disturbance())
      const { low, high } = bootstrapRatio(logs, random, 1000).interval()
      if (low <= truth && truth <= high) covered++
    }
    assert.ok(covered >= 0.92 * 2000 && covered <= 0.98 * 2000, `${covered / 20} %`)
  })
}
