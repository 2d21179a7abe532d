// Answers per second from few answers: right for those that come evenly, and for those that come all at once.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countOutcome, createTally, steadyRate } from '../../../../build/measure/load/tally.js'

function tallyOf(times, span) {
  const tally = createTally({ ...span })
  for (const time of times) countOutcome(tally, { due: time, from: time, sent: time }, time, [200])
  return tally
}

const every = (ms, count, burst = 1) =>
  Array.from({ length: count * burst }, (_, i) => ms * (1 + Math.floor(i / burst)))

describe('the rate of few answers', () => {
  test('that come evenly is exact, wherever the span begins and ends', () => {
    for (let from = 500; from < 800; from += 7)
      for (const length of [300, 410, 999])
        assert.ok(Math.abs(steadyRate(tallyOf(every(200, 20), { from, to: from + length })) - 5) < 1e-9)
  })

  test('that come 16 at once is exact too', () => {
    for (let from = 700; from < 1400; from += 23)
      assert.ok(Math.abs(steadyRate(tallyOf(every(600, 5, 16), { from, to: from + 1300 })) - 16 / 0.6) < 1e-9)
  })

  test('from two servers, each evenly, is right on average', () => {
    const both = [...every(200, 40), ...every(200, 40).map((time) => time + 35)].sort((a, b) => a - b)
    const rates = Array.from({ length: 200 }, (_, i) =>
      steadyRate(tallyOf(both, { from: 500 + i, to: 1300 + i })),
    )
    const mean = rates.reduce((sum, rate) => sum + rate) / rates.length
    assert.ok(Math.abs(mean - 10) < 0.3, `${mean}`)
  })

  test('is not told where there are many, none before the span, or none within', () => {
    assert.equal(steadyRate(tallyOf(every(1, 1000), { from: 500, to: 800 })), null)
    assert.equal(steadyRate(tallyOf(every(200, 3), { from: 100, to: 500 })), null)
    assert.equal(steadyRate(tallyOf(every(200, 2), { from: 500, to: 800 })), null)
  })
})
