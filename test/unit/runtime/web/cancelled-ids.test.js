// Calls that are cancelled, as a worker sees it in shared memory: only where their messages cannot come, which have the reasons.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteCancelled, watchCancelled } from '../../../../build/runtime/web/cancelled-ids.js'

/** A worker with a clock and turns of the loop of its own. */
function createWorker() {
  const words = new Int32Array(new SharedArrayBuffer(4 * 65))
  const cancelled = []
  const turns = []
  let ms = 0
  const poll = watchCancelled(words, (id) => cancelled.push(id), {
    now: () => ms,
    nextTurn: (callback) => turns.push(callback),
  })
  return {
    poll,
    cancel: (id) => noteCancelled(words, id),
    /** What is cancelled by the memory, after so many milliseconds in which the task polls. */
    holds(howLong) {
      for (const end = ms + howLong; ms < end; ms++) poll()
      poll()
      return cancelled.splice(0)
    },
    turn: () => turns.splice(0).forEach((callback) => callback()),
  }
}

test('a task that holds the thread sees it within some milliseconds, each once', () => {
  const worker = createWorker()
  assert.deepEqual(worker.holds(100), [])
  worker.cancel(7)
  assert.deepEqual(worker.holds(5), [])
  worker.cancel(8)
  assert.deepEqual(worker.holds(20), [7, 8])
  assert.deepEqual(worker.holds(100), [])
  worker.cancel(9)
  assert.deepEqual(worker.holds(25), [9])
})

test('a task that lets the loop turn gets the message, and its reason', () => {
  const worker = createWorker()
  worker.cancel(7)
  for (let i = 0; i < 500; i++) {
    assert.deepEqual(worker.holds(5), [])
    worker.turn()
  }
  assert.deepEqual(worker.holds(100), [], 'its message came long ago')
  worker.cancel(8)
  assert.deepEqual(worker.holds(25), [8])
})

test('many that come while it holds the thread do not put it off', () => {
  const worker = createWorker()
  const seen = []
  for (let id = 1; id <= 60; id++) {
    worker.cancel(id)
    seen.push(...worker.holds(1))
  }
  assert.ok(seen.length >= 20, String(seen.length))
})
