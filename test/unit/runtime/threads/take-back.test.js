// What a worker that is being ended has not begun goes to others at once.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { takeBack } from '../../../../build/runtime/threads/take-back.js'

const call = (id, { position = 0, isSent = true, isFork = false, isSettled = false } = {}) => ({
  id,
  position,
  isSettled,
  options: { isFork },
  placement: { isSent },
})

const ENDING = 2 // as call-counters.ts has it

/** What is given back, and what stays, of a worker that has counted so many. */
function given(calls, started) {
  const running = new Map(calls.map((each) => [each.id, each]))
  const log = []
  const load = { release: ({ id }) => log.push(`release ${id}`) }
  let told = []
  const events = { onLost: (_, held) => (told = held), onChange: () => log.push('change') }
  const counters = new Int32Array(3)
  const channel = { startedCalls: () => (log.push(`reads at ${counters[ENDING]}`), started) }
  takeBack(counters, { channel, running, load }, { remove: () => false }, events)
  assert.ok(told.every(({ mayHaveStarted }) => !mayHaveStarted))
  return { told: told.map((each) => each.call.id), stays: [...running.keys()], log }
}

const calls = [
  call(-1, { position: 0 }),
  call(-2, { position: 1 }),
  call(-3, { position: 2, isFork: true }),
  call(-4, { position: -1 }), // not sent yet
  call(-5, { position: 3, isSettled: true }),
  call(9, { isSent: false }),
]

describe('what a worker that is being ended has not begun', () => {
  test('is what it has not counted, once it is told to begin no more', () => {
    const { told, stays, log } = given(calls, 1)
    assert.deepEqual([told, stays], [[-2, -4], [-1, -3, -5, 9]]) // prettier-ignore
    assert.equal(log[0], 'reads at 1', 'it was told before')
    assert.deepEqual(log.slice(-3), ['release -2', 'release -4', 'change'])
  })

  test('is nothing where it has begun all', () =>
    assert.deepEqual(given([call(-1, { position: 0 })], 1).log.slice(-1), ['reads at 1']))
})
