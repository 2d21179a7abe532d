// Which of the sleeping workers are woken.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wakeAll, wakeFor } from '../../../../../build/runtime/shared-memory/main/waking.js'

/** Their names tell what they do; the result is who was woken. */
function woken(action, ...names) {
  const all = []
  const workers = names.map((name) => ({
    isRetired: name.startsWith('retired'),
    isSpinning: name.startsWith('spinning'),
    mayBeBusy: name.includes('maybe'),
    isOccupied: name.startsWith('occupied'),
    wake() {
      const isAsleep = !name.startsWith('awake') && !this.isSpinning
      if (isAsleep) all.push(name)
      return isAsleep
    },
  }))
  action(workers)
  return all
}
const wokenFor = (calls, ...names) => woken((workers) => wakeFor(calls, workers), ...names)

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
  assert.deepEqual(woken(wakeAll, 'occupied', 'b'), ['occupied', 'b'])
})

test('says how many were woken', () => {
  const sleeping = { isRetired: false, isSpinning: false, mayBeBusy: false, wake: () => true }
  const maybe = { ...sleeping, mayBeBusy: true }
  const awake = { ...sleeping, wake: () => false }
  const spinning = { ...awake, isSpinning: true }
  assert.equal(wakeFor(1, [sleeping, sleeping]), 1)
  assert.equal(wakeFor(3, [sleeping, maybe]), 2)
  assert.equal(wakeFor(3, [spinning, awake, maybe]), 1)
  assert.equal(wakeFor(1, [spinning, sleeping]), 0)
  assert.equal(wakeFor(0, [spinning, sleeping]), 0)
})

test('those that may be busy come last, retired ones not at all', () => {
  assert.deepEqual(wokenFor(1, 'maybe a', 'retired', 'b'), ['b'])
  assert.deepEqual(wokenFor(2, 'maybe a', 'b', 'maybe c'), ['b', 'maybe a'])
  assert.deepEqual(wokenFor(1, 'maybe a', 'awake'), ['maybe a'])
})

test('all that sleep, but retired ones', () => {
  assert.deepEqual(woken(wakeAll, 'maybe a', 'b', 'retired', 'awake'), ['maybe a', 'b'])
})
