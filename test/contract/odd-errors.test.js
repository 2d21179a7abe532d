// Errors and values that are made to be missed: nothing that an error holds hides it, and nothing holds up the worker.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { cut, Lazy, sparse } from '../fixtures/tasks/odd-errors.js'

describeExecutors('odd errors', (make, { isPool }) => {
  const executor = make('odd-errors.js', { maxBlock: 0 })

  test('have what their class says of them by getters and constants', async () => {
    const error = await rejection(executor.tasks.throwCoded())
    assert.ok(error instanceof Error)
    assert.deepEqual([error.message, error.code, error.kind], ['no database', 'UNAVAILABLE_7', 'constant'])
    assert.equal(error.details.status, 503)
    assert.deepEqual(Object.keys(error), [])
    if (isPool) assert.deepEqual(Object.keys(error.details), ['status', 'retry'])
  })

  test('are not changed by being sent', async () => {
    const error = new Lazy('four')
    const before = Object.getOwnPropertyNames(error)
    const copy = await executor.tasks.echo(error)
    assert.equal(copy.code, 4)
    assert.deepEqual(Object.getOwnPropertyNames(error), before)
  })

  for (const name of ['sparse', 'cut', 'moved'])
    test(`arrive as errors when they hold what cannot travel, or hardly (${name})`, async () => {
      const error = await rejection(executor.tasks.throwWith(name))
      assert.ok(error instanceof RangeError)
      assert.deepEqual([error.message, error.code], ['holds it', 'E_HOLDS'])
      const thrown = await rejection(executor.tasks.throwValue(name))
      assert.notEqual(thrown?.code, 'TW_ERR_NOT_CLONEABLE')
      assert.equal(await executor.tasks.echo(1), 1)
    })

  test('a list of a number and thousands of millions of holes travels by what it holds', async () => {
    assert.equal(await executor.tasks.lengthOf(sparse()), 4_294_967_295)
    const list = await executor.tasks.sparse()
    assert.deepEqual(
      [list.length, Object.keys(list), list.at(-1)],
      [4_294_967_295, ['0', '4294967294'], 'end'],
    )
    const mixed = Array.from({ length: 70_000 }, (_, i) => (i === 69_999 ? 'last' : i))
    assert.deepEqual(await executor.tasks.echo(mixed), mixed)
    const numbers = Array.from({ length: 200_000 }, (_, i) => (i === 199_999 ? 0.5 : i))
    assert.deepEqual(await executor.tasks.echo(numbers), numbers)
  })

  test('a view that its buffer has become too short for is refused with its place', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    for (const call of [executor.tasks.echo({ view: cut() }), executor.tasks.cut()]) {
      const error = await rejection(call)
      assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
      assert.match(error.message, /(args\[0\]\.view|result) is a view/)
    }
  })
})
