// The pool's queue: an array that wraps around must behave like a list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RingQueue } from '../../../../build/runtime/core/priority-queue.js'
import { createRandom } from '../../../../build/measure/stats/random.js'

test('an empty queue has nothing to give', () => {
  const queue = new RingQueue()
  assert.equal(queue.shift(), undefined)
  assert.equal(queue.peek(), undefined)
  assert.equal(queue.size, 0)
})

test('items leave in the order in which they came', () => {
  const queue = new RingQueue()
  for (let i = 0; i < 1000; i++) queue.push(i)
  for (let i = 0; i < 1000; i++) assert.equal(queue.shift(), i)
  assert.equal(queue.size, 0)
})

test('peek gives the item that shift takes next', () => {
  const queue = new RingQueue()
  queue.push('a')
  queue.push('b')
  assert.equal(queue.peek(), 'a')
  assert.equal(queue.size, 2)
  assert.equal(queue.shift(), 'a')
  assert.equal(queue.peek(), 'b')
})

test('unshift puts an item before all others, also in an empty and in a full queue', () => {
  const queue = new RingQueue()
  for (let i = 0; i < 64; i++) queue.unshift(i)
  queue.unshift(64)
  for (let i = 64; i >= 0; i--) assert.equal(queue.shift(), i)
  assert.equal(queue.shift(), undefined)
})

test('undefined and null are items like others', () => {
  const queue = new RingQueue()
  queue.push(undefined)
  queue.push(null)
  assert.equal(queue.size, 2)
  assert.equal(queue.shift(), undefined)
  assert.equal(queue.size, 1)
  assert.equal(queue.shift(), null)
})

for (const seed of [1, 2, 3, 4, 5]) {
  test(`any mix of push, unshift and shift acts as on a list (seed ${seed})`, () => {
    const random = createRandom(seed)
    const queue = new RingQueue()
    const list = []
    for (let step = 0; step < 5000; step++) {
      const isGrowing = step % 2000 < 1000
      const choice = random()
      if (choice < (isGrowing ? 0.5 : 0.2)) {
        queue.push(step)
        list.push(step)
      } else if (choice < (isGrowing ? 0.7 : 0.3)) {
        queue.unshift(step)
        list.unshift(step)
      } else {
        assert.equal(queue.shift(), list.shift())
      }
      assert.equal(queue.size, list.length)
      assert.equal(queue.peek(), list[0])
    }
    while (list.length > 0) assert.equal(queue.shift(), list.shift())
  })
}
