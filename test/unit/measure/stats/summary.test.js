import { test } from 'node:test'
import assert from 'node:assert/strict'
import { assertClose, oracle } from '../oracle.js'
import * as summary from '../../../../build/measure/stats/summary.js'

const { values, ...expected } = oracle.summary

test('mean and median agree with NumPy', () => {
  assertClose(summary.mean(values), expected.mean, 1e-14, 'mean')
  assertClose(summary.median(values), expected.median, 1e-14, 'median')
  assert.equal(summary.median([1, 4, 2, 3]), 2.5)
})

test('the order of the values does not matter and they are left as they were', () => {
  const reversed = Object.freeze([...values].reverse())
  assert.equal(summary.median(reversed), summary.median(values))
})

test('nothing can be said of no values', () => {
  assert.deepEqual([summary.mean([]), summary.median([]), summary.sum([])], [NaN, NaN, 0])
  assert.equal(summary.median([4]), 4)
})

test('the distinct values come in ascending order', () => {
  assert.deepEqual(summary.ascending([10, 2, 10, 1]), [1, 2, 10])
})
