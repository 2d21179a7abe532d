import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { readThrottling } from '../../../build/cpu/throttling.js'

const recorded = (name) => readThrottling(path.join(import.meta.dirname, '../../fixtures/cpu', name))

test('cgroup v2 counts microseconds, reported as milliseconds', () => {
  assert.deepEqual(recorded('v2-fraction'), { periods: 28, throttledPeriods: 27, throttledMs: 1948.206 })
})

test('cgroup v1 counts nanoseconds, reported as milliseconds', () => {
  assert.deepEqual(recorded('v1-docker'), { periods: 1200, throttledPeriods: 300, throttledMs: 15000.5 })
})

test('the counters are those of the tightest level, inner or outer', () => {
  assert.equal(recorded('v2-nested').periods, 40)
  assert.equal(recorded('v2-outer-tighter').throttledPeriods, 20)
})

test('nothing is reported where there is no quota', () => {
  assert.equal(recorded('no-limit'), null)
  assert.equal(recorded('no-proc'), null)
})

test('nothing is reported where the counters are missing or malformed', () => {
  assert.equal(recorded('quota-above-machine'), null)
  assert.equal(recorded('malformed-cpu-max'), null)
})
