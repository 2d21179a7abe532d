// Values into shared memory and out again: the same as structured clone makes them, or refused.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decode } from '../../../../../build/runtime/shared-memory/values/decode-value.js'
import { encode, TOO_LONG, UNFIT } from '../../../../../build/runtime/shared-memory/values/encode-value.js'
import { viewsOf } from '../../../../../build/runtime/shared-memory/values/memory.js'
import { randomValues } from '../../../../helpers/random-values.js'
import { assertSameClone } from '../../../../helpers/same-clone.js'

const SIZE = 64 * 1024
const memory = viewsOf(new SharedArrayBuffer(SIZE))

/** The value after its way through memory, at an odd place; undefined when it was refused. */
function travel(value, from = 3) {
  const end = encode(memory, from, SIZE, value)
  if (end < 0) return undefined
  const copy = { value: decode(memory, from), bytes: end - from }
  memory.bytes.fill(0xee, from, end) // what was read must not depend on the memory any more
  return copy
}

describe('what structured clone accepts', () => {
  for (let seed = 1; seed <= 20; seed++) {
    test(`comes out the same, or is refused (seed ${seed})`, () => {
      const next = randomValues(seed)
      for (let i = 0; i < 300; i++) {
        const value = next()
        const copy = travel(value)
        if (copy) assertSameClone(copy.value, structuredClone(value), `value ${i}`)
      }
    })
  }

  test('is mostly not refused: plain data', () => {
    const rows = [
      undefined, null, true, -0, NaN, 7, 2 ** 40, 'text', '\ud800', 10n ** 30n, new Date(5), [], {},
      { id: 1, name: 'a', values: [1.5, 2], nested: { deep: [null, { x: undefined }] } },
      Uint8Array.from([1, 2]), new Float64Array(3), Uint8Array.from([9]).buffer, JSON.parse('{"__proto__":1}'),
    ] // prettier-ignore
    for (const value of rows) assertSameClone(travel(value)?.value, structuredClone(value))
  })
})

describe('refused', () => {
  const shared = { a: 1 }
  const circle = []
  circle.push(circle)
  const refused = {
    'a function': () => {},
    'a symbol': Symbol('s'),
    'a proxy': new Proxy({}, {}),
    'a class instance': new (class A {})(),
    'an object that is met twice': [shared, shared],
    'a circle': circle,
    'a hole': [1, , 2], // eslint-disable-line no-sparse-arrays -- a hole is what is tested
    'an array with a property': Object.assign([1], { more: 1 }),
    'a long array with a hole': withHole(500),
    'a long array with a property': Object.assign(numbersTo(500), { more: 1 }),
    'a long array with a hole and a property': Object.assign(withHole(500), { more: 1 }),
    'a hole and a property': Object.assign([, 1], { more: 1 }), // eslint-disable-line no-sparse-arrays -- as above
    'a part of a buffer': new Uint8Array(8).subarray(4),
    'a view of shared memory': new Uint8Array(new SharedArrayBuffer(8)),
    'a detached buffer': detached(),
    'a Map': new Map(),
    'a date that looks plain': Object.setPrototypeOf(new Date(0), Object.prototype),
    'a boxed text that looks plain': Object.setPrototypeOf(Object('ab'), Object.prototype),
    'an error': new Error('x'),
    'more than 32 levels': Array.from({ length: 40 }).reduce((inner) => [inner], 1),
    'a getter that throws': {
      get bad() {
        throw new Error('no')
      },
    },
  }
  for (const [name, value] of Object.entries(refused)) {
    test(`${name}, alone and within an object`, () => {
      assert.equal(encode(memory, 0, SIZE, value), UNFIT)
      assert.equal(encode(memory, 0, SIZE, { inside: [value] }), UNFIT)
    })
  }

  test('a value whose getter makes a call while it is written: the inner one', () => {
    let inner
    const value = {
      get late() {
        inner = encode(memory, 1000, SIZE, 5)
        return 1
      },
    }
    assert.deepEqual(travel(value).value, { late: 1 })
    assert.equal(inner, UNFIT)
    assert.ok(encode(memory, 0, SIZE, 5) > 0, 'and nothing stays locked')
  })
})

describe('arrays of any length', () => {
  for (const length of [0, 1, 99, 100, 101, 102, 1000, 12_000]) {
    test(`of ${length} numbers, texts, and what reads like a hole`, () => {
      const arrays = [
        numbersTo(length),
        Array.from({ length }, (_, i) => i + 0.25).slice(0, 6000),
        Array.from({ length }, (_, i) => `${i % 7}`),
        new Array(length).fill(undefined),
      ]
      for (const array of arrays) assertSameClone(travel(array)?.value, structuredClone(array))
    })
  }

  test('a key that is a symbol, or not enumerable, is not part of a clone', () => {
    const array = Object.defineProperty(numbersTo(300), 'hidden', { value: 1 })
    assertSameClone(travel(array).value, structuredClone(array))
    const copy = travel(Object.assign(numbersTo(300), { [Symbol('s')]: 1 }))
    if (copy) assertSameClone(copy.value, numbersTo(300))
  })

  test('a list of numbers that does not fit is too long, whatever follows', () => {
    assert.equal(encode(memory, 0, SIZE, numbersTo(20_000)), TOO_LONG)
    assert.equal(encode(memory, 0, 4000, [...numbersTo(990), 'text']), TOO_LONG)
  })
})

