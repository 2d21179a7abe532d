import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SpinPolicy } from '../../../../../build/runtime/shared-memory/main/main-sleep.js'

/** With a clock that goes on by `stepMs` each time it is read. */
function create({ spinUs = 50, stepMs = 0 } = {}) {
  const state = { now: 1000, replies: false }
  const look = new SpinPolicy(
    () => state.replies,
    () => (state.now += stepMs),
  )
  look.spinUs = spinUs
  return Object.assign(state, { look })
}

/** A rare call to a sleeper that is answered after `ms`; returns whether main looked, and whether it saw the answer. */
function rareCall(state, ms) {
  state.now += 10
  if (!state.look.begin(true, true)) return 'asleep'
  state.look.restart()
  for (const end = state.now + ms; state.now < end;) {
    state.now += 0.01
    if (!state.look.goesOn(true)) return 'in vain'
  }
  state.look.onReplies()
  return 'seen'
}

test('rare calls that are answered soon are looked for, each time', () => {
  const state = create()
  for (let i = 0; i < 20; i++) assert.equal(rareCall(state, 0.06), 'seen')
})

test('after a look in vain main sleeps at once, for ever more calls', () => {
  const state = create()
  const outcomes = Array.from({ length: 1000 }, () => rareCall(state, 5))
  const vain = outcomes.flatMap((outcome, i) => (outcome === 'in vain' ? [i] : []))
  assert.deepEqual(vain, [0, 3, 8, 17, 34, 67, 132, 261, 390, 519, 648, 777, 906])
  assert.ok(!outcomes.includes('seen'))
})

test('one that was seen ends the pause', () => {
  const state = create()
  for (let i = 0; i < 100; i++) rareCall(state, 5)
  let calls = 0
  while (rareCall(state, 0.06) !== 'seen') calls++
  assert.ok(calls < 130)
  for (let i = 0; i < 20; i++) assert.equal(rareCall(state, 0.06), 'seen')
  assert.equal(rareCall(state, 5), 'in vain')
  for (let i = 0; i < 2; i++) assert.equal(rareCall(state, 0.06), 'asleep')
})

test('there is no look without a CPU for it, and none where spinning is off', () => {
  const state = create()
  state.now += 10
  assert.equal(state.look.begin(true, false), false)
  assert.equal(rareCall(create({ spinUs: 0 }), 0.06), 'asleep')
})

test('a look ends, and not in vain, when further calls need the CPU', () => {
  const state = create()
  state.now += 10
  assert.equal(state.look.begin(true, true), true)
  assert.equal(state.look.goesOn(true), true)
  assert.equal(state.look.goesOn(false), false)
  assert.equal(rareCall(state, 0.06), 'seen')
})

test('calls to workers that are awake, and brisk ones, are looked for in a turn', () => {
  const { look } = create()
  assert.equal(look.begin(false, false), true)
  assert.equal(look.begin(true, false), true, 'the last call was a moment ago')
})

test('a brisk exchange is waited for once, as long as a CPU is free and no longer than it may take', () => {
  const state = create({ stepMs: 0.01 })
  const { look } = state
  look.begin(false, true)
  look.begin(false, true)
  look.restart()
  const before = state.now
  assert.equal(look.goesOn(true), false)
  assert.ok(state.now - before < 0.1)
  assert.equal(look.goesOn(true), false, 'a second turn does not wait')
  look.restart()
  assert.equal(look.goesOn(false), false, 'no CPU is free')
  look.restart()
  state.replies = true
  assert.equal(look.goesOn(true), true)
})
