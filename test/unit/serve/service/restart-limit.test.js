// When an instance that ended is replaced.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST_UNSTABLE, RestartLimit, STABLE_MS } from '../../../../dist/serve/service/restart-limit.js'

test('the first at once, then later and later, at most 15 s', () => {
  const limit = new RestartLimit()
  const delays = Array.from({ length: 12 }, () => limit.ended(null))
  assert.deepEqual(delays, [0, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000, 15_000])
})

test('one that was stable starts the count anew', () => {
  const limit = new RestartLimit()
  for (let i = 0; i < 5; i++) limit.ended(STABLE_MS - 1)
  assert.equal(limit.unstable, 5)
  assert.equal(limit.ended(STABLE_MS), 0)
  assert.equal(limit.unstable, 1)
})

test('the limit is reached after ten in a row, and a reset forgets them', () => {
  const limit = new RestartLimit()
  for (let i = 1; i < MOST_UNSTABLE; i++) limit.ended(null)
  assert.equal(limit.isReached, false)
  limit.ended(null)
  assert.equal(limit.isReached, true)
  limit.reset()
  assert.equal(limit.isReached, false)
})
