// How many items travel as one call.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { learnedSize } from '../../../../build/runtime/executor/chunk-size.js'

const answer = (items, us, more = {}) => ({ results: new Array(items), us, isAsync: false, ...more })

function learned(...answers) {
  const size = learnedSize()
  for (const each of answers) size.learn(each)
  return size
}

test('begins with one', () => assert.equal(learnedSize().next(Infinity, 1), 1))

test('grows in steps towards 10 ms of work, and 4096 items at most', () => {
  const size = learnedSize()
  const sizes = [1, 8, 64, 512, 4096, 4096].map((items) => {
    size.learn(answer(items, items * 0.1))
    return size.next(Infinity, 1)
  })
  assert.deepEqual(sizes, [8, 64, 512, 4096, 4096, 4096])
  assert.equal(learned(answer(1, 500), answer(8, 4000), answer(20, 10_000)).next(Infinity, 2), 20)
})

test('counts the time that it takes to read the items', () => {
  assert.equal(learned(answer(4, 1000, { readUs: 1000 })).next(Infinity, 1), 20)
})

test('shrinks at once, and towards the end', () => {
  assert.equal(learned(answer(1, 1), answer(8, 16_000)).next(Infinity, 1), 5)
  const size = learned(answer(64, 64))
  assert.deepEqual([10_000, 100, 10, 1].map((left) => size.next(left, 2)), [512, 25, 3, 1]) // prettier-ignore
})

test('stays at one for promises', () => {
  assert.equal(learned(answer(1, 0, { isAsync: true }), answer(1, 1)).next(Infinity, 1), 1)
})
