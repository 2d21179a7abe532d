import { test } from 'node:test'
import assert from 'node:assert/strict'
import { normalQuantile } from '../../../../build/measure/stats/normal-quantile.js'
import { normalTail } from '../../../../build/measure/stats/normal-tail.js'
import { combineBoth } from '../../../../build/measure/stats/random-effects.js'

test('the tail of a normal distribution is the inverse of its quantile', () => {
  for (const p of [1e-9, 1e-5, 0.001, 0.025, 0.3, 0.5, 0.9])
    assert.ok(Math.abs(normalTail(normalQuantile(1 - p)) / p - 1) < 1e-6, `at ${p}`)
})

const series = (...values) => values.map((value) => ({ value, variance: 1e-6 }))
const few = { scale: 0.005, tail: 0.00125 }

test('processes that differ widen the bound by more than a normal distribution would', () => {
  const alike = combineBoth(series(0, 0.001, -0.001), series(0, 0.001, -0.001), few)
  const different = combineBoth(series(0.05, -0.05, 0), series(0.05, -0.05, 0), few)
  assert.ok(alike.sd < 0.006, `alike ${alike.sd}`)
  assert.ok(different.sd > 0.05, `different ${different.sd}`)
})

test('without processes on one side nothing is known', () => {
  assert.equal(combineBoth([], series(0), few), null)
  assert.equal(combineBoth(series(0), [], few), null)
})
