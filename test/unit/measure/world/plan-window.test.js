// How long windows are, and how many calls are open in them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  areTogether,
  canOverlap,
  expectedMs,
  isolatesOf,
  planWindow,
} from '../../../../build/measure/world/plan-window.js'
import { scout } from '../cells.js'

const cellOf = (executor, size, changes = {}) => ({ executor, size, cpus: 2, inFlight: size, ...changes })
const inline = cellOf('inline', 1)
const ofMs = (ms) => scout({ callUs: 1000 * ms })
const warmOf = (ms) => ({ calls: 1000, callUs: 1000 * ms, cpuUs: 1000 * ms })
const timer = (ms) => scout({ callUs: 1000 * ms, cpuUs: 20 })

describe('a window', () => {
  test('of short calls is 40 ms after a lead of 8', () => {
    const { kind, leadMs, stepMs, countMs, open } = planWindow(inline, ofMs(0.05), null, false)
    assert.deepEqual([kind, open, leadMs, stepMs, countMs], ['span', 1, 8, 0, 40])
  })

  test('holds four calls of a worker, and its lead one and a half', () => {
    const { leadMs, countMs } = planWindow(inline, ofMs(20), null, false)
    assert.deepEqual([leadMs, countMs], [30, 80])
    assert.equal(planWindow(cellOf('threads', 2), ofMs(20), null, false).countMs, 40)
  })

  test('of calls that take longer than 60 ms is one call of each worker', () => {
    assert.deepEqual(planWindow(cellOf('threads', 2, { inFlight: 4 }), ofMs(100), null, false), {
      kind: 'laps',
      open: 2,
    })
    assert.equal(planWindow(inline, ofMs(50), null, false).kind, 'span')
    assert.equal(planWindow({ ...inline, cpus: 0.5 }, ofMs(50), null, true).kind, 'laps') // it takes 100 ms there
    assert.equal(planWindow(cellOf('concurrent', 64), timer(2000), null, false).open, 64)
  })
})

describe('under a quota', () => {
  test('a window is whole periods long, and so is what its lead is longer by', () => {
    for (const ms of [0.05, 5, 20]) {
      const { countMs, stepMs } = planWindow({ ...inline, cpus: 0.6 }, ofMs(ms), null, true)
      assert.equal(stepMs, 100)
      assert.ok(countMs >= 100 && countMs % 100 === 0, `${countMs}`)
    }
  })

  test('it holds three bunches of calls that begin and end together in one thread', () => {
    const bunches = cellOf('concurrent', 8, { cpus: 0.5 })
    assert.equal(planWindow(bunches, ofMs(5), null, true).countMs, 300)
    assert.equal(
      planWindow(cellOf('threads', 2, { inFlight: 8, cpus: 0.5 }), ofMs(5), null, true).countMs,
      100,
    )
    assert.equal(planWindow(bunches, timer(5), null, true).countMs, 100)
  })

  test('the lead uses up the quota of a period', () => {
    const leadAt = (cpus) => planWindow({ ...inline, cpus }, ofMs(1), null, true).leadMs
    assert.deepEqual([0.25, 0.6, 1, 1.5].map(leadAt), [33, 68, 108, 108])
  })
})

describe('calls that are open', () => {
  const pool = cellOf('threads', 2, { inFlight: 128 })

  test('are those that were planned while nobody knows what they cost there', () => {
    assert.equal(planWindow(pool, ofMs(0.01), null, false).open, 128)
  })

  test('are two for each worker where they turn out long, more where they are short, and never more than planned', () => {
    assert.equal(planWindow(pool, ofMs(0.01), warmOf(12), false).open, 4)
    assert.equal(planWindow(pool, ofMs(0.01), warmOf(0.1), false).open, 20)
    assert.equal(planWindow({ ...pool, inFlight: 8 }, ofMs(0.01), warmOf(0.1), false).open, 8)
  })

  test('stay as planned where calls wait, or use the pool of libuv', () => {
    assert.equal(planWindow({ ...pool, inFlight: 64 }, timer(20), warmOf(0.02), false).open, 64)
    const hashing = scout({ callUs: 3000, uvWork: ['PBKDF2REQUEST'] })
    assert.equal(planWindow({ ...pool, inFlight: 64 }, hashing, warmOf(3), false).open, 64)
  })
})

test('what is expected covers the lead, the window and the calls at both ends', () => {
  const scouted = ofMs(50)
  const plan = planWindow(inline, scouted, null, false)
  assert.ok(expectedMs(plan, inline, scouted, null) >= plan.leadMs + plan.countMs + 50)
  const long = ofMs(2000)
  assert.ok(expectedMs(planWindow(inline, long, null, false), inline, long, null) >= 2000)
})

test('what a task does says what may overlap, and what may be measured at the same time', () => {
  assert.deepEqual([canOverlap(ofMs(5)), canOverlap(timer(5))], [false, true])
  assert.deepEqual([areTogether(timer(2000)), areTogether(timer(20)), areTogether(ofMs(2000))], [true, false, false]) // prettier-ignore
  assert.deepEqual(['inline', 'concurrent', 'threads', 'processes'].map((name) => isolatesOf(cellOf(name, 4))), [1, 1, 4, 4]) // prettier-ignore
})
