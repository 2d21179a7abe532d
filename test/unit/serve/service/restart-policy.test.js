// When an instance that crashed is started again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDone, RestartPolicy } from '../../../../build/serve/service/restart-policy.js'

const [STABLE_MS, MAX_UNSTABLE] = [10_000, 10]
const settings = { restartDelayMs: null, maxRestarts: MAX_UNSTABLE, minUptimeMs: STABLE_MS }

test('the first at once, then later and later, at most 15 s', () => {
  const policy = new RestartPolicy(settings)
  const delays = Array.from({ length: 12 }, () => policy.delayAfter(null, 1))
  assert.deepEqual(delays, [0, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000, 15_000])
})

test('one that was stable starts the count anew', () => {
  const policy = new RestartPolicy(settings)
  for (let i = 0; i < 5; i++) policy.delayAfter(STABLE_MS - 1, 0)
  assert.equal(policy.unstable, 5)
  assert.equal(policy.delayAfter(STABLE_MS, 0), 0)
  assert.equal(policy.unstable, 1)
})

test('after ten in a row it gives up where none serves, and a reset forgets them', () => {
  const policy = new RestartPolicy(settings)
  for (let i = 1; i < MAX_UNSTABLE; i++) assert.notEqual(policy.delayAfter(null, 0), null)
  assert.notEqual(policy.delayAfter(null, 1), null, 'another one serves')
  assert.equal(policy.delayAfter(null, 0), null)
  policy.reset()
  assert.equal(policy.delayAfter(null, 0), 0)
})

test('a delay of its own, and no end', () => {
  const policy = new RestartPolicy({ ...settings, restartDelayMs: 50, maxRestarts: Infinity })
  const delays = Array.from({ length: 100 }, () => policy.delayAfter(null, 0))
  assert.deepEqual([...new Set(delays)], [50])
})

test('which exit codes say that it is done', () => {
  const done = (restart, stopExitCodes, code) => isDone(code, { restart, stopExitCodes })
  assert.deepEqual([done('always', [], 0), done('on-failure', [], 0), done('on-failure', [], 1), done('never', [], 0)], [false, true, false, true]) // prettier-ignore
  assert.deepEqual([done('always', [3], 3), done('always', [0], 0), done('never', [], null)], [true, true, false]) // prettier-ignore
})
