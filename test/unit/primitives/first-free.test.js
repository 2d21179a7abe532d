import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstFree } from '../../../build/primitives/first-free.js'

test('the lowest number that is not taken', () => {
  assert.equal(firstFree([]), 0)
  assert.equal(firstFree([0, 2, 0]), 1)
  assert.equal(firstFree([1, 0]), 2)
})
