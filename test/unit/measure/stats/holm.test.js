import { test } from 'node:test'
import assert from 'node:assert/strict'
import { assertClose } from '../oracle.js'
import { holm } from '../../../../build/measure/stats/holm.js'

test("adjusted p-values are those of R's p.adjust(p, 'holm')", () => {
  const adjusted = holm([0.01, 0.04, 0.03, 0.005, 0.7])
  const expected = [0.04, 0.09, 0.09, 0.025, 0.7]
  for (const [index, p] of expected.entries()) assertClose(adjusted[index], p, 1e-12, `p ${index}`)
})

test('a single comparison is left as it is', () => {
  assert.deepEqual(holm([0.03]), [0.03])
  assert.deepEqual(holm([]), [])
})

test('no adjusted p-value exceeds 1 or its order', () => {
  assert.deepEqual(holm([0.9, 0.8, 0.5]), [1, 1, 1])
  const adjusted = holm([0.001, 0.02, 0.021, 0.3])
  assert.deepEqual(
    [...adjusted].sort((a, b) => a - b),
    adjusted,
  )
})
