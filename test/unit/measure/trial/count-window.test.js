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

const rest = { kind: 'span', open: 1, leadMs: 0, stepMs: 0 }

async function rateOf(durations, plan) {
  const { load, now } = timed(...durations)
  return countWindow(load, { ...rest, ...plan }, observer(now))
}

const isAbout = (value, expected, label = '') =>
  assert.ok(Math.abs(value / expected - 1) < 1e-9, `${value} instead of ${expected} ${label}`)

describe('a window', () => {
  test('counts what lies inside, at both ends', async () => {
    // Calls of 10 ms from 0 on; from 15 to 55 lie half of the second, three whole ones, and half of the sixth.
    const { rate, calls } = await rateOf([10], { leadMs: 15, countMs: 40 })
    isAbout(rate, 100)
    assert.equal(calls, 6)
  })

  test('shorter than a call is the part of that call', async () => {
    const { rate } = await rateOf([100], { leadMs: 120, countMs: 40 })
    isAbout(rate, 10)
  })

  test('is exact for regular calls, wherever it begins', async () => {
    for (const leadMs of [11, 15, 19]) {
      const { rate } = await rateOf([10], { leadMs, countMs: 33 })
      isAbout(rate, 100, `after ${leadMs}`)
    }
  })

  test('is exact for calls that end together, however much of a bunch lies inside', async () => {
    for (const leadMs of [20, 25, 39])
      for (const countMs of [7, 40, 50]) {
        const { load, now } = timed(20)
        const { rate } = await countWindow(load, { ...rest, open: 4, leadMs, countMs }, observer(now))
        isAbout(rate, 200, `${countMs} after ${leadMs}`)
      }
  })

  test('begins once the calls that started together have ended', async () => {
    const { rate, calls } = await rateOf([10], { leadMs: 4, countMs: 15 })
    isAbout(rate, 100)
    assert.equal(calls, 3) // from 10 to 25

    const { load, now } = timed(30, 10)
    const counted = []
    const seen = { ...observer(now), onCounted: ({ ended }) => counted.push(ended) }
    await countWindow(load, { ...rest, open: 2, leadMs: 4, countMs: 10 }, seen)
    assert.equal(Math.min(...counted) > 30, true, `${counted}`)
  })

  test('begins so much later by whole steps', async () => {
    const counted = []
    const { load, now } = timed(10)
    const seen = { ...observer(now), onCounted: ({ ended }) => counted.push(ended) }
    await countWindow(load, { ...rest, leadMs: 5, stepMs: 100, countMs: 100 }, seen)
    assert.deepEqual([counted[0], counted.at(-1)], [110, 200]) // from 105 to 205
  })
})

test('a window in which the process stood still reaches to the end of the first call after it', async () => {
  for (const stallMs of [35, 1000]) {
    let now = 0
    let ended = 0
    const call = async () => void now++
    const plan = { ...rest, leadMs: 5, countMs: 30 }
    const { rate, calls } = await countWindow({ ownThread: false, call }, plan, {
      onCounted() {},
      mustStop() {
        if (++ended === 5) now += stallMs // between two calls, just before the first that would count
        return false
      },
      now: () => now,
    })
    assert.equal(calls, 6)
    isAbout(rate, 1000 / (stallMs + 1))
  }
})

describe('long calls', () => {
  test('are one for each lane, which adds its own rate', async () => {
    const { load, now } = timed(100, 50)
    const { rate, calls } = await countWindow(load, { kind: 'laps', open: 2 }, observer(now))
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
  const plan = { ...rest, leadMs: 10, countMs: 80 }
  const seen = []
  const { rate, calls, failed } = await countWindow({ ownThread: false, call }, plan, {
    ...observer(() => now),
    onCounted: (ended) => seen.push(ended),
  })
  assert.deepEqual([calls, failed], [9, 2])
  isAbout(rate, (100 * 7) / 9)
  assert.equal(String(seen[2].error), 'Error: every fourth')
})

test('it ends early when it must, with the rate until then', async () => {
  let now = 0
  const call = async () => void (now += 10)
  const plan = { ...rest, countMs: 1000 }
  const { rate, calls } = await countWindow({ ownThread: false, call }, plan, {
    onCounted() {},
    mustStop: () => now >= 50,
    now: () => now,
  })
  assert.equal(calls, 5)
  assert.ok(Math.abs(rate - 100) < 1e-9, `${rate}`)
})
