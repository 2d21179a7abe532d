// When the generator calls itself the bottleneck.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ownFault, whyLimited } from '../../../../build/measure/load/generator.js'
import { Histogram } from '../../../../build/primitives/histogram.js'

/** 1000 sends of which `late` were late by `ms`. */
function delays(late, ms) {
  const sendDelays = new Histogram()
  for (let i = 0; i < 1000; i++) sendDelays.record(i < late ? ms : 0.5)
  return sendDelays
}

describe('the generator was the bottleneck', () => {
  test('above 0.8 of a core', () => {
    assert.match(
      whyLimited({ cpu: 0.85, seconds: 1, sendDelays: delays(0, 0), p99Ms: 5 }),
      /^it used 85 % of one core$/,
    )
  })
  test('when more than 1 % of the requests were sent late', () => {
    const reason = whyLimited({ cpu: 0.2, sendDelays: delays(15, 50), p99Ms: 60 })
    assert.equal(reason, 'it sent 1.5 % of the requests more than 20 ms late')
  })
})

describe('it was not', () => {
  const fine = {
    'in less than a second, which is mostly its start': {
      cpu: 1,
      seconds: 0.9,
      sendDelays: delays(0, 0),
      p99Ms: 5,
    },
    'at 0.8 of a core': { cpu: 0.8, sendDelays: delays(0, 0), p99Ms: 5 },
    'when few requests were late': { cpu: 0.2, sendDelays: delays(9, 500), p99Ms: 60 },
    'when they were late by little': { cpu: 0.2, sendDelays: delays(500, 15), p99Ms: 30 },
    'when the answers took far longer than that': { cpu: 0.2, sendDelays: delays(100, 50), p99Ms: 2000 },
    'in a closed loop, which sends nothing late': { cpu: 0.2, sendDelays: new Histogram(), p99Ms: 5 },
  }
  for (const [title, figures] of Object.entries(fine)) test(title, () => assert.equal(whyLimited(figures), null)) // prettier-ignore
})

test('a limit of this machine is not the fault of the server', () => {
  assert.match(ownFault('connect EMFILE 127.0.0.1:80'), /descriptors/)
  assert.match(ownFault('connect EADDRNOTAVAIL 127.0.0.1:80'), /ports/)
  assert.deepEqual([ownFault(undefined), ownFault('connect ECONNREFUSED 127.0.0.1:80')], [null, null])
})
