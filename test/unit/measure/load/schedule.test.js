// When requests are due.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSchedule } from '../../../../build/measure/load/schedule.js'
import { createRandom } from '../../../../build/measure/stats/random.js'

function all(options) {
  const schedule = createSchedule(options)
  const times = []
  for (; schedule.next !== Infinity; schedule.advance()) times.push(schedule.next)
  return times
}

describe('a constant rate', () => {
  test('spaces the requests evenly, from the start to before the end', () => {
    assert.deepEqual(all({ rate: 4, isPoisson: false, endMs: 1000 }), [0, 250, 500, 750])
  })

  for (const rate of [0.3, 3, 7, 300, 999, 12_345]) {
    test(`${rate}/s gives the right number within 10 s, and does not drift`, () => {
      const times = all({ rate, isPoisson: false, endMs: 10_000 })
      assert.equal(times.length, Math.ceil(rate * 10))
      assert.equal(times.at(-1), ((times.length - 1) * 1000) / rate)
    })
  }
})

describe('a Poisson process', () => {
  const random = createRandom(7)
  const times = all({ rate: 1000, isPoisson: true, endMs: 20_000, random })
  const gaps = times.slice(1).map((time, index) => time - times[index])
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length

  test('has the rate', () => assert.ok(Math.abs(times.length - 20_000) < 4 * Math.sqrt(20_000), times.length))
  test('has gaps that vary as much as they are long', () => {
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length)
    assert.ok(Math.abs(deviation / mean - 1) < 0.05, `${deviation} / ${mean}`)
  })
  test('has no request at time zero by rule, none before it, and none at the end or later', () => {
    assert.ok(times[0] > 0 && times.at(-1) < 20_000)
    assert.ok(gaps.every((gap) => gap >= 0))
  })
})
