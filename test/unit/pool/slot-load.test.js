// What a worker has ahead of it, and how fast it answers while it has more to do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SlotLoad } from '../../../dist/pool/slot-load.js'
import { TaskCost } from '../../../dist/pool/task-cost.js'

const sent = (cost) => ({
  id: -1,
  delivery: { cost, chargedUs: 7, isWaiting: false, isSuspended: false, isAbandoned: false },
})

function loadWith(calls, cost = new TaskCost()) {
  const load = new SlotLoad()
  const tasks = Array.from({ length: calls }, () => sent(cost))
  load.begin()
  for (const task of tasks) load.charge(task.delivery.chargedUs)
  /** It answers some of them. */
  const answer = (count) => {
    for (const task of tasks.splice(0, count)) load.release(task)
    load.hear()
  }
  return { load, cost, answer }
}

function pass(ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('what is ahead is what was charged, and nothing once all was answered', () => {
  const { load, answer } = loadWith(3)
  assert.equal(load.chargedUs, 21)
  answer(2)
  assert.equal(load.chargedUs, 7)
  answer(1)
  assert.equal(load.chargedUs, 0)
  assert.equal(load.silentMs, 0)
})

test('the first answer says nothing of the pace: the worker had to be woken', () => {
  const { cost, answer } = loadWith(2)
  pass(2)
  answer(1)
  assert.equal(cost.paceUs, 0)
})

test('the pace is the time from answer to answer, divided among those that came together', () => {
  const { cost, answer } = loadWith(5)
  answer(1)
  pass(4)
  answer(2)
  assert.ok(cost.paceUs >= 2000 && cost.paceUs < 500_000, `${cost.paceUs} us`)
})

test('it is not measured over a time in which the worker had nothing to do', () => {
  const { load, cost, answer } = loadWith(1)
  answer(1)
  const task = sent(cost)
  load.begin()
  load.charge(7)
  pass(2)
  load.release(task)
  load.hear()
  assert.equal(cost.paceUs, 0)
})
