// What a function can reach: the walk through variables, objects and functions, without a call of anything.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openClosures } from '../../../../../build/measure/doctor/state/closures.js'
import { compareStates } from '../../../../../build/measure/doctor/state/compare-states.js'
import { rememberLanguage } from '../../../../../build/measure/doctor/state/language.js'
import { walkState } from '../../../../../build/measure/doctor/state/walk-state.js'

const closures = openClosures()
after(() => closures.end())
const language = rememberLanguage()

/** @param variables those around the function, by their names */
const walk = (text, variables) => walkState({ closures, language }, { text, variables })

/** Paths by which two states of a function differ: before and after `change`. */
function changedBy(text, variables, change) {
  const before = walk(text, variables).graph
  change()
  return compareStates(before, walk(text, variables).graph).map(({ path }) => path)
}

describe('the state of a function', () => {
  test('is what its text names, and all behind that', () => {
    const config = { vat: { AT: 0.2 }, used: 1 }
    const other = { x: 1 }
    const text = '(country) => config.vat[country]'
    assert.deepEqual(
      changedBy(text, { config, other }, () => (config.vat.AT = 0.1)),
      ['config.vat.AT'],
    )
    assert.deepEqual(
      changedBy(text, { config, other }, () => (config.used = 2)),
      [],
    )
    assert.deepEqual(
      changedBy(text, { config, other }, () => (other.x = 2)),
      [],
    )
  })

  test('holds the variables of functions that it reaches', () => {
    let count = 0
    const next = () => ++count
    assert.deepEqual(changedBy('() => next()', { next }, next), ['count'])
  })

  for (const [what, make, change] of [
    ['a map', () => new Map([['a', 1]]), (map) => map.set('a', 2)],
    ['a set', () => new Set([1]), (set) => set.add(2)],
    ['a list', () => [1, 2], (list) => list.push(3)],
    ['a long list', () => Array.from({ length: 200 }, (_, at) => at), (list) => (list[150] = 0)],
    ['bytes', () => new Uint8Array(4), (bytes) => (bytes[1] = 7)],
    ['a date', () => new Date(0), (date) => date.setTime(1)],
    ['a field under a symbol', () => ({ [Symbol.for('n')]: 1 }), (value) => (value[Symbol.for('n')] = 2)],
    ['a field that is not enumerable', () => Object.defineProperty({}, 'n', { value: 1, writable: true }), (value) => (value.n = 2)],
    ['a property of a function', () => Object.assign(() => {}, { n: 1 }), (value) => (value.n = 2)],
    ['the prototype of an object', () => ({}), (value) => Object.setPrototypeOf(value, { n: 1 })],
    ['a method of a class', () => new (class A { m() { return 1 } })(), (value) => (Object.getPrototypeOf(value).m = () => 2)],
    ['a private field', () => new (class A { #n = 1; add() { return ++this.#n } })(), (value) => value.add()],
    ['what is behind a proxy', () => new Proxy({ n: 1 }, {}), (value) => (value.n = 2)],
    ['what a function is bound to', () => { const owner = { n: 1 }; return Object.assign(function () { return this.n }.bind(owner), { owner }) }, (value) => value.owner.n++],
  ])
    test(`holds ${what}`, () => {
      const value = make()
      assert.ok(changedBy('() => value', { value }, () => change(value)).length > 0)
    }) // prettier-ignore

  test('calls no getter and no proxy on the way', () => {
    const fail = () => assert.fail('something was called')
    const value = { get a() { return fail() }, b: new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail }) } // prettier-ignore
    assert.ok(walk('() => value', { value }).graph.isWhole)
  })

  test('holds what somebody has changed of the language, where its text needs that', () => {
    try {
      const change = () => (BigInt.prototype.toJSON = function () { return String(this) }) // prettier-ignore
      assert.deepEqual(changedBy('(row) => JSON.stringify(row)', {}, change), ['BigInt.prototype.toJSON'])
      assert.deepEqual(Object.keys(walk('(a) => a + 1', {}).graph.language), [])
    } finally {
      delete BigInt.prototype.toJSON
    }
  })

  test('holds a changed pattern where its text takes texts apart, and what all objects have where it asks for their keys', () => {
    const { exec } = RegExp.prototype
    const changesFor = (text) => Object.keys(walk(text, {}).graph.language)
    try {
      RegExp.prototype.exec = function (text) { return exec.call(this, text) } // prettier-ignore
      Object.prototype.everywhere = 1
      assert.deepEqual(changesFor('(text) => text.replace(/a/, "b")'), ['RegExp.prototype.exec'])
      assert.deepEqual(changesFor('(row) => { for (const key in row) return key }'), ['Object.prototype.everywhere']) // prettier-ignore
      assert.deepEqual(changesFor('(a) => a + 1'), [])
    } finally {
      RegExp.prototype.exec = exec
      delete Object.prototype.everywhere
    }
  })

  test('does not tell a class that names itself from one that does not', () => {
    class Named {
      copy() {
        return new Named()
      }
    }
    const { nodes, roots } = walk('() => new Named()', { Named }).graph
    assert.ok(!(' of Named' in nodes[Number(roots.Named.slice(1))].parts))
  })

  test('ends where there is too much, and says so', () => {
    const value = Array.from({ length: 30_000 }, (_, id) => ({ id }))
    assert.equal(walk('() => value', { value }).graph.isWhole, false)
  })

  test('names the classes of errors that it reaches, and of keys those that code names', () => {
    class Gone extends Error {}
    const table = { known: 1, 'ann@example.com': 2 }
    const { graph } = walk('() => { table.known; throw new Gone(all(table)) }', {
      Gone,
      table,
      all: (x) => x,
    })
    assert.deepEqual(graph.errors.map(({ name }) => name), ['Gone']) // prettier-ignore
    assert.ok(graph.names.includes('known') && !graph.names.includes('ann@example.com'))
  })

  test('takes no words of code that was made while the app ran', () => {
    const run = new Function('return "sk_live_4711"')
    const table = { sk_live_4711: 1 }
    const { graph } = walk('() => run(table)', { run, table })
    assert.deepEqual(graph.names, [])
  })

  test('knows the objects that it came by', () => {
    const inner = {}
    const { reached } = walk('() => value', { value: { inner } })
    assert.deepEqual([reached(inner), reached({})], [true, false])
  })
})
