import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deserialize, serialize } from 'node:v8'
import { ownMemory } from '../../../../build/runtime/wire/own-memory.js'

/** As it comes through a pipe: views of what was read. */
const received = (value) => deserialize(serialize(value))

test('views become copies of the same kind, in their places', () => {
  const views = () => ({
    bytes: Uint8Array.of(1, 2, 3),
    large: new Uint8Array(20_000).fill(7),
    list: [Float64Array.of(1.5, -0), [Buffer.from('text')]],
    map: new Map([['a', 1], [Uint8Array.of(4), Int16Array.of(-1)], ['z', 2]]), // prettier-ignore
    set: new Set(['first', new DataView(Uint8Array.of(9, 8).buffer), 'last']),
    empty: new Uint8Array(0),
    plain: { date: new Date(5), text: 'x', none: null },
  })
  const owned = ownMemory(received(views()))
  assert.deepEqual(owned, views())
  assert.ok(Buffer.isBuffer(owned.list[1][0]))
  const [[, value]] = [...owned.map].slice(1)
  const all = [owned.bytes, owned.large, owned.list[0], owned.list[1][0], value, [...owned.set][1]]
  for (const view of all) assert.equal(view.buffer.byteLength, view.byteLength)
  assert.deepEqual([...owned.map.keys()].map(String), ['a', '4', 'z'])
})

test('what occurs twice, and what holds itself, still does so', () => {
  const bytes = Uint8Array.of(1, 2)
  const round = { bytes, again: [bytes] }
  round.self = [round]
  const owned = ownMemory(received(round))
  assert.equal(owned.bytes, owned.again[0])
  assert.equal(owned.self[0], owned)
})

test('a message that is a view, or nothing of the kind', () => {
  assert.deepEqual(ownMemory(received(Uint8Array.of(1))).buffer.byteLength, 1)
  for (const value of [undefined, null, 'text', 5]) assert.equal(ownMemory(value), value)
})

test('named properties of a list', () => {
  const list = Object.assign([1, [2]], { bytes: Uint8Array.of(1, 2) })
  const owned = ownMemory(received([list]))[0]
  assert.deepEqual([...owned], [1, [2]])
  assert.equal(owned.bytes.buffer.byteLength, 2)
})

test('what a program has added to all lists is left alone', (t) => {
  const view = new Uint8Array(new ArrayBuffer(8), 2, 3)
  Object.defineProperty(Array.prototype, 'added', { value: { view }, enumerable: true, configurable: true })
  t.after(() => delete Array.prototype.added)
  ownMemory(received({ list: [1] }))
  assert.equal([].added.view, view)
})

test('long objects that occur often, and lists with holes, are read once', () => {
  let reads = 0
  const counted = (target) => new Proxy(target, { get: (...of) => (reads++, Reflect.get(...of)) })
  const long = counted(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`f${i}`, i])))
  ownMemory(new Array(200).fill(long))
  assert.ok(reads < 4000, `${reads} reads of 3000 fields`)
  const sparse = []
  sparse[4_000_000_000] = new Uint8Array(new ArrayBuffer(8), 2, 3)
  reads = 0
  ownMemory(counted(sparse))
  assert.ok(reads < 30_000, `${reads} reads of one item`)
  assert.equal(sparse.at(-1).buffer.byteLength, 3)
})

test('a field called __proto__ stays a field', () => {
  const message = received({ list: [JSON.parse('{"__proto__": 1}')] })
  Object.defineProperty(message.list[0], '__proto__', { value: new Uint8Array(new ArrayBuffer(8), 2, 3), enumerable: true, writable: true, configurable: true }) // prettier-ignore
  const [{ ['__proto__']: view }] = ownMemory(message).list
  assert.equal(view.buffer.byteLength, 3)
})

test('values nested deeper than the stack', () => {
  let deep = new Uint8Array(new ArrayBuffer(8), 1, 2)
  for (let i = 0; i < 50_000; i++) deep = [deep]
  let part = ownMemory(deep)
  while (Array.isArray(part)) part = part[0]
  assert.equal(part.buffer.byteLength, 2)
})
