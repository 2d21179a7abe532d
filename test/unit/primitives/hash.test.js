// The hash that lanes, shapes of objects and the instances of clients go by.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOf } from '../../../build/primitives/hash.js'

test('a text has the same hash in every process and version, which is what keys are kept together by', () => {
  assert.deepEqual(['', 'a', 'user-17', 'ä€😀'].map(hashOf), [2968492035, 4001307413, 2605448407, 729790908])
})

test('each bit of the hash differs in about half of the texts that are neighbours', () => {
  const differing = new Array(32).fill(0)
  for (let i = 0; i < 4000; i++) {
    const bits = hashOf(`10.0.0.7 ${i}`) ^ hashOf(`10.0.0.7 ${i + 1}`)
    for (let bit = 0; bit < 32; bit++) differing[bit] += (bits >>> bit) & 1
  }
  for (const count of differing) assert.ok(count > 1800 && count < 2200, String(differing)) // six standard deviations
})
