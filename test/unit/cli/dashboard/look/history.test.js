// The ring of the last hour.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { History, STEP_MS } from '../../../../../build/cli/dashboard/look/history.js'

const SLOTS = 3_600_000 / STEP_MS
const figures = (perSecond) => ({ perSecond, errorsPerSecond: null, p50: 1, p99: 2, loopDelay: 3, cpu: 0.5, throttled: null, rss: 9 }) // prettier-ignore
const at = (step) => step * STEP_MS + 5

test('gives the last values, the oldest first, and null where nobody looked', () => {
  const history = new History()
  history.add(figures(1), at(1000))
  history.add(figures(2), at(1001))
  history.add(figures(4), at(1003))
  assert.deepEqual(history.last('perSecond', at(1004), 6), [null, 1, 2, null, 4, null])
  assert.deepEqual(history.last('throttled', at(1003), 2), [null, null])
})

test('forgets what is older than an hour, also after a pause of any length', () => {
  for (const pause of [SLOTS - 1, SLOTS, SLOTS + 1, 5 * SLOTS + 3]) {
    const history = new History()
    for (let step = 1000; step < 1010; step++) history.add(figures(step), at(step))
    history.add(figures(7), at(1009 + pause))
    const values = history.last('perSecond', at(1009 + pause))
    assert.equal(values.length, SLOTS)
    assert.equal(values.at(-1), 7)
    const known = values.filter((value) => value !== null)
    assert.deepEqual(known, pause < SLOTS ? [1009, 7] : [7], `a pause of ${pause}`)
  }
})

test('a second look within a step replaces the first, and one before it is none', () => {
  const history = new History()
  history.add(figures(1), at(1000))
  history.add(figures(2), at(1000) + 1)
  history.add(figures(9), at(999))
  assert.deepEqual(history.last('perSecond', at(1000), 2), [null, 2])
})

test('a line has the largest value of each part', () => {
  const history = new History()
  for (let step = 1; step <= SLOTS; step++) history.add(figures(step), at(step))
  assert.deepEqual(history.line('perSecond', at(SLOTS), { steps: SLOTS, parts: 4 }), [
    SLOTS / 4,
    SLOTS / 2,
    (3 * SLOTS) / 4,
    SLOTS,
  ])
})
