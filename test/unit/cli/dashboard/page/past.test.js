// What the page knows of the last hour, and the lines that it draws.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linePath, niceMost } from '../../../../../build/cli/dashboard/page/line-path.js'
import { Past } from '../../../../../build/cli/dashboard/page/past.js'

const STEP = 6000
const history = (values) => ({ perSecond: [...Array(600 - values.length).fill(null), ...values] })
const add = (past, step, perSecond) => past.add({ perSecond }, step * STEP)

test('the first figures are those with which the history ends, later ones follow, and steps that are missing are gaps', () => {
  const past = new Past(STEP, history([1, 2]))
  add(past, 1000, 2)
  add(past, 1001, 3)
  add(past, 1001, 4)
  add(past, 1003, 5)
  const { values, until, stepMs } = past.span('perSecond', 0.5, 360)
  assert.deepEqual(values, [1, 2, 4, null, 5].slice(-5))
  assert.equal(until, 1004 * STEP)
  assert.equal(stepMs, STEP)
})

test('an hour in fewer parts keeps the highest values', () => {
  const past = new Past(STEP, history(Array.from({ length: 600 }, (_, index) => index)))
  add(past, 1199, 599)
  const { values } = past.span('perSecond', 60, 60)
  assert.equal(values.length, 60)
  assert.equal(values.at(-1), 599)
  assert.equal(values[0], 9)
})

test('the span that fits is the shortest that holds all', () => {
  const past = new Past(STEP, history([1]))
  add(past, 1000, 1)
  assert.equal(past.fitting([5, 15, 60]), 5)
  const longer = new Past(STEP, history(Array(100).fill(1)))
  assert.equal(longer.fitting([5, 15, 60]), 15)
  assert.equal(new Past(STEP, { perSecond: Array(600).fill(null) }).fitting([5, 15, 60]), 5)
})

test('a line breaks at a gap, bridges a short one, and stays inside of its box', () => {
  const size = { width: 100, height: 10, most: 10 }
  assert.equal(linePath([0, 5, 20], size), 'M0 10h.01L50 5L100 0')
  assert.equal(linePath([1, null, null, 1].map((value) => value), { ...size, width: 30 }), 'M0 9h.01L30 9') // prettier-ignore
  assert.equal(linePath([1, null, null, null, 1], { ...size, width: 40 }), 'M0 9h.01M40 9h.01')
  assert.equal(linePath([null], size), '')
})

test('scales end at round numbers', () => {
  assert.deepEqual([0, 0.03, 1, 1.1, 7, 100, 101].map(niceMost), [1, 0.05, 1, 2, 10, 100, 200])
})
