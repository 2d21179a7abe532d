// When an instance that crashed is started again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_UNSTABLE, RestartPolicy, STABLE_MS } from '../../../../build/serve/service/restart-policy.js'

test('the first at once, then later and later, at most 15 s', () => {
  const policy = new RestartPolicy()
  const delays = Array.from({ length: 12 }, () => policy.delayAfter(null, 1))
  assert.deepEqual(delays, [0, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000, 15_000])
})

test('one that was stable starts the count anew', () => {
  const policy = new RestartPolicy()
  for (let i = 0; i < 5; i++) policy.delayAfter(STABLE_MS - 1, 0)
  assert.equal(policy.unstable, 5)
  assert.equal(policy.delayAfter(STABLE_MS, 0), 0)
  assert.equal(policy.unstable, 1)
})

test('after ten in a row it gives up where none serves, and a reset forgets them', () => {
  const policy = new RestartPolicy()
  for (let i = 1; i < MAX_UNSTABLE; i++) assert.notEqual(policy.delayAfter(null, 0), null)
  assert.notEqual(policy.delayAfter(null, 1), null, 'another one serves')
  assert.equal(policy.delayAfter(null, 0), null)
  policy.reset()
  assert.equal(policy.delayAfter(null, 0), 0)
})
