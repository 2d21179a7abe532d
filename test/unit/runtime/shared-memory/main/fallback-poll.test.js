// How often main looks by itself while it sleeps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FallbackPoll } from '../../../../../build/runtime/shared-memory/main/main-sleep.js'
import { fakeTimers } from '../../../../helpers/fake-timers.js'

/** Milliseconds at which it looked within `ms`. `sleepsOn`: the answer to a look. `onTick`: called every millisecond. `told`: gets what the workers are told. */
function lookedAt(t, ms, { sleepsOn = () => true, onTick = () => {}, told = [] } = {}) {
  fakeTimers(t)
  const looks = []
  let now = 0
  const look = () => {
    looks.push(now)
    return sleepsOn(now)
  }
  const tell = (dueAt) => told.push(dueAt)
  const late = new FallbackPoll(look, tell, () => now)
  late.plan()
  for (now = 1; now <= ms; now++) {
    t.mock.timers.tick(1)
    onTick(now, late)
  }
  return looks
}

test('ever more rarely, up to every 160 ms', (t) => {
  assert.deepEqual(lookedAt(t, 640), [5, 15, 35, 75, 155, 315, 475, 635])
})

test('and the workers are told when', (t) => {
  const told = []
  const onTick = (now, late) => (now === 40 || now === 42) && late.plan()
  assert.deepEqual(lookedAt(t, 60, { onTick, told }), [5, 15, 35, 47, 57])
  assert.deepEqual(told, [5, 15, 35, 75, 45, 47, 57, 77])
})

test('not again once main is awake', (t) => {
  const sleepsOn = (now) => now < 15
  assert.deepEqual(lookedAt(t, 640, { sleepsOn }), [5, 15])
})

test('5 ms after main has fallen asleep anew, though it looked rarely by then', (t) => {
  const onTick = (now, late) => now === 100 && late.plan()
  assert.deepEqual(lookedAt(t, 120, { onTick }), [5, 15, 35, 75, 105, 115])
})

test('not before main has slept for 5 ms: a worker that was just woken for a call has not claimed it', (t) => {
  const onTick = (now, late) => now <= 20 && now % 3 === 0 && late.plan()
  const [first] = lookedAt(t, 40, { onTick })
  assert.ok(first >= 18 + 4 && first <= 18 + 6, `at ${first} ms`)
})

test(
  'though the timer that was set before never fires, since it was a fake one',
  { timeout: 10_000 },
  async (t) => {
    fakeTimers(t)
    await new Promise((resolve) => {
      const late = new FallbackPoll(
        () => (resolve(), false),
        () => {},
      )
      late.plan()
      t.mock.timers.reset()
      for (const end = performance.now() + 6; performance.now() < end;);
      late.plan()
      const alive = setInterval(() => {}, 1000) // its timer does not keep the process alive
      t.after(() => clearInterval(alive))
    })
  },
)
