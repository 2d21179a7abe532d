// What a page sends without a copy of its own: nothing that structured clone would change, wherever it lies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byBrand } from '../../../../fixtures/values/brands.js'
import { forThreads, kept, refused } from '../../../../fixtures/values/channels.js'
import { registerClass } from '../../../../../build/runtime/task/register-class.js'
import { looksPlain } from '../../../../../build/runtime/web/shims/looks-plain.js'

class Money {
  cents = 1
}

/** What throws when it is looked at is for the copy, too. */
function isSentItself(value, isHasty) {
  try {
    return looksPlain(value, isHasty)
  } catch {
    return false
  }
}

/** Ways to hold something. */
const HOLDERS = {
  'a field': (part) => ({ a: 1, part, b: 2 }),
  'a field without prototype': (part) => Object.assign(Object.create(null), { part }),
  'an item': (part) => [1, part, 2],
  'an item beside holes': (part) => [, part, ,], // eslint-disable-line no-sparse-arrays -- holes are what is tested
  'a field of a list': (part) => Object.assign([1, 2], { part }),
  'a field of an empty list': (part) => Object.assign([], { part }),
  'a field of a list with as many holes as fields': (part) => Object.assign([, 1], { part }), // eslint-disable-line no-sparse-arrays -- the same
  'a field of a list that ends with a hole': (part) => Object.assign([1, ,], { part }), // eslint-disable-line no-sparse-arrays -- the same
  'a value of a Map': (part) => new Map([['a', part]]),
  'a key of a Map': (part) => new Map([[part, 'a']]),
  'a member of a Set': (part) => new Set([1, part]),
}

const OTHERS = {
  'an instance': () => new Money(),
  'an error': () => new RangeError('no'),
  'an error with the prototype of an object': () => Object.setPrototypeOf(new Error('no'), Object.prototype),
  'a URL': () => new URL('http://a.example'),
  'a function': () => () => 1,
  'a symbol': () => Symbol('s'),
  'a list of a class of its own': () => new (class Rows extends Array {})(),
  'a Map of a class of its own': () => new (class Index extends Map {})(),
  'a Date with a field': () => Object.assign(new Date(0), { zone: 'UTC' }),
  'a Buffer': () => Buffer.from('abc'),
}

for (const [where, hold] of Object.entries(HOLDERS)) {
  for (const [what, other] of Object.entries(OTHERS))
    test(`${what} is seen as ${where}, also deep within`, () => {
      assert.equal(looksPlain(hold(other()), false), false)
      assert.equal(looksPlain({ rows: [{ tags: [hold(other())] }] }, false), false)
    })
}

test('in haste, fields of lists are left out', () => {
  const list = Object.assign([1], { money: new Money() })
  assert.deepEqual([looksPlain([list], true), looksPlain([list], false)], [true, false])
  for (const holds of [[new Money()], [[new URL('http://a.example')]], [, new Money()]]) assert.equal(looksPlain(holds, true), false) // eslint-disable-line no-sparse-arrays -- as above
}) // prettier-ignore

test('plain values are', () => {
  const parts = ['a', 1, 2n, null, undefined, true, {}, [], new Date(0), /x/g, new Uint8Array(3), new Map(), new Set()]
  for (const part of parts) for (const name of ['a field', 'an item', 'a value of a Map', 'a member of a Set']) assert.ok(looksPlain(HOLDERS[name](part), false), `${name}: ${String(part)}`)
}) // prettier-ignore

test('a circle is left to the copy', () => {
  const rows = [{}]
  rows[0].rows = rows
  assert.equal(looksPlain(rows, false), false)
})

for (const [name, [makeValue, holds]] of Object.entries({ ...kept, ...forThreads, ...byBrand }))
  test(`${name}: kept by structured clone, or left to the copy`, () => {
    const value = makeValue()
    for (const isHasty of [false, true])
      if (isSentItself(value, isHasty)) assert.ok(holds(structuredClone(value), value))
  })

for (const [name, makeValue] of Object.entries(refused))
  test(`${name}: left to the copy, which refuses it, or refused by structured clone`, () => {
    const value = makeValue()
    for (const isHasty of [false, true])
      if (isSentItself(value, isHasty)) assert.throws(() => structuredClone(value))
  })

test('a class of the platform that is registered is left to the copy', () => {
  for (const value of [/x/, new Uint8Array(1), new Map(), []]) {
    assert.ok(looksPlain({ value }, false))
    registerClass(value.constructor, { toData: String, fromData: () => value })
    assert.equal(looksPlain({ value }, false), false)
  }
})
