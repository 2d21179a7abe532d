import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PriorityQueue } from '../../../../build/runtime/core/priority-queue.js'

function filled(plan) {
  const queue = new PriorityQueue()
  for (const [item, priority] of plan) queue.push(item, priority)
  return queue
}

const drain = (queue) => {
  const items = []
  for (let item = queue.peek(); item !== undefined; item = queue.peek()) {
    assert.equal(queue.shift(), item, 'what was seen is what comes')
    items.push(item)
  }
  assert.equal(queue.shift(), undefined)
  return items.join('')
}

test('the highest priority goes first, and within one the first that came', () => {
  assert.equal(drain(filled([['c', 0], ['a', 2], ['d', 0], ['b', 1], ['e', -1]])), 'abcde') // prettier-ignore
})

test('every eighth turn goes round among the lower priorities', () => {
  const plan = [...'LL'].map((item) => [item, -1]).concat([...'MM'].map((item) => [item, 0]))
  const queue = filled([...plan, ...Array.from({ length: 40 }, () => ['h', 1])])
  assert.equal(drain(queue), 'hhhhhhhMhhhhhhhLhhhhhhhMhhhhhhhLhhhhhhhhhhhh')
})

test('an item can go back to the front of its priority', () => {
  const queue = filled([['b', 3], ['c', 0]]) // prettier-ignore
  queue.unshift('a', 3)
  assert.equal(drain(queue), 'abc')
})

test('the oldest is that of the lowest priority, and what is not meant is dropped', () => {
  const queue = filled([['a', 1], ['x', -1], ['b', 0], ['x', -1]]) // prettier-ignore
  assert.equal(
    queue.findOldest((item) => item !== 'x'),
    'b',
  )
  assert.equal(drain(queue), 'ab')
})

test('a priority that is used up costs nothing any more', () => {
  const queue = new PriorityQueue()
  for (let priority = -20; priority <= 20; priority++) {
    queue.push(priority, priority)
    assert.equal(queue.shift(), priority)
  }
  queue.push('a', 0)
  assert.equal(drain(queue), 'a')
})

test('what is put back comes next, as if it had not been taken', () => {
  const queue = filled([['L', -1], ...Array.from({ length: 10 }, () => ['h', 0])]) // prettier-ignore
  let taken = ''
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
    queue.putBack(item, item === 'L' ? -1 : 0)
    taken += queue.shift()
  }
  assert.equal(taken, 'hhhhhhhLhhh')
})
