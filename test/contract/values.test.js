// What inline gives, every executor gives, or rejects at the call with the path to the part that cannot travel.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { all } from '../helpers/streams.js'
import { counting } from '../fixtures/tasks/values.js'
import { byBrand } from '../fixtures/values/brands.js'
import { forThreads, kept, refused } from '../fixtures/values/channels.js'
import '../fixtures/classes/shapes.js'

/** Of such values an error brings as much as is of use. */
const tooLarge = ['nested 800 deep', 'keys that are data (5,000 uuids x 3)']

describeExecutors('values', (make, { kind, isPool }) => {
  const executor = make('values.js')
  /** Plain getters and prototypes of a user's class are only copied where something is copied. */
  const isCopied = isPool
  const skipped = isCopied ? [] : ['null prototype', 'other class -> its fields', 'getter is read once', 'sparse keys added on the way', 'vm context: object, array, Map, Date, Error', 'RegExp (lastIndex 0, as a clone)', 'DataView', 'slice of a Buffer, with its own bytes only', 'vm context: Map and Set with an error', 'arguments object', ...Object.keys(byBrand)] // prettier-ignore
  const carried = kind === 'processes' ? kept : { ...kept, ...forThreads }

  const many = Array.from({ length: 300 }, (_, i) => ({ i }))

  for (const [name, [makeValue, holds]] of Object.entries(carried)) {
    if (skipped.includes(name)) continue
    test(`${name}: as an argument and a result, beside many objects, after a promise, as an item, and in an error`, async () => {
      const value = makeValue()
      assert.ok(holds(await executor.tasks.echo(value), value), 'argument and result')
      const [, inMany] = await executor.tasks.echo([many, value])
      assert.ok(holds(inMany, value), 'beside many objects')
      assert.ok(holds(await executor.tasks.later(value), value), 'after a promise')
      const [item] = await all(executor.stream('items', [value]))
      assert.ok(holds(item, value), 'item of a stream')
      if (tooLarge.includes(name)) return
      const error = await rejection(executor.tasks.inError(value))
      assert.ok(holds(error.value, value), 'field of an error')
    })
  }

  for (const bytes of [100, 60_000, 70_000])
    test(`a value of ${bytes} bytes is looked at once, also where it waits for a worker or for room`, async (t) => {
      if (!isPool) return t.skip('nothing is sent')
      const own = make('values.js', { size: 2 })
      await own.tasks.echo(0)
      const given = Array.from({ length: 40 }, () => counting(bytes))
      const calls = given.flatMap((value) => [
        own.tasks.later(value),
        own.tasks.counting(bytes),
        own.tasks.countingLater(bytes),
      ])
      await setImmediate()
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100) // meanwhile nobody reads the results
      for (const { looks } of await Promise.all(calls)) assert.equal(looks, 1)
      for (const value of given) assert.equal(value.looks, 2)
    })

  test('large values that are on their way together stay apart', async () => {
    const large = (i) => {
      const length = 5_000 + 70_000 * (i % 5) + i
      return { i, text: `${i}`.repeat(length), wide: `${i}€`.repeat(length / 2), bytes: Buffer.alloc(length, i), list: new Uint16Array(length).fill(i) } // prettier-ignore
    }
    const values = Array.from({ length: 30 }, (_, i) => large(i))
    for (const task of ['echo', 'later']) {
      const back = await Promise.all(values.map((value) => executor.run(task, [value])))
      back.forEach((value, i) => assert.ok(isDeepStrictEqual(value, values[i]), `${task} ${i}`))
    }
  })

  if (!isPool) return
  describe('refused, with the path', () => {
    for (const [name, makeValue] of Object.entries(refused))
      test(name, async () => {
        const error = await rejection(executor.tasks.echo(makeValue()))
        assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
        assert.match(error.message, /^An argument of task "echo" .*args\[0\]\.a\[0\]\.f/)
        const second = await rejection(executor.run('echo', [1, makeValue()]))
        assert.match(second.message, /args\[1\]\.a\[0\]\.f/)
        const third = await rejection(executor.tasks.echo([many, makeValue()]))
        assert.match(third.message, /args\[0\]\[1\]\.a\[0\]\.f/)
      })
    test('after one look at it', async (t) => {
      if (kind === 'adaptive') return t.skip('its first look is at flat objects, which it copies by itself')
      const value = { ...counting(1), f() {} }
      let looks = 0
      Object.defineProperty(value, 'text', { enumerable: true, get: () => ++looks })
      assert.equal((await rejection(executor.tasks.echo(value))).code, 'TW_ERR_NOT_CLONEABLE')
      assert.equal(looks, 1)
    })
  })

  if (kind !== 'processes') return
  for (const [name, [makeValue]] of Object.entries(forThreads))
    test(`${name}: is refused, and says that only threads carry it`, async () => {
      const error = await rejection(executor.tasks.echo(makeValue()))
      assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
      assert.match(error.message, /only threads can be given/)
    })
})
