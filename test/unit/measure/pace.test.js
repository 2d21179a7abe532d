// How long trials take, on a clock that only the test moves.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPace } from '../../../build/measure/pace.js'
import { scout, settings } from './cells.js'

const love = { variant: 'love', cpus: 1 }
const warmUpMs = { least: 150, most: 1200 }

function paceOf({ budgetSeconds = null, trialMs = 600, callUs = 1000, isHard = false } = {}) {
  const clock = { ms: 1000 }
  const pace = createPace({
    settings: settings({ budgetSeconds, trialMs }),
    warmUpMs,
    scout: { love: scout({ callUs }) },
    started: clock.ms,
    isHard,
    now: () => clock.ms,
  })
  /** A trial whose warm-up and window take all of the planned time, and its process `overheadMs` more. */
  const runTrial = async (remaining, overheadMs) => {
    const { measureMs, warmUpMs } = pace.timingOf(love, remaining)
    await pace.time(async () => void (clock.ms += measureMs + warmUpMs.most + overheadMs))
  }
  return { pace, clock, runTrial }
}

describe('without a budget', () => {
  test('a window is as long as planned, whatever is left', () => {
    assert.deepEqual(paceOf().pace.timingOf(love, 1000), { measureMs: 600, warmUpMs })
  })

  test('a window holds 8 long calls, within 5 s', () => {
    assert.equal(paceOf({ callUs: 200_000 }).pace.timingOf(love, 1).measureMs, 1600)
    assert.equal(paceOf({ callUs: 60e6 }).pace.timingOf(love, 1).measureMs, 5000)
  })

  test('a window is whole periods of a CPU quota, and its calls take longer under less than one CPU', () => {
    assert.equal(paceOf({ callUs: 41_000 }).pace.timingOf(love, 1).measureMs, 600)
    assert.equal(paceOf({ callUs: 91_000 }).pace.timingOf(love, 1).measureMs, 700)
    assert.equal(paceOf({ callUs: 91_000 }).pace.timingOf({ ...love, cpus: 0.5 }, 1).measureMs, 1500)
  })

  test('the time is never up', () => {
    const { pace, clock } = paceOf({ isHard: true })
    clock.ms += 1e9
    assert.equal(pace.isTimeUp(), false)
  })
})

describe('within a budget', () => {
  for (const overheadMs of [50, 350, 900]) {
    test(`60 trials with ${overheadMs} ms beside their windows end in time`, async () => {
      const budgetSeconds = 90
      const { clock, runTrial } = paceOf({ budgetSeconds })
      for (let left = 60; left > 0; left--) await runTrial(left, overheadMs)
      const tookMs = clock.ms - 1000
      assert.ok(tookMs <= budgetSeconds * 1000 * 1.02, `${tookMs} ms`)
    })
  }

  test('trials are not shortened when there is time enough', async () => {
    const { pace } = paceOf({ budgetSeconds: 1000 })
    assert.deepEqual(pace.timingOf(love, 10), { measureMs: 600, warmUpMs })
  })

  test('a trial keeps a window in which something can be seen, however little is left', () => {
    const { pace, clock } = paceOf({ budgetSeconds: 1 })
    clock.ms += 60_000
    const timing = pace.timingOf(love, 100)
    assert.ok(timing.measureMs === 200 && timing.warmUpMs.most >= 40)
    assert.ok(timing.warmUpMs.least <= timing.warmUpMs.most)
  })

  test('the time is up when a hard budget is used, and not before', () => {
    const { pace, clock } = paceOf({ budgetSeconds: 10, isHard: true })
    clock.ms += 10_000
    assert.equal(pace.isTimeUp(), false)
    clock.ms += 1
    assert.equal(pace.isTimeUp(), true)
  })

  test('the soft budget of --quick only shortens trials: no round is dropped for it', () => {
    const { pace, clock } = paceOf({ budgetSeconds: 40, isHard: false })
    clock.ms += 1e9
    assert.equal(pace.isTimeUp(), false)
  })
})

test('a trial gives its result through, and its failure', async () => {
  const { pace } = paceOf()
  assert.equal(await pace.time(async () => 7), 7)
  await assert.rejects(
    pace.time(async () => {
      throw new RangeError('no')
    }),
    RangeError,
  )
})
