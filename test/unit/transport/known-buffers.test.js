// Buffers that calls name by number: which are, who is told, and when they are forgotten.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { BufferTable, KnownBuffers } from '../../../dist/transport/known-buffers.js'
import { decode } from '../../../dist/transport/decode-value.js'
import { encode, TOO_LONG, UNFIT } from '../../../dist/transport/encode-value.js'
import { viewsOf } from '../../../dist/transport/memory.js'
import { collectGarbage } from '../../helpers/collect-garbage.js'
import { assertSameClone } from '../../helpers/same-clone.js'

/** Both sides, with what the one has told the other. */
function createSides() {
  const told = []
  const table = new BufferTable()
  const known = new KnownBuffers((news) => {
    told.push(news)
    assert.equal(table.note(news), true)
  })
  const memory = viewsOf(new SharedArrayBuffer(4096))
  memory.numberOf = known.numberOf
  memory.bufferOf = (number) => table.get(number)
  return { told, table, known, memory }
}

test('the first call with a buffer goes by message, the workers are told before the second', () => {
  const { told, table, known } = createSides()
  const [a, b] = [new SharedArrayBuffer(8), new SharedArrayBuffer(8)]
  assert.equal(known.numberOf(a), undefined)
  assert.equal(known.numberOf(b), undefined)
  assert.deepEqual(told, [])
  assert.equal(known.numberOf(b), 1)
  assert.equal(known.numberOf(a), 2)
  assert.equal(known.numberOf(a), 2)
  assert.deepEqual(told.map(({ type, number }) => [type, number]), [['buffer', 1], ['buffer', 2]]) // prettier-ignore
  assert.equal(table.get(1), b)
  assert.deepEqual([...known.all()].map(({ number, buffer }) => [number, buffer]), [[1, b], [2, a]]) // prettier-ignore
})

test('a buffer that the program has dropped is forgotten on both sides', async () => {
  const { told, table, known } = createSides()
  const kept = new SharedArrayBuffer(8)
  const use = (buffer) => [known.numberOf(buffer), known.numberOf(buffer)]
  use(kept)
  use(new SharedArrayBuffer(8))
  // The table of this test holds the buffer too: as in another thread, what it holds is another object.
  table.note({ type: 'buffer', number: 2, buffer: structuredClone(table.get(2)) })
  told.length = 0
  for (let i = 0; i < 50 && told.length === 0; i++) {
    collectGarbage()
    await turn()
  }
  assert.deepEqual(told, [{ type: 'forget-buffer', number: 2 }])
  assert.equal(table.get(2), undefined)
  assert.deepEqual(
    [...known.all()].map(({ buffer }) => buffer),
    [kept],
  )
})

test('other messages are not taken for news of buffers', () => {
  const table = new BufferTable()
  for (const message of [undefined, 0, [], { type: 'cancel', id: -1 }])
    assert.equal(table.note(message), false)
})

describe('values with a buffer that is known', () => {
  const { known, memory, told } = createSides()
  const buffer = new SharedArrayBuffer(64)
  new Uint8Array(buffer).set([1, 2, 3, 4, 5, 6, 7, 8, 9])
  for (let i = 0; i < 2; i++) known.numberOf(buffer)
  const travel = (value) => {
    assert.ok(encode(memory, 5, 4096, value) > 0)
    return decode(memory, 5)
  }

  test('are the same as clones, and no copies', () => {
    const views = [
      ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
      ...[Float32Array, Float64Array, BigInt64Array, BigUint64Array],
    ].flatMap((type) => [new type(buffer), new type(buffer, 8, 2), new type(buffer, 64, 0)])
    for (const value of [buffer, ...views, { views, from: 1 }]) assertSameClone(travel(value), structuredClone(value)) // prettier-ignore
    const [a, b] = travel([new Uint8Array(buffer, 1, 4), new Int32Array(buffer)])
    assert.equal(a.buffer, b.buffer)
    a[0] = 99
    assert.equal(new Uint8Array(buffer)[1], 99)
    assert.equal(told.length, 1)
  })

  test('a Buffer comes as a Uint8Array, as by message', () => {
    const copy = travel(Buffer.from(buffer, 2, 3))
    assert.equal(Object.getPrototypeOf(copy), Uint8Array.prototype)
    assert.deepEqual([copy.byteOffset, copy.length], [2, 3])
  })

  test('do not go beyond their end', () => {
    for (let room = 9; room < 22; room++)
      assert.equal(encode(memory, 0, room, new Uint8Array(buffer)), TOO_LONG)
    assert.equal(encode(memory, 0, 22, new Uint8Array(buffer)), 22)
  })

  test('refused are a DataView, a view met twice, and a buffer that can grow', () => {
    const view = new Uint8Array(buffer)
    const growable = new SharedArrayBuffer(8, { maxByteLength: 16 })
    for (const value of [new DataView(buffer), [view, view], growable, new Uint8Array(growable)])
      for (let i = 0; i < 3; i++) assert.equal(encode(memory, 0, 4096, value), UNFIT)
  })
})
