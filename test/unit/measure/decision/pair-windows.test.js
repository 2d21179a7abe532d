import { test } from 'node:test'
import assert from 'node:assert/strict'
import { pairWindows } from '../../../../build/measure/decision/pair-windows.js'
import { estimate } from '../../../../build/measure/decision/estimate.js'

const window = (candidate, rate, atMs, more = {}) => ({
  candidate,
  process: candidate === 'inline' ? 0 : 1,
  rate,
  atMs,
  wallMs: 50,
  otherCpus: 0,
  ...more,
})
const which = {
  isOwn: ({ candidate }) => candidate === 'threads',
  isBase: ({ candidate }) => candidate === 'inline',
  isUsable: ({ otherCpus }) => otherCpus < 0.25,
}

test('each window stands beside the mean of the baseline before and after it', () => {
  const windows = [
    window('inline', 10, 0),
    window('threads', 40, 50),
    window('inline', 30, 100),
    window('threads', 50, 150),
  ]
  assert.deepEqual(pairWindows(windows, which), [
    { rate: 40, base: 20 },
    { rate: 50, base: 30 },
  ])
})

test('a disturbed window takes its pairs with it', () => {
  const windows = [
    window('inline', 10, 0, { otherCpus: 1 }),
    window('threads', 40, 50),
    window('inline', 30, 100),
    window('threads', 50, 150, { otherCpus: 1 }),
  ]
  assert.deepEqual(pairWindows(windows, which), [{ rate: 40, base: 30 }])
})

test('a baseline that is long ago is no neighbour', () => {
  const windows = [window('inline', 10, 0), window('threads', 40, 900)]
  assert.deepEqual(pairWindows(windows, which), [])
})

test('on a machine that is never quiet all windows count', () => {
  const windows = Array.from({ length: 40 }, (_, i) =>
    window(i % 2 ? 'threads' : 'inline', i % 2 ? 200 : 100, 50 * i, { otherCpus: 1 }),
  )
  const { mean, pairs } = estimate(windows, 'threads', which.isBase)
  assert.equal(pairs, 20)
  assert.ok(Math.abs(Math.exp(mean) - 2) < 1e-9)
})
