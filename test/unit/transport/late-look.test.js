// How often main looks by itself while it sleeps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LateLook } from '../../../dist/transport/late-look.js'

/** Milliseconds at which it looked within `ms`, while `sleepsOn` is true of them. */
function lookedAt(t, ms, sleepsOn, onTick = () => {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const looks = []
  let now = 0
  const late = new LateLook(() => {
    looks.push(now)
    return sleepsOn(now)
  })
  late.plan()
  for (now = 1; now <= ms; now++) {
    t.mock.timers.tick(1)
    onTick(now, late)
  }
  return looks
}

test('ever more rarely, up to every 160 ms', (t) => {
  assert.deepEqual(
    lookedAt(t, 640, () => true),
    [5, 15, 35, 75, 155, 315, 475, 635],
  )
})

test('not again once main is awake', (t) => {
  assert.deepEqual(
    lookedAt(t, 640, (now) => now < 15),
    [5, 15],
  )
})

test('soon when main falls asleep anew, though it looked rarely by then', (t) => {
  const asleepAgain = (now, late) => now === 100 && late.plan()
  assert.deepEqual(
    lookedAt(t, 120, () => true, asleepAgain),
    [5, 15, 35, 75, 105, 115],
  )
})

test('not later because main falls asleep again and again', (t) => {
  const asleepAgain = (now, late) => late.plan()
  assert.deepEqual(
    lookedAt(t, 20, () => false, asleepAgain),
    [5, 10, 15, 20],
  )
})
