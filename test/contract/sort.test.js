// sort: what TypedArray.prototype.sort gives, on every executor, type and kind of memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threads } from 'threadwise'
import { sort } from 'threadwise/parallel'
import { describeExecutors, rejection, taskModule } from '../helpers/executors.js'
import { assertSameArray, randomArray } from '../helpers/random-arrays.js'
import { byKey } from '../fixtures/tasks/parallel.js'

const TYPES = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array] // prettier-ignore
async function check(pool, array) {
  const expected = array.slice().sort()
  assert.equal(await sort(pool, array), array)
  assertSameArray(array, expected, `${array.constructor.name} of ${array.length}`)
}

describeExecutors('sort', (make) => {
  const pool = make('parallel.js')

  test('every type, plain and shared', async () => {
    for (const Type of TYPES) for (const isShared of [false, true]) await check(pool, randomArray(Type, 25_001, isShared)) // prettier-ignore
  })

  test('every size', async () => {
    for (const length of [0, 1, 2, 19_999, 20_000, 20_001, 70_003])
      await check(pool, randomArray(Float64Array, length, true))
  })

  test('a Buffer, whose slice() is a view, within a larger one', async () => {
    const outer = Buffer.from(Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 251))
    const expected = [...outer.subarray(5000, 65_000)].sort((a, b) => a - b)
    const rest = [...outer.subarray(0, 5000), ...outer.subarray(65_000)]
    const array = outer.subarray(5000, 65_000)
    assert.equal(await sort(pool, array), array)
    assert.deepEqual([...array], expected)
    assert.deepEqual([...outer.subarray(0, 5000), ...outer.subarray(65_000)], rest)
  })

  test('sorted, reversed, all equal, only NaN, only zeros', async () => {
    const length = 30_000
    for (const value of [
      (i) => i,
      (i) => -i,
      () => 7,
      () => NaN,
      (i) => (i % 2 ? 0 : -0),
      (i) => (i % 3 ? 1 : NaN),
    ])
      // prettier-ignore
      await check(pool, Float64Array.from({ length }, (_, i) => value(i)))
  })

  test('wrong calls, and a signal', async () => {
    const reason = new Error('enough')
    assert.equal(
      await rejection(sort(pool, new Float64Array(3), { signal: AbortSignal.abort(reason) })),
      reason,
    )
    for (const wrong of [[1, 2], undefined, new DataView(new ArrayBuffer(8)), new ArrayBuffer(8)])
      assert.equal((await rejection(sort(pool, wrong))).code, 'TW_ERR_INVALID_CALL')
    assert.equal((await rejection(sort(undefined, new Float64Array(1)))).code, 'TW_ERR_INVALID_CALL')
    for (const compare of [() => 0, '', 5])
      assert.equal(
        (await rejection(sort(pool, new Float64Array(1), { compare }))).code,
        'TW_ERR_INVALID_OPTION',
      )
    for (const wrong of [undefined, {}, new DataView(new ArrayBuffer(8))])
      assert.equal((await rejection(sort(pool, wrong, { compare: 'byKey' }))).code, 'TW_ERR_INVALID_CALL')
  })

  test('by a comparator of the module: what Array.prototype.sort gives, with the same objects', async () => {
    for (const length of [0, 1, 2, 999, 1000, 5003]) {
      const items = Array.from({ length }, (_, i) => ({ key: (i * 7919) % 97, i }))
      const expected = [...items].sort(byKey)
      assert.equal(await sort(pool, items, { compare: 'byKey' }), items)
      assert.ok(expected.every((item, i) => items[i] === item), `${length} items`) // prettier-ignore
    }
    for (const turn of [1, -1]) {
      const items = Array.from({ length: 3000 }, (_, i) => ({ key: turn * i }))
      const expected = [...items].sort(byKey)
      await sort(pool, items, { compare: 'byKey' })
      assert.ok(expected.every((item, i) => items[i] === item))
    }
  })

  test('by a comparator, numbers too; what is undefined and holes come last', async () => {
    const numbers = Float64Array.from({ length: 3000 }, (_, i) => (i * 31) % 1009)
    const expected = numbers.slice().sort((a, b) => b - a)
    assert.deepEqual(await sort(pool, numbers, { compare: 'falling' }), expected)
    const sparse = [3, , undefined, 1, , 2] // eslint-disable-line no-sparse-arrays
    assert.deepEqual(await sort(pool, sparse, { compare: 'falling' }), [3, 2, 1, undefined, , ,]) // eslint-disable-line no-sparse-arrays
    assert.deepEqual(await sort(pool, [1, 2, 3], { compare: 'noOrder' }), [1, 2, 3])
  })

  test('a comparator that throws, gives a promise or does not exist rejects, and the array is as it was', async () => {
    const items = Array.from({ length: 2000 }, (_, i) => ({ key: -i }))
    const before = [...items]
    const refused = { failsAt: 'Error', byKeyLater: 'TypeError', absent: 'TW_ERR_TASK_NOT_FOUND' }
    for (const [compare, expected] of Object.entries(refused)) {
      const error = await rejection(sort(pool, items, { compare }))
      assert.equal(error.code ?? error.name, expected)
      assert.deepEqual(items, before)
    }
  })
})

for (const size of [1, 3, 4, 5]) {
  test(`${size} workers sort by a comparator`, async (t) => {
    const pool = threads(taskModule('parallel.js'), { size })
    t.after(() => pool.close())
    const items = Array.from({ length: 10_007 }, (_, i) => ({ key: (i * 7919) % 101, i }))
    const expected = [...items].sort(byKey)
    await sort(pool, items, { compare: 'byKey' })
    assert.ok(expected.every((item, i) => items[i] === item))
  })

  test(`${size} workers lose no item by a comparator that contradicts itself`, async (t) => {
    const pool = threads(taskModule('parallel.js'), { size })
    t.after(() => pool.close())
    const items = Array.from({ length: 10_007 }, (_, i) => ({ i }))
    const all = new Set(items)
    await sort(pool, items, { compare: 'contradicts' })
    assert.equal(items.length, 10_007)
    assert.deepEqual(new Set(items), all)
  })
}

for (const size of [1, 3, 4, 5]) {
  test(`${size} workers`, async (t) => {
    const pool = threads(taskModule('parallel.js'), { size })
    t.after(() => pool.close())
    for (const odd of [0, 0.5]) await check(pool, randomArray(Float64Array, 40_001, true, odd))
  })
}

test('a worker that dies rejects, and a plain array stays as it was', async () => {
  const pool = threads(taskModule('parallel.js'), { size: 2 })
  const array = randomArray(Float64Array, 400_000, false)
  const before = array.slice()
  const error = rejection(sort(pool, array))
  setImmediate(() => pool.destroy())
  assert.equal((await error).code, 'TW_ERR_DESTROYED')
  assertSameArray(array, before, 'before')
})
