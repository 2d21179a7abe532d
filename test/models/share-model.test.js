// How calls that wait on promises are shared out, in all interleavings: none is left by everybody, and no worker takes a second one that a
// free worker is there for. The model is in share-model.js.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findTrap } from './explore.js'
import { shareModel } from './share-model.js'

const isDone = ({ settled }) => settled.every((count) => count === 1)

function wrongIn({ most = 1024 }) {
  return ({ main, settled, w }) => {
    if (main.pc.startsWith('wrong')) return main.pc
    if (settled.some((count) => count > 1)) return 'a call was settled twice'
    // In its event loop a worker has told what others and main go by.
    const loadOf = ({ waiting }) => (waiting.length < most ? waiting.length + 1 : 0)
    const isUntold = w.some((each) => each.pc === 'loop' && !each.isDead && each.load !== loadOf(each))
    return isUntold ? 'a load is wrong' : undefined
  }
}

function check(system) {
  return findTrap(shareModel(system), isDone, wrongIn(system))
}

function assertAllTaken(system) {
  const { states, goods, violation, state, trap } = check(system)
  assert.equal(violation, undefined, JSON.stringify(state))
  assert.equal(trap, undefined, JSON.stringify(trap))
  assert.ok(goods > 0 && states > 20, `${states} states`)
}

/** Without any timer: neither that of a worker that has left calls to others, nor main's look. */
const UNTIMED = { timers: false, looks: false }
/** A worker with three calls leaves the next ones to one that has another, which is about to keep its thread. */
const KEPT = { held: [3, 1], turning: [1] }

describe('calls are taken without any clock, also those that need each other', () => {
  const systems = [
    { kinds: ['waits'] },
    { kinds: ['waits', 'waits'] },
    { kinds: ['waits', 'waits'], awake: [0] },
    { kinds: ['blocks', 'blocks'] },
    { kinds: ['blocks', 'waits'], awake: [1] },
    { kinds: ['turns', 'turns'] },
    { kinds: ['waits', 'short'] },
    { kinds: ['waits'], workers: 3, held: [2, 1, 0] },
    { kinds: ['waits', 'waits'], held: [1, 1] },
    { kinds: ['waits', 'waits'], held: [2, 0] },
    { kinds: ['waits', 'waits'], most: 1 },
    { kinds: ['waits', 'waits'], deaths: 1 },
    { kinds: ['waits'], held: [2, 0], deaths: 1 },
  ]
  for (const system of systems)
    test(JSON.stringify(system), { timeout: 110_000 }, () => assertAllTaken({ ...system, ...UNTIMED }))
})

describe('calls that were left to a worker that keeps its thread are taken', () => {
  const systems = [
    { kinds: ['waits'], ...KEPT },
    { kinds: ['short'], ...KEPT },
    { kinds: ['waits', 'waits'], ...KEPT, put: 2, awake: [0, 1], looks: false },
  ]
  for (const system of systems)
    test(JSON.stringify(system), { timeout: 110_000 }, () => assertAllTaken(system))
})

describe('the model notices a protocol without', () => {
  const flawed = {
    'no share': { kinds: ['waits', 'waits'], awake: [0], ...UNTIMED },
    'nothing is overdue': { kinds: ['waits'], ...KEPT },
    'a timer is not set again': { kinds: ['waits', 'waits'], ...KEPT, put: 2, awake: [0, 1], looks: false },
  }
  for (const [flaw, system] of Object.entries(flawed)) {
    test(flaw, () => {
      const { violation, trap } = check({ ...system, flaws: [flaw] })
      assert.ok(violation ?? trap)
    })
  }

  test('the looks of main, or the timers of workers', () => {
    assert.ok(check({ kinds: ['waits'], ...KEPT, looks: false }).trap)
    assert.ok(check({ kinds: ['waits'], ...KEPT, timers: false }).trap)
  })
})
