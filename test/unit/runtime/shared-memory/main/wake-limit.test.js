// How many workers short calls wake, and which are told to rest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOLDS_BACK } from '../../../../../build/runtime/shared-memory/layout/queue-layout.js'
import {
  createQueueMemory,
  queueViews,
} from '../../../../../build/runtime/shared-memory/layout/queue-memory.js'
import { WakeLimit } from '../../../../../build/runtime/shared-memory/main/waking.js'

/** A limit of two CPUs, where function 0 is known to be short. `what`: what each worker does. */
function create(...what) {
  const views = queueViews(createQueueMemory())
  views.short[0] = 1
  const stuck = []
  const limit = new WakeLimit(views, (worker) => stuck.push(worker.what))
  const told = []
  const workers = what.map((progress, i) => ({
    what: progress,
    progress: () => progress,
    rest: () => (told[i] = 'rest'),
    goOn: () => (told[i] = 'goOn'),
  }))
  limit.update(what.length, 2)
  limit.note(0, 0, false) // from here on it knows
  let position = 1
  const put = (functionIndex, namesBuffers = false) => limit.note(position++, functionIndex, namesBuffers)
  const needed = (from = 1) => limit.needed(from, position - from, workers, 0)
  return { limit, put, needed, told, stuck, holdsBack: () => views.control[HOLDS_BACK] === 1 }
}

test('for short calls as many as there are CPUs, without those that take some already', () => {
  for (const [what, expected] of [
    [['none', 'none', 'none'], 2],
    [['none', 'takes', 'none'], 1],
    [['takes', 'none', 'takes'], 0],
  ]) {
    const { limit, put, needed, holdsBack } = create(...what)
    for (let i = 0; i < 10; i++) put(0)
    assert.equal(needed(), expected)
    assert.deepEqual([limit.isHoldingBack, holdsBack()], [true, true])
  }
})

test('for each call that is not known to be short one more', () => {
  const { put, needed } = create('takes', 'takes', 'none', 'none')
  put(0)
  put(7)
  put(0)
  put(0, true) // it names a shared buffer: it may wait for another call
  assert.equal(needed(), 2)
  assert.equal(needed(3), 1)
})

test('calls that came before it was on are not known', () => {
  const { limit, put, needed } = create('none', 'none', 'none')
  put(0)
  limit.update(2)
  limit.update(3)
  put(0)
  assert.equal(needed(1), 2)
})

test('those that are too many are told to rest, unless a call waits that may be long', () => {
  const many = create('takes', 'none', 'takes', 'takes', 'stuck')
  for (let i = 0; i < 4; i++) many.put(0)
  assert.equal(many.needed(), 0)
  assert.deepEqual(many.told, ['goOn', 'goOn', 'goOn', 'rest', 'rest'])
  many.put(7)
  many.needed()
  assert.deepEqual(many.told, Array(5).fill('goOn'))
})

test('one call does not send away the second of two CPUs', () => {
  const { put, needed, told } = create('takes', 'takes', 'none')
  put(0)
  assert.equal(needed(), 0)
  assert.equal(told[1], undefined)
})

test('where none gets on, all are woken, and what they are at is told', () => {
  const { put, needed, stuck, limit } = create('stuck', 'none', 'stuck')
  for (let i = 0; i < 9; i++) put(0)
  assert.equal(needed(), 9)
  assert.deepEqual(stuck, ['stuck', 'stuck'])
  assert.equal(limit.isHoldingBack, false)
})

test('one that is stuck beside another that gets on only counts as none', () => {
  const { put, needed, stuck } = create('stuck', 'takes', 'none')
  for (let i = 0; i < 9; i++) put(0)
  assert.equal(needed(), 1)
  assert.deepEqual(stuck, [])
})

test('it is off where there are CPUs enough, and says when it has become so', () => {
  const { limit } = create('none', 'none', 'none')
  assert.equal(limit.isOn, true)
  assert.equal(limit.update(3), false)
  assert.equal(limit.update(2), true)
  assert.equal(limit.update(2), false)
  assert.equal(limit.isOn, false)
})
