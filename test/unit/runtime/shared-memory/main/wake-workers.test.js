// Which of the sleeping workers are woken.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wakeAll, wakeFor } from '../../../../../build/runtime/shared-memory/main/waking.js'

/** Their names tell what they do; the result is who was woken. */
function wokenBy(action, ...names) {
  const all = []
  const workers = names.map((name) => ({
    isRetired: name.startsWith('retired'),
    isSpinning: name.startsWith('spinning'),
    mayBeBusy: name.includes('maybe'),
    isOccupied: name.startsWith('occupied'),
    isAsleep: !name.startsWith('awake') && !name.startsWith('spinning'),
    load: Number(/with (\d+)/.exec(name)?.[1] ?? 0),
    wake() {
      if (!this.isAsleep) return false
      all.push(name)
      this.isAsleep = false
      return true
    },
  }))
  action(workers)
  return all
}
const wokenFor = (calls, ...names) => wokenBy((workers) => wakeFor(calls, workers), ...names)

test('as many as there are calls, and none for those that a spinning one takes', () => {
  assert.deepEqual(wokenFor(1, 'a', 'b', 'c'), ['a'])
  assert.deepEqual(wokenFor(2, 'awake', 'b', 'c', 'd'), ['b', 'c'])
  assert.deepEqual(wokenFor(1, 'spinning', 'b'), [])
  assert.deepEqual(wokenFor(1, 'spinning, maybe busy', 'b'), ['b'])
  assert.deepEqual(wokenFor(9, 'a', 'b'), ['a', 'b'])
  assert.deepEqual(wokenFor(0, 'a'), [])
})

test('none that sleeps and takes no calls, unless all are to look', () => {
  assert.deepEqual(wokenFor(2, 'occupied', 'b'), ['b'])
  assert.deepEqual(wokenBy(wakeAll, 'occupied', 'b'), ['occupied', 'b'])
})

test('says how many were woken', () => {
  const count = (calls, ...names) => {
    let woken
    wokenBy((workers) => (woken = wakeFor(calls, workers)), ...names)
    return woken
  }
  assert.equal(count(1, 'a', 'b'), 1)
  assert.equal(count(3, 'a', 'maybe b'), 2)
  assert.equal(count(3, 'spinning', 'awake', 'maybe'), 1)
  assert.equal(count(1, 'spinning', 'a'), 0)
  assert.equal(count(0, 'spinning', 'a'), 0)
})

test('those that may be busy come last, retired ones not at all', () => {
  assert.deepEqual(wokenFor(1, 'maybe a', 'retired', 'b'), ['b'])
  assert.deepEqual(wokenFor(2, 'maybe a', 'b', 'maybe c'), ['b', 'maybe a'])
  assert.deepEqual(wokenFor(1, 'maybe a', 'awake'), ['maybe a'])
})

test('those in which the fewest calls wait come first', () => {
  assert.deepEqual(wokenFor(1, 'a with 3', 'b with 1', 'c with 2'), ['b with 1'])
  assert.deepEqual(wokenFor(2, 'a with 3', 'b', 'c with 2'), ['b', 'c with 2'])
  assert.deepEqual(wokenFor(3, 'a with 1, maybe busy', 'b with 1', 'retired with 0'), ['a with 1, maybe busy', 'b with 1']) // prettier-ignore
})

test('all that sleep, but retired ones', () => {
  assert.deepEqual(wokenBy(wakeAll, 'maybe a', 'b', 'retired', 'awake'), ['maybe a', 'b'])
})
