import { test } from 'node:test'
import assert from 'node:assert/strict'
import { assertClose, oracle } from '../oracle.js'
import { normalQuantile } from '../../../../build/measure/stats/normal-quantile.js'

test('the quantile of the normal distribution agrees with scipy', () => {
  for (const [p, z] of oracle.normalQuantile) assertClose(normalQuantile(p), z, 1e-14, `normalQuantile(${p})`)
})

test('its ends are certain, and what makes no sense is refused', () => {
  assert.deepEqual([normalQuantile(0), normalQuantile(1)], [-Infinity, Infinity])
  assert.throws(() => normalQuantile(1.1), /bug in threadwise/)
})
