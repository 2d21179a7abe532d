// When a worker wakes the main thread for its results.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAIN_ASLEEP, MAIN_AWAKE, MAIN_STATE } from '../../../dist/transport/queue-layout.js'
import { MainWaker } from '../../../dist/transport/wake-main.js'
import { nanoseconds } from '../../helpers/nanoseconds.js'

function create(t, { isAsleep = true } = {}) {
  const words = new Int32Array(64)
  words[MAIN_STATE] = isAsleep ? MAIN_ASLEEP : MAIN_AWAKE
  const posted = []
  const replies = { isRead: false }
  const clock = { now: 1000 }
  t.mock.method(process.hrtime, 'bigint', () => nanoseconds(clock.now))
  const waker = new MainWaker(words, { postMessage: (message) => posted.push(message) }, replies)
  return { words, posted, replies, clock, waker }
}

test('only one that sleeps, and once', (t) => {
  const { words, posted, waker } = create(t)
  waker.wake()
  waker.wake()
  assert.equal(posted.length, 1)
  assert.equal(words[MAIN_STATE], MAIN_AWAKE)
})

test('later, while much work is left, but within a millisecond', (t) => {
  const { posted, clock, waker } = create(t)
  waker.wakeLater(() => 5)
  assert.deepEqual([posted.length, waker.isBehind], [0, true])
  clock.now += 0.9
  waker.wakeLater(() => 5)
  assert.equal(posted.length, 0)
  clock.now += 0.1
  waker.wakeLater(() => 5)
  assert.deepEqual([posted.length, waker.isBehind], [1, false])
})

test('at once where little work is left', (t) => {
  const { posted, waker } = create(t)
  waker.wakeLater(() => 0.05)
  assert.deepEqual([posted.length, waker.isBehind], [1, false])
})

test('the time counts from the first result that main has not read', (t) => {
  const { posted, replies, clock, waker } = create(t)
  waker.wakeLater(() => 5)
  clock.now += 2
  replies.isRead = true
  waker.wakeLater(() => 5)
  assert.equal(posted.length, 0)
})

test('nothing is behind once main is awake by itself', (t) => {
  const { words, posted, waker } = create(t)
  waker.wakeLater(() => 5)
  words[MAIN_STATE] = MAIN_AWAKE
  waker.wakeLater(() => 5)
  assert.deepEqual([posted.length, waker.isBehind], [0, false])
})
