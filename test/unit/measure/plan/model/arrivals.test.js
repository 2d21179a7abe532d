// When the requests of the model come.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createArrivals, cycleSeconds, meanRate } from '../../../../../build/measure/plan/model/arrivals.js'
import { createRandom } from '../../../../../build/measure/stats/random.js'

const times = (stream, count) => {
  const next = createArrivals({ share: 1, random: createRandom(7), ...stream })
  return Array.from({ length: count }, () => next())
}
const near = (actual, expected, share) => assert.ok(Math.abs(actual / expected - 1) <= share, `${actual} instead of ${expected}`) // prettier-ignore

describe('arrivals', () => {
  test('are independent at random times', () => {
    const list = times({ arrivals: { kind: 'poisson' }, rate: 100 }, 50_000)
    const gaps = list.slice(1).map((time, index) => time - list[index])
    const mean = gaps.reduce((a, b) => a + b) / gaps.length
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length
    near(mean, 10, 0.02)
    near(Math.sqrt(variance), 10, 0.03)
  })

  test('come at even times', () => {
    assert.deepEqual(times({ arrivals: { kind: 'even' }, rate: 100 }, 4), [0, 10, 20, 30])
  })

  test('come in bursts, which the mean rate contains', () => {
    const arrivals = { kind: 'burst', factor: 3, seconds: 10 }
    assert.equal(cycleSeconds(10), 60)
    assert.equal(meanRate(arrivals, 60), 80)
    const list = times({ arrivals, rate: 60 }, 48_000)
    near(list.at(-1), 600_000, 0.03)
    const inBurst = list.filter((time) => time % 60_000 >= 50_000).length
    near(inBurst / list.length, 30 / 80, 0.03)
  })

  test('begin within a cycle, or a file, where they are told to', () => {
    const burst = { arrivals: { kind: 'burst', factor: 9, seconds: 10 }, rate: 10, from: 0.99 }
    assert.ok(times(burst, 10)[9] < 300, 'the end of a burst')
    const file = { kind: 'file', file: 'x', times: [0, 900, 910, 920] }
    assert.deepEqual(times({ arrivals: file, rate: (4 / 1226.6666666666667) * 1000, from: 0.25 }, 3).map(Math.round), [0, 10, 20]) // prettier-ignore
  })

  test('are those of a file, again and again, at the rate that is wanted', () => {
    const arrivals = { kind: 'file', file: 'x', times: [0, 10, 20, 30] }
    assert.deepEqual(times({ arrivals, rate: 200 }, 6).map(Math.round), [0, 5, 10, 15, 20, 25])
  })

  for (const kind of ['poisson', 'even', 'burst', 'file'])
    test(`split at random among containers (${kind})`, () => {
      const arrivals = { kind, factor: 2, seconds: 5, file: 'x', times: [0, 3, 50] }
      const list = times({ arrivals, rate: 100, share: 0.25 }, 20_000)
      near((1000 * list.length) / list.at(-1), meanRate(arrivals, 100) / 4, 0.03)
    })
})
