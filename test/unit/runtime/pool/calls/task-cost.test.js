// The expected time of a call: from it follows how far ahead a worker gets work.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOOK_AHEAD_US, TaskCost } from '../../../../../build/runtime/pool/calls/task-cost.js'

const after = (...samples) => {
  const cost = new TaskCost()
  for (const us of samples) cost.record(us)
  return cost.expectedUs
}

test('a call of unknown length is taken to fill the whole look-ahead, so that it goes alone', () => {
  assert.equal(after(), LOOK_AHEAD_US)
})

test('the first sample replaces the guess, in both directions', () => {
  assert.equal(after(3), 3)
  assert.equal(after(50_000), 50_000)
})

test('equal samples leave the expectation where it is', () => {
  assert.equal(after(...Array(100).fill(20)), 20)
})

test('one pause among short calls hardly counts', () => {
  const cost = after(...Array(50).fill(10), 1_000_000)
  assert.ok(cost > 10 && cost < 15, `${cost} us`)
})

test('a lasting change gets through within a few dozen calls', () => {
  const longer = after(10, ...Array(60).fill(1000))
  assert.ok(longer > 800, `${longer} us`)
  const shorter = after(1000, ...Array(60).fill(10))
  assert.ok(shorter < 50, `${shorter} us`)
})

test('growth gets through even from an expectation of nothing', () => {
  assert.ok(after(0, ...Array(100).fill(1000)) > 500)
})
