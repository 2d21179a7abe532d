// Several signals of one asking are no second one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAsked } from '../../../../build/cli/terminal/asked-to-end.js'

/** What each signal of [milliseconds, name] means. */
function meanings(...signals) {
  let now = 1000
  const asked = createAsked(() => now)
  return signals.map(([ms, signal]) => {
    now = 1000 + ms
    return asked(signal)
  })
}

test('signals that come together are one asking, whichever they are', () => {
  assert.deepEqual(meanings([0, 'SIGTERM'], [1, 'SIGTERM'], [20, 'SIGINT'], [499, 'SIGTERM']), [
    'first',
    'same',
    'same',
    'same',
  ])
})

test('one that comes later counts, also where it follows others soon', () => {
  assert.deepEqual(meanings([0, 'SIGINT'], [400, 'SIGINT'], [700, 'SIGINT']), ['first', 'same', 'again'])
  assert.deepEqual(meanings([0, 'SIGTERM'], [60_000, 'SIGTERM']), ['first', 'again'])
})

test('a terminal that is closed ends nothing at once, however late the second SIGHUP comes', () => {
  assert.deepEqual(meanings([0, 'SIGHUP'], [9000, 'SIGHUP'], [9001, 'SIGTERM']), ['first', 'same', 'again'])
})
