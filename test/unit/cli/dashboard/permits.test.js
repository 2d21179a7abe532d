// A permit is good once, for its action, and for a minute.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Permits } from '../../../../build/cli/dashboard/permits.js'

const action = { type: 'stop', service: 'web' }

test('gives the action back, once', () => {
  const permits = new Permits()
  const permit = permits.give(action)
  assert.equal(permits.take('another'), undefined)
  assert.equal(permits.take(permit), action)
  assert.equal(permits.take(permit), undefined)
})

test('is no good after a minute', () => {
  let now = 0
  const permits = new Permits(() => now)
  const [early, late] = [permits.give(action), permits.give(action)]
  now = 59_999
  assert.equal(permits.take(early), action)
  now = 60_000
  assert.equal(permits.take(late), undefined)
})

test('of too many the oldest goes', () => {
  const permits = new Permits()
  const all = Array.from({ length: 1000 }, () => permits.give(action))
  assert.equal(permits.take(all[0]), undefined)
  assert.equal(permits.take(all.at(-1)), action)
})
