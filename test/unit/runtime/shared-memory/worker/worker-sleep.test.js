// What an idle worker does before it sleeps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SPIN_US } from '../../../../../build/runtime/shared-memory/layout/queue-layout.js'
import {
  createQueueMemory,
  queueViews,
} from '../../../../../build/runtime/shared-memory/layout/queue-memory.js'
import * as own from '../../../../../build/runtime/shared-memory/layout/worker-layout.js'
import {
  createWorkerMemory,
  workerViews,
} from '../../../../../build/runtime/shared-memory/layout/worker-memory.js'
import { WorkerSleep } from '../../../../../build/runtime/shared-memory/worker/worker-sleep.js'

/** Rests, and finds work at the first look: returns what the worker said it was doing by then. `prefer`: after what. */
function sleeper(prefer = (sleep) => sleep.preferSpinning()) {
  const queue = queueViews(createQueueMemory()).control
  queue[SPIN_US] = 1000
  const { control } = workerViews(createWorkerMemory())
  let looked
  const hasWork = () => {
    looked ??= Atomics.load(control, own.STATE)
    return true
  }
  const sleep = new WorkerSleep({ queue, own: control, index: 0, hasWork })
  return () => {
    looked = undefined
    prefer(sleep)
    assert.equal(sleep.rest(true, own.IN_LOOP), true)
    return looked
  }
}

function pass(ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('it does not spin for the first call, nor for calls that come rarely', () => {
  const rest = sleeper()
  assert.equal(rest(), own.IN_LOOP)
  pass(1)
  assert.equal(rest(), own.IN_LOOP)
})

test('it sleeps in the futex for the first calls that come rarely, and then in its event loop', () => {
  const rest = sleeper()
  const spins = () => rest() === own.SPINNING
  while (!spins());
  const states = Array.from({ length: 70 }, () => {
    pass(0.6)
    return rest()
  })
  assert.deepEqual(states.slice(0, 64), Array(64).fill(own.IN_FUTEX))
  assert.deepEqual(states.slice(64), Array(6).fill(own.IN_LOOP))
})

for (const [what, prefer] of Object.entries({
  calls: undefined,
  messages: (sleep) => sleep.preferLoop(),
})) {
  test(`it spins when ${what} follow each other`, () => {
    const rest = sleeper(prefer)
    rest()
    // More than once, since this process may be held up between two of them.
    const states = Array.from({ length: 1000 }, rest)
    assert.ok(states.includes(own.SPINNING))
  })
}

test('after a message it sleeps in its event loop, after a call from the queue in the futex first', () => {
  const prefer = { now: (sleep) => sleep.preferSpinning() }
  const rest = sleeper((sleep) => prefer.now(sleep))
  while (rest() !== own.SPINNING);
  pass(1)
  assert.equal(rest(), own.IN_FUTEX)
  prefer.now = (sleep) => sleep.preferLoop()
  pass(1)
  assert.equal(rest(), own.IN_LOOP)
})
