// What samples of a profile stand for, on profiles whose right answer is known.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { selfTimes } from '../../../../../build/measure/doctor/profile/sample-times.js'

const IDLE = 1
const nodes = ['(idle)', 'first', 'second'].map((functionName, at) => ({ id: at + 1, callFrame: { functionName } })) // prettier-ignore
const [FIRST, SECOND] = [2, 3]

/** `seen`: pairs of a node and the microseconds since the sample before it. */
function timesOf(seen) {
  const timeDeltas = seen.map(([, us]) => us)
  const endTime = timeDeltas.reduce((sum, us) => sum + us, 0)
  return selfTimes({ nodes, samples: seen.map(([id]) => id), timeDeltas, startTime: 0, endTime })
}

describe('the time of samples', () => {
  test('is not that for which the app had no CPU', () => {
    const turn = [[FIRST, 1000], [FIRST, 1000], [SECOND, 1000], [SECOND, 1000], [IDLE, 1000]] // prettier-ignore
    const seen = Array(50).fill(turn).flat()
    seen[24] = [SECOND, 60_000]
    const times = timesOf(seen)
    assert.ok(Math.abs(times.get(FIRST) / times.get(SECOND) - 1) < 0.05, String([...times]))
    const busyUs = times.get(FIRST) + times.get(SECOND)
    assert.ok(busyUs > 200_000 && busyUs < 280_000, 'all of it is still time in which the loop did not wait')
  })

  test('of no samples is none', () => {
    assert.equal(timesOf([]).size, 0)
  })
})
