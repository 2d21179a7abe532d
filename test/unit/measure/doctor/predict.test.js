// What moving a task would gain, and when that cannot be told.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { predictMove } from '../../../../build/measure/doctor/predict.js'

const quiet = { busy: 0.36, busyProfiled: 0.36, profiledSeconds: 5, requestsPerSecond: 40, waited: 0.01, others: 0.02 } // prettier-ignore
const row = { name: 'render', task: { name: 'render' }, callMs: 4, callsPerSecond: 40 }
const predicted = (windows = {}, change = {}, apart = 0.1) =>
  predictMove({ ...row, ...change }, apart && { together: 0, apart }, { ...quiet, ...windows })

describe('a prediction', () => {
  test('is what the calls take, less what the way to a thread takes', () => {
    const { task, busyNow, busyThen } = predicted()
    assert.deepEqual([task, busyNow], ['render', 0.36])
    const exact = 0.36 - (40 * (4 - 0.1)) / 1000
    assert.ok(busyThen.low < exact && exact < busyThen.high, JSON.stringify(busyThen))
    assert.ok(busyThen.high - busyThen.low < 0.08, JSON.stringify(busyThen))
  })

  test('allows for calls that a request makes at once, since the loop wakes for one of them', () => {
    const [one, four] = [40, 10].map((requestsPerSecond) => predicted({ requestsPerSecond }, {}, 1).busyThen)
    assert.ok(four.low < one.low, JSON.stringify([one, four]))
    assert.equal(four.high, one.high)
  })

  test('takes out by how much the profiler slowed the app', () => {
    const slowed = predicted({ busyProfiled: 0.45 }, { callMs: 5 })
    assert.ok(Math.abs(slowed.busyThen.low - predicted().busyThen.low) < 1e-9)
  })

  test('is never below nothing, nor above now', () => {
    assert.equal(predicted({}, { callsPerSecond: 4000 }).busyThen.low, 0)
    assert.equal(predicted({}, { callMs: 0.1 }, 1).busyThen.high, 0.36)
  })

  for (const [why, windows, change, wayMs] of [
    [/others used 20 % of the CPUs/, { others: 0.2 }],
    [/waited 19 % of the time for a CPU/, { waited: 0.19 }],
    [/50 calls were profiled, and 100 are needed/, {}, { callsPerSecond: 10 }],
    [/busy 36 % of the time, and 72 % while it was profiled/, { busyProfiled: 0.72 }],
    [/could not be measured/, {}, {}, null],
  ])
    test(`is none where ${why.source}`, () => {
      const { busyThen, cannotTell } = predicted(windows, change, wayMs)
      assert.equal(busyThen, null)
      assert.match(cannotTell, why)
    })

  test('is made where nobody knows what others used', () => {
    assert.equal(predicted({ others: null }).cannotTell, null)
  })
})
