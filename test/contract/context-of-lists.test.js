// Values of contexts reach each call of a list, also those that are made after others have answered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filter, map, mapReduce, reduce, sort } from 'threadwise/parallel'
import { request } from '../fixtures/classes/contexts.js'
import { describeExecutors } from '../helpers/executors.js'
import { numbers } from '../helpers/many.js'

describeExecutors('contexts of lists', (make) => {
  test('map carries it to all inputs, and counts them', async () => {
    const own = make('contexts.js')
    const results = await request.run('m', () => own.map('readX', numbers(3000)))
    assert.deepEqual(results, numbers(3000).map((i) => `${i} m`)) // prettier-ignore
    const objects = await request.run('m', () => own.map('readObject', numbers(100)))
    assert.deepEqual(objects, numbers(100).map((x) => ({ x, id: 'm' }))) // prettier-ignore
    assert.equal(own.stats().completed, 3100)
    async function* later() {
      for (let i = 0; i < 5; i++) yield await i
    }
    assert.deepEqual(await request.run('a', () => own.map('readX', later())), numbers(5).map((i) => `${i} a`)) // prettier-ignore
  })

  test('the algorithms over lists carry it to all of their calls', async () => {
    const own = make('contexts.js')
    const options = { chunk: 3 }
    const list = numbers(500)
    const sum = list.reduce((a, b) => a + b)
    assert.deepEqual(await request.run('m', () => map(own, 'readX', list, options)), list.map((i) => `${i} m`)) // prettier-ignore
    assert.deepEqual(await request.run('m', () => filter(own, 'isMine', list, options)), list)
    assert.equal(await request.run('m', () => reduce(own, 'addMine', list, options)), sum)
    const steps = { map: 'same', reduce: 'addMine', inputs: list }
    assert.equal(await request.run('m', () => mapReduce(own, steps, options)), sum)
    const falling = list.toReversed()
    assert.deepEqual(await request.run('m', () => sort(own, falling, { compare: 'compareMine' })), list)
    const unordered = request.run('m', () => map(own, 'readX', list, { ...options, ordered: false }))
    for await (const text of unordered) assert.match(text, / m$/)
  })
})
