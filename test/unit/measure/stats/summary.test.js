import { test } from 'node:test'
import assert from 'node:assert/strict'
import { assertClose, oracle } from '../oracle.js'
import * as summary from '../../../../build/measure/stats/summary.js'

const { values, ...expected } = oracle.summary

test('every statistic agrees with NumPy and scipy', () => {
  assertClose(summary.mean(values), expected.mean, 1e-14, 'mean')
  assertClose(summary.median(values), expected.median, 1e-14, 'median')
  assertClose(summary.quantile(values, 0.1), expected.q10, 1e-14, 'q10')
  assertClose(summary.quantile(values, 0.99), expected.q99, 1e-14, 'q99')
  assertClose(summary.mad(values), expected.mad, 1e-14, 'mad')
  assertClose(summary.standardDeviation(values), expected.sd, 1e-14, 'sd')
  assertClose(summary.coefficientOfVariation(values), expected.cv, 1e-14, 'cv')
  assertClose(summary.geometricMean(values), expected.geometricMean, 1e-14, 'geometric mean')
})

test('the order of the values does not matter and they are left as they were', () => {
  const reversed = Object.freeze([...values].reverse())
  assert.equal(summary.quantile(reversed, 0.3), summary.quantile(values, 0.3))
})

test('the ends of the quantiles are the smallest and largest value', () => {
  assert.equal(summary.quantile(values, 0), 0.2)
  assert.equal(summary.quantile(values, 1), 9.4)
})

test('twice as fast and half as fast average to no difference', () => {
  assert.equal(summary.geometricMean([2, 0.5]), 1)
})

test('nothing can be said of no values, and no deviation of one', () => {
  for (const name of ['mean', 'median', 'mad', 'geometricMean', 'coefficientOfVariation', 'drift']) {
    assert.equal(summary[name]([]), NaN, name)
  }
  assert.equal(summary.median([4]), 4)
  assert.equal(summary.standardDeviation([4]), NaN)
  assert.equal(summary.drift([4]), NaN)
})

test('drift is the change from the first half to the second', () => {
  assertClose(summary.drift([100, 102, 98, 110, 112, 108]), 0.1, 1e-12)
  assertClose(summary.drift([100, 100, 5000, 90, 90]), -0.1, 1e-12, 'the middle of an odd series')
  assert.equal(summary.drift([3, 3, 3, 3]), 0)
})
