// What is sent is looked at once, whatever its writer finds out on the way: a getter may have a price, or give another value the next time.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BY_PIPE, carry, copyValue, receive } from '../../../../../build/runtime/wire/codec/packet.js'
import { registerClass } from '../../../../../build/runtime/task/register-class.js'

const ways = {
  'by message': copyValue,
  'by pipe': (value) => receive(carry(value, { carrier: BY_PIPE }).carried),
}

class Doc {
  constructor(lines) {
    this.lines = lines
  }
}
registerClass(Doc, { toData: (doc) => ({ lines: doc.lines }), fromData: ({ lines }) => new Doc(lines) })

/** Texts of which one, at a place of its own, is not of one-byte characters. */
const lines = (count, at) =>
  Array.from({ length: count }, (_, i) => (i === at ? `строка ${i} 😀` : `line number ${i}, café`))
const fewItemsOfMany = () => {
  const list = Array.from({ length: 20_001 })
  for (let i = 0; i < 20_000; i++) if (i % 3) delete list[i]
  delete list[20_000]
  return list
}

/** What the writer finds out only when it has read some of it. */
const surprises = {
  'one text of two-byte characters among few': () => lines(50, 40),
  'one early among many': () => lines(3000, 3),
  'one late among many': () => lines(3000, 2900),
  'some, apart from each other': () => [lines(900, 300), lines(900, 700), lines(900, 10)],
  'a list with many holes': fewItemsOfMany,
  'a list of thousands of millions of holes': () => {
    const list = [1]
    list[3_000_000_000] = 'far'
    list[3_000_000_001] = 'farther'
    return list
  },
  'numbers, then others': () => [
    [1, 2, 3, 4, 'five'],
    [1, 2, 3.5, 4, null, -0],
    [0.5, 1, 2, 3, , 5], // eslint-disable-line no-sparse-arrays -- holes are what is tested
    Array.from({ length: 150_000 }, (_, i) => (i < 100_000 ? i : i + 0.5)),
    [...Array.from({ length: 70_000 }, (_, i) => i), 'end'],
  ],
}

for (const [way, send] of Object.entries(ways))
  describe(`sent ${way}`, () => {
    for (const [what, make] of Object.entries(surprises)) {
      test(`${what}: a getter beside it is read once, and all arrives as it was`, () => {
        let reads = 0
        const value = { get before() { return ++reads }, parts: make() } // prettier-ignore
        const copy = send(value)
        assert.equal(copy.before, 1)
        assert.equal(reads, 1)
        assert.deepStrictEqual(Object.entries(copy.parts), Object.entries(value.parts))
        assert.equal(copy.parts.length, value.parts.length)
      })

      test(`${what}: a registered instance that holds it may occur twice`, () => {
        const doc = new Doc(make())
        const [first, second] = send([doc, doc])
        assert.ok(first instanceof Doc)
        assert.equal(first, second)
        assert.deepStrictEqual(Object.entries(first.lines), Object.entries(doc.lines))
      })
    }

    test('items that are getters are read once', () => {
      for (const items of [
        [0, 1, 2, 3, 4, 5],
        [0, 1, 2.5, 3, 4],
        [0, 1, 2.5, 'three', 4],
        ['a', 1, 2, 3],
        [1, 2, undefined, 4],
      ]) {
        const reads = items.map(() => 0)
        const list = items.map(() => 0)
        items.forEach((item, i) =>
          Object.defineProperty(list, i, { enumerable: true, get: () => (reads[i]++, item) }),
        )
        assert.deepStrictEqual(send({ list }).list, items)
        assert.deepStrictEqual(new Set(reads), new Set([1]))
      }
    })

    test('a getter among numbers may send a list of numbers itself', () => {
      const list = [1, 2, 3, 4, 5, 'six']
      Object.defineProperty(list, 3, { enumerable: true, get: () => send([0.5, 1, 2, 'x']).length })
      assert.deepStrictEqual(send(list), [1, 2, 3, 4, 5, 'six'])
    })
  })
