// Why a job has failed: readable, and whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failedReason, readFailedReason } from '../../../../build/runtime/queue/failed-reason.js'

test('begins with a line for people, and gives back what was thrown', () => {
  const error = Object.assign(new RangeError('too large', { cause: new TypeError('deep') }), {
    code: 'E_LARGE',
  })
  const reason = failedReason(error)
  assert.match(reason, /^RangeError: too large \[E_LARGE\]\nthreadwise:/)
  const back = readFailedReason(reason)
  assert.ok(back instanceof RangeError && back.cause instanceof TypeError)
  for (const thrown of [undefined, null, 'text', 5, { a: [1] }])
    assert.deepEqual(readFailedReason(failedReason(thrown)), thrown)
  assert.match(readFailedReason(failedReason(() => 1)), /=>/)
})

test('of what nobody here has written is an error with that text', () => {
  assert.equal(readFailedReason('failed by hand').message, 'failed by hand')
  const damaged = readFailedReason(`${failedReason(new Error('x')).slice(0, -9)}AAAA`)
  assert.ok(damaged instanceof Error)
})
