// When a call is alone: the event loop is a fake, whose callbacks, microtasks and turns come when the test says so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoopTurns } from '../../../../build/runtime/adaptive/loop-turns.js'

const MAX_BLOCK_US = 1000
/** A call that takes so many microseconds here, and costs 3 of them if a worker has it. */
const call = (inlineUs) => ({ inlineUs, poolUs: 3 })

function fakeLoop() {
  const planned = { microtask: [], afterMicrotasks: [], nextTurn: [] }
  const plan = (kind) => (callback) => planned[kind].push(callback)
  const run = (kind) => planned[kind].splice(0).forEach((callback) => callback())
  const scheduler = {
    microtask: plan('microtask'),
    afterMicrotasks: plan('afterMicrotasks'),
    nextTurn: plan('nextTurn'),
  }
  return {
    turns: new LoopTurns(scheduler, MAX_BLOCK_US),
    microtasks: () => run('microtask'),
    /** The microtasks of the callback that has run are done. */
    endCallback() {
      run('microtask')
      run('afterMicrotasks')
    },
    endTurn() {
      this.endCallback()
      run('nextTurn')
    },
    planned,
  }
}

test('of calls that are made at once only the first is alone', () => {
  const loop = fakeLoop()
  assert.deepEqual([1, 2, 3].map(() => loop.turns.admits(call(50), 0)), [true, false, false]) // prettier-ignore
  loop.microtasks()
  assert.equal(loop.turns.admits(call(50), 0), true)
})

test('no call is alone while workers have calls', () => {
  const loop = fakeLoop()
  assert.equal(loop.turns.admits(call(50), 1), false)
  loop.endTurn()
  assert.equal(loop.turns.admits(call(50), 0), true)
})

test('of short calls that are made at once so many stay as would share a round trip', () => {
  const loop = fakeLoop()
  const admitted = Array.from({ length: 100 }, () => loop.turns.admits(call(8), 0))
  assert.equal(admitted.lastIndexOf(true), 15) // 80 us / 16 = 5 us
  loop.endTurn()
  assert.equal(loop.turns.admits(call(8), 15), true)
  loop.endTurn()
  assert.equal(loop.turns.admits(call(8), 16), false)
})

test('a chain of calls stays inline until the turn has had its share, and goes on in the next one', () => {
  const loop = fakeLoop()
  for (let round = 0; round < 20; round++) {
    let calls = 0
    while (loop.turns.admits(call(50), 0)) {
      loop.turns.used(50)
      loop.microtasks()
      calls++
    }
    assert.equal(calls, MAX_BLOCK_US / 50)
    loop.endTurn()
  }
})

test('calls from several callbacks of a turn, turn after turn, go to workers; and come back when that ends', () => {
  const loop = fakeLoop()
  const turn = (callbacks) => {
    const admitted = []
    for (let i = 0; i < callbacks; i++) {
      admitted.push(loop.turns.admits(call(20), 0))
      loop.endCallback()
    }
    loop.endTurn()
    return admitted
  }
  assert.deepEqual(turn(3), [true, true, true]) // once says nothing
  for (let i = 0; i < 10; i++) turn(3)
  assert.deepEqual(turn(3), [false, false, false])
  for (let i = 0; i < 10; i++) turn(1)
  assert.deepEqual(turn(1), [true])
})

test('calls that one callback makes, each after the one before, are those of one callback', () => {
  const loop = fakeLoop()
  for (let i = 0; i < 20; i++) {
    for (let i = 0; i < 5; i++) {
      assert.equal(loop.turns.admits(call(20), 0), true)
      loop.microtasks()
    }
    loop.endTurn()
  }
})

test('with less than two CPUs only the share of the turn counts', () => {
  const loop = fakeLoop()
  loop.turns.isParallel = false
  let calls = 0
  while (loop.turns.admits(call(50), 7)) {
    loop.turns.used(50)
    calls++
  }
  assert.equal(calls, MAX_BLOCK_US / 50)
})

test('one callback of each kind is planned at a time, and none while no calls come', () => {
  const loop = fakeLoop()
  for (let i = 0; i < 100; i++) loop.turns.admits(call(1), 0)
  const counts = () => Object.values(loop.planned).map(({ length }) => length)
  assert.deepEqual(counts(), [1, 0, 1])
  loop.endTurn()
  assert.deepEqual(counts(), [0, 0, 0])
})
