// Answers per second from few answers: the same wherever the measured time begins, also where several come at a time.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countOutcome, createTally, steadyRate } from '../../../../build/measure/load/tally.js'

/** Of connections that send their next request at once; `takes` gives how long each answer takes. */
function rateOf(connections, takes, span, outcome = 200) {
  const tally = createTally({ ...span })
  connections.forEach((begin, connection) => {
    for (let sent = begin; sent < span.to;) {
      const time = sent + takes(connection)
      countOutcome(tally, { due: sent, from: sent, sent }, time, [outcome])
      sent = time
    }
  })
  return steadyRate(tally, connections.length)
}

const span = (from, length) => ({ from, to: from + length })

describe('the rate of few answers', () => {
  test('is exact where each takes the same, wherever the span begins and ends, and however close they come', () => {
    for (const begins of [[0], [0, 100, 200, 300, 400, 500, 600], [0, 0, 0, 0, 5, 10, 30, 30]])
      for (let from = 700; from < 1400; from += 7)
        for (const length of [701, 1000, 1250]) {
          const rate = rateOf(begins, () => 700, span(from, length))
          assert.ok(Math.abs(rate - begins.length / 0.7) < 1e-9, `${rate}`)
        }
  })

  test('is right on average where some connections wait longer than others', () => {
    const rates = Array.from({ length: 300 }, (_, i) =>
      rateOf([0, 20, 40, 5], (connection) => (connection === 3 ? 400 : 200), span(700 + 3 * i, 1000)),
    )
    const mean = rates.reduce((sum, rate) => sum + rate) / rates.length
    assert.ok(Math.abs(mean - 17.5) < 0.5, `${mean}`)
  })

  test('is not told where one answer takes longer than all of the span, or answers differ much', () => {
    const takes = (slow) => (connection) => (connection === 3 ? slow : 100)
    for (const slow of [3000, 700]) assert.equal(rateOf([0, 30, 60, 5], takes(slow), span(800, 1000)), null)
  })

  test('is not told where there are many, none, or some without an answer', () => {
    assert.equal(
      rateOf([0, 1], () => 2, span(500, 300)),
      null,
    )
    assert.equal(
      rateOf([0], () => 2000, span(500, 1000)),
      null,
    )
    assert.equal(
      rateOf([0], () => 200, span(500, 800), 'reset'),
      null,
    )
  })
})
