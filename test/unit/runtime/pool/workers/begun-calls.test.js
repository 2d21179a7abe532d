// Which calls of a worker surely have not begun: only those may be given to another one.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BegunCalls, lostWith } from '../../../../../build/runtime/pool/workers/begun-calls.js'

/** A call by message has the place in which its worker received it; one from the shared queue has its place there. */
const call = (id, { position = 0, isSent = true, hasStarted = false, isFork = false } = {}) => ({
  id,
  position,
  isSettled: false,
  options: { isFork },
  placement: { isSent, hasStarted },
})
const threads = (started) => ({ startedCalls: () => started })

describe('a call has surely not begun', () => {
  const begun = new BegunCalls(threads(1))
  const has = (each) => !begun.hasNotBegun(each)

  test('when it was sent behind all that the worker has counted', () => {
    assert.equal(has(call(-1, { position: 0 })), true)
    assert.equal(has(call(-2, { position: 1 })), false)
  })

  test('and never when the worker has taken it from the shared queue, and has told of it', () => {
    const none = new BegunCalls(threads(0))
    assert.equal(none.hasNotBegun(call(7, { position: 0, isSent: false })), false)
    assert.equal(none.hasNotBegun(call(8, { position: 5, isSent: false })), false)
  })

  test('also of one that was silent: those that it has told of are lost with it', () => {
    const told = call(7, { isSent: false })
    const behind = call(-2, { position: 1 })
    const running = new Map([told, behind].map((each) => [each.id, each]))
    const silent = new BegunCalls(threads(0))
    const lost = lostWith(
      { running, channel: threads(0), hasNotBegun: (each) => silent.hasNotBegun(each) },
      [],
    )
    assert.deepEqual(
      lost.map((each) => [each.call, each.mayHaveStarted]),
      [
        [told, true],
        [behind, false],
      ],
    )
  })
})
