import { test } from 'node:test'
import assert from 'node:assert/strict'
import { oracle } from '../oracle.js'
import { createRandom, shuffle } from '../../../../build/measure/stats/random.js'

test('the generator gives the numbers of the reference xoshiro128**', () => {
  for (const [seed, expected] of Object.entries(oracle.random)) {
    const random = createRandom(Number(seed))
    const given = expected.map(() => random() * 2 ** 32)
    assert.deepEqual(given, expected, `seed ${seed}`)
  }
})

test('the same seed repeats a sequence and another seed does not', () => {
  const take = (seed) => Array.from({ length: 8 }, createRandom(seed))
  assert.deepEqual(take(7), take(7))
  assert.notDeepEqual(take(7), take(8))
})

test('shuffle keeps every item and leaves its argument alone', () => {
  const items = Object.freeze(['a', 'b', 'c', 'd', 'e'])
  const shuffled = shuffle(items, createRandom(1))
  assert.deepEqual([...shuffled].sort(), [...items])
})

test('shuffle gives each of the six orders of three items equally often', () => {
  const random = createRandom(3)
  const counts = new Map()
  for (let run = 0; run < 6000; run++) {
    const order = shuffle([1, 2, 3], random).join('')
    counts.set(order, (counts.get(order) ?? 0) + 1)
  }
  assert.equal(counts.size, 6)
  for (const [order, count] of counts) assert.ok(Math.abs(count - 1000) < 120, `${order}: ${count}`)
})
