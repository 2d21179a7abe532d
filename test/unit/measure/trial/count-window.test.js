// Counting in a window, against calls whose ends are known.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countWindow } from '../../../../build/measure/trial/count-window.js'

/** Calls that take these times in turn, on a clock that goes on to the next end as soon as all that can begin has begun. */
function timed(...durations) {
  let now = 0
  let number = 0
  const waiting = []
  const goOn = () => {
    waiting.sort((a, b) => a.end - b.end)
    const { end, resolve } = waiting.shift()
    now = end
    resolve()
    if (waiting.length > 0) setImmediate(goOn)
  }
  const call = () =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(goOn)
      waiting.push({ end: now + durations[number++ % durations.length], resolve })
    })
  return { load: { ownThread: false, call }, now: () => now }
}

const observer = (now) => ({ onCounted() {}, mustStop: () => false, now })

async function rateOf(durations, plan) {
  const { load, now } = timed(...durations)
  return countWindow(load, { open: 1, edges: 'parts', leadMs: 0, fewestCalls: 1, ...plan }, observer(now))
}

describe('a window with parts of calls at its edges', () => {
  test('counts what lies inside, at both ends', async () => {
    // Calls of 10 ms from 0 on; from 15 to 55 lie half of the second, three whole ones, and half of the sixth.
    const { rate, calls } = await rateOf([10], { leadMs: 15, countMs: 40 })
    assert.ok(Math.abs(rate - 100) < 1e-9, `${rate}`)
    assert.equal(calls, 6)
  })

  test('shorter than a call is the part of that call', async () => {
    const { rate } = await rateOf([100], { leadMs: 20, countMs: 40 })
    assert.ok(Math.abs(rate - 10) < 1e-9, `${rate}`)
  })

  test('goes on until it has its calls, and ends with the last of them', async () => {
    const { rate, calls } = await rateOf([10], { countMs: 15, fewestCalls: 5 })
    assert.equal(calls, 5)
    assert.ok(Math.abs(rate - 100) < 1e-9, `${rate}`)
  })
})

describe('a window from the end of a call to the end of another', () => {
  test('is exact for regular calls, wherever it begins', async () => {
    for (const leadMs of [1, 5, 9]) {
      const { rate } = await rateOf([10], { edges: 'calls', leadMs, countMs: 33 })
      assert.ok(Math.abs(rate - 100) < 1e-9, `${rate} after ${leadMs}`)
    }
  })

  test('sees whole bunches of calls that end together', async () => {
    const { load, now } = timed(20)
    const plan = { open: 4, edges: 'calls', leadMs: 5, countMs: 50, fewestCalls: 8 }
    const { rate } = await countWindow(load, plan, observer(now))
    assert.ok(Math.abs(rate - 200) < 1e-9, `${rate}`)
  })
})

describe('long calls', () => {
  test('are one for each lane, which adds its own rate', async () => {
    const { load, now } = timed(100, 50)
    const { rate, calls } = await countWindow(load, { open: 2, edges: 'laps' }, observer(now))
    assert.equal(calls, 2)
    assert.ok(Math.abs(rate - (10 + 20)) < 1e-9, `${rate}`)
  })
})

test('failed calls are no results', async () => {
  let now = 0
  let number = 0
  const call = async () => {
    now += 10
    if (++number % 4 === 0) throw new Error('every fourth')
  }
  const plan = { open: 1, edges: 'parts', leadMs: 0, countMs: 80, fewestCalls: 1 }
  const seen = []
  const { rate, calls, failed } = await countWindow({ ownThread: false, call }, plan, {
    ...observer(() => now),
    onCounted: (ended) => seen.push(ended),
  })
  assert.deepEqual([calls, failed], [8, 2])
  assert.ok(Math.abs(rate - 75) < 1e-9, `${rate}`)
  assert.equal(String(seen[3].error), 'Error: every fourth')
})

test('it ends early when it must, with the rate until then', async () => {
  let now = 0
  const call = async () => void (now += 10)
  const plan = { open: 1, edges: 'parts', leadMs: 0, countMs: 1000, fewestCalls: 1 }
  const { rate, calls } = await countWindow({ ownThread: false, call }, plan, {
    onCounted() {},
    mustStop: () => now >= 50,
    now: () => now,
  })
  assert.equal(calls, 5)
  assert.ok(Math.abs(rate - 100) < 1e-9, `${rate}`)
})