describe('a value that is too long', () => {
  for (const value of [
    'x'.repeat(500),
    '€'.repeat(200),
    [...'abc'.repeat(100)],
    { key: 'v'.repeat(300) },
    new Uint8Array(400),
    2n ** 4000n,
  ]) {
    test(`never writes beyond its end (${typeof value}, ${Object.prototype.toString.call(value)})`, () => {
      const whole = encode(memory, 0, SIZE, value)
      assert.ok(whole > 0)
      for (let room = 0; room < whole; room++) {
        memory.bytes.fill(0xaa)
        assert.equal(encode(memory, 8, 8 + room, value), TOO_LONG, `${room} bytes`)
        assert.equal(memory.bytes.indexOf(0xff, 8 + room), -1)
        assert.ok(
          memory.bytes.subarray(8 + room, 8 + room + 64).every((byte) => byte === 0xaa),
          `${room} bytes`,
        )
      }
      assert.equal(encode(memory, 0, whole + 8, value), whole) // a small value asks for the room of the largest small one
    })
  }
})

test('an invalid date stays one', () => {
  const { value } = travel({ at: new Date(NaN) })
  assert.ok(value.at instanceof Date && Number.isNaN(value.at.getTime()))
})

test('objects of more shapes than the caches hold come out right', () => {
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 2000; i++) {
      const value = { [`key${i}`]: i, b: 2 }
      assert.deepEqual(travel(value).value, value)
    }
  }
})

describe('arrays that begin with numbers', () => {
  const arrays = [
    [1, 2, -3, 2 ** 31 - 1, -(2 ** 31)],
    [0, -0],
    [-0, 1],
    [1, 2.5, NaN, Infinity],
    [1, 2 ** 31],
    [1, 'two', 3],
    [1.5, undefined, null],
    [1, [2, { three: 3 }]],
    [1, 2n],
  ]
  for (const array of arrays)
    test(String(array), () => assertSameClone(travel(array).value, structuredClone(array)))

  test('and whose items are getters: each is asked once', () => {
    for (const later of [1.5, 'text', undefined]) {
      const make = () => {
        let asked = 0
        return Object.defineProperty([1, 0, 3], 1, {
          get: () => (asked++ === 0 ? later : 99),
          enumerable: true,
        })
      }
      assertSameClone(travel(make()).value, structuredClone(make()))
    }
  })

  test('in which nothing is left out when they hardly fit', () => {
    const value = [1, 2.5, 3]
    const whole = encode(memory, 0, SIZE, value)
    for (let room = 0; room < whole + 10; room++) {
      if (encode(memory, 0, room, value) >= 0) assert.deepEqual(decode(memory, 0), value, `${room} bytes`)
    }
  })
})

describe('objects like the one before', () => {
  const rows = [
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [{ a: 1 }, {}],
    [{ a: { x: 1 } }, { a: { y: 1, z: 2 } }],
    [{ a: 1 }, Object.defineProperty({ a: 1 }, 'hidden', { value: 2 })],
    [{ a: 1 }, Object.assign({ a: 1 }, { [Symbol('s')]: 2 })],
  ]
  for (const [before, value] of rows) {
    test(`${JSON.stringify(before)}, then ${JSON.stringify(value)}`, () => {
      travel(before)
      assertSameClone(travel(value).value, structuredClone(value))
    })
  }

  test('but for what they inherit', () => {
    travel({ a: 1, inherited: 2 })
    Object.prototype.inherited = 3
    try {
      assert.deepEqual(Object.keys(travel({ a: 1 }).value), ['a'])
      assert.deepEqual(Object.keys(travel({ a: 1, inherited: 2 }).value), ['a', 'inherited'])
      assert.deepEqual(Object.keys(travel({}).value), [])
    } finally {
      delete Object.prototype.inherited
    }
  })

  test('of which a getter removes a key: refused', () => {
    const value = {
      get first() {
        delete this.last
        return 1
      },
      last: 2,
    }
    assert.equal(encode(memory, 0, SIZE, value), UNFIT)
  })
})

function detached() {
  const buffer = new ArrayBuffer(8)
  structuredClone(buffer, { transfer: [buffer] })
  return buffer
}

function numbersTo(length) {
  return Array.from({ length }, (_, i) => i * 31)
}

function withHole(length) {
  const array = numbersTo(length)
  delete array[length >> 1]
  return array
}
