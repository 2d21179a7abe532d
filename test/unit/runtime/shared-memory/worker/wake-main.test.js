// When a worker wakes the main thread for its results.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CPUS,
  NEXT_POLL_AT,
  MAIN_ASLEEP,
  MAIN_AWAKE,
  MAIN_STATE,
} from '../../../../../build/runtime/shared-memory/layout/queue-layout.js'
import { MainWaker } from '../../../../../build/runtime/shared-memory/worker/wake-main.js'
import { nanoseconds } from '../../../../helpers/nanoseconds.js'

/** `lookIn`: milliseconds until main looks by itself. */
function create(t, { isAsleep = true, workers = 1, cpus = 0, lookIn = 5 } = {}) {
  const words = new Int32Array(64)
  words[MAIN_STATE] = isAsleep ? MAIN_ASLEEP : MAIN_AWAKE
  words[CPUS] = cpus
  const posted = []
  const replies = { isRead: false, isFilling: false }
  const clock = { now: 2 ** 33 + 1000 }
  words[NEXT_POLL_AT] = clock.now + lookIn
  t.mock.method(process.hrtime, 'bigint', () => nanoseconds(clock.now))
  const waker = new MainWaker(words, { postMessage: (message) => posted.push(message) }, replies, workers)
  return { words, posted, replies, clock, waker }
}

test('only one that sleeps, and once', (t) => {
  const { words, posted, waker } = create(t)
  waker.wake()
  waker.wake()
  assert.equal(posted.length, 1)
  assert.equal(words[MAIN_STATE], MAIN_AWAKE)
})

test('later, while work is left: for as long as that takes those who run on, but 1 to 5 ms', (t) => {
  for (const [leftMs, delayMs, workers] of [
    [0.5, 1, 1],
    [1.5, 1.5, 1],
    [4, 4, 2],
    [50, 5, 1],
    [12, 4, 4],
  ]) {
    const { posted, clock, waker } = create(t, { workers, cpus: workers })
    waker.wakeLater(() => leftMs)
    assert.deepEqual([posted.length, waker.isBehind], [0, true])
    clock.now += delayMs - 0.1
    waker.wakeLater(() => leftMs)
    assert.equal(posted.length, 0)
    clock.now += 0.1
    waker.wakeLater(() => leftMs)
    assert.deepEqual([posted.length, waker.isBehind], [1, false])
  }
})

test('at once where little work is left', (t) => {
  const { posted, waker } = create(t)
  waker.wakeLater(() => 0.05)
  assert.deepEqual([posted.length, waker.isBehind], [1, false])
})

test('at once where main looks rarely: the next call may be long against all experience', (t) => {
  const wakes = (lookIn) => {
    const { posted, waker } = create(t, { lookIn })
    waker.wakeLater(() => 5)
    return posted.length === 1
  }
  assert.deepEqual([-6, -5, 0, 5, 6, 160].map(wakes), [true, false, false, false, true, true])
})

test('at once where there may be no room for more results before long', (t) => {
  const { posted, replies, waker } = create(t)
  waker.wakeLater(() => 5)
  replies.isFilling = true
  waker.wakeLater(() => 5)
  assert.equal(posted.length, 1)
})

test('of the work that is left only those need some who run on while main does', (t) => {
  const needed = (workers, cpus) => {
    const isPutOff = (ms) => {
      const { posted, waker } = create(t, { workers, cpus })
      waker.wakeLater(() => ms)
      return posted.length === 0
    }
    return [0, 0.05, 0.15, 0.25, 0.35].find(isPutOff)
  }
  assert.deepEqual([needed(1, 0), needed(2, 0), needed(3, 0)], [0.15, 0.15, 0.25]) // nobody knows yet how many CPUs there are
  assert.deepEqual([needed(1, 1), needed(2, 1)], [0.15, 0.15])
  assert.deepEqual([needed(1, 2), needed(2, 2), needed(3, 2)], [0.15, 0.15, 0.15]) // two of three run
  assert.deepEqual([needed(2, 3), needed(3, 4), needed(3, 8)], [0.25, 0.35, 0.35])
})

test('the time counts from the first result that main has not read', (t) => {
  const { posted, replies, clock, waker } = create(t)
  waker.wakeLater(() => 5)
  clock.now += 6
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
