// Values that hold instances and errors: round trips through structured clone, and what is left alone.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { registerClass } from '../../../../dist/index.js'
import { encodeSpecial, encodeSpecialArguments } from '../../../../build/runtime/wire/encode-special.js'
import { readGraph } from '../../../../build/runtime/wire/graph-reader.js'
import { createRandom } from '../../../../build/measure/stats/random.js'
import { randomValues } from '../../../helpers/random-values.js'
import { Money, Point } from '../../../fixtures/classes/shapes.js'
import { assertSameClone } from '../../../helpers/same-clone.js'

const origin = { what: 'The result', task: 'test', where: 'here' }

/** The value after its way; fails when it went as it is. */
function travel(value) {
  const graph = encodeSpecial(value)
  assert.ok(graph, 'it was found to be nothing special')
  return readGraph(structuredClone(graph), origin)
}

describe('nothing special', () => {
  for (let seed = 1; seed <= 10; seed++) {
    test(`is found in values without instances and errors (seed ${seed})`, () => {
      const next = randomValues(seed)
      for (let i = 0; i < 200; i++) {
        const value = next()
        if (!holdsError(value)) assert.equal(encodeSpecial(value), undefined)
      }
    })
  }

  test('is found in what throws when it is looked at', () => {
    const refuse = () => {
      throw new Error('no')
    }
    assert.equal(encodeSpecial({ get bad() { return refuse() } }), undefined) // prettier-ignore
    assert.equal(encodeSpecial([new Proxy({}, { getPrototypeOf: refuse })]), undefined)
    assert.equal(encodeSpecialArguments([new Proxy({}, { getPrototypeOf: refuse })]), undefined)
  })
})

describe('arguments', () => {
  test('are nothing special where each is a primitive or a buffer', () => {
    assert.equal(encodeSpecialArguments([]), undefined)
    assert.equal(encodeSpecialArguments([new Uint8Array(3), 'a', null, undefined, 1n]), undefined)
  })

  test('travel as a list where one of them is an instance, wherever it stands', () => {
    const args = [new Uint8Array([1, 2]), new Point(1, 2)]
    const graph = encodeSpecialArguments(args)
    assert.ok(graph)
    assert.deepEqual(readGraph(structuredClone(graph), origin), args)
  })

  test('may be of a registered class of buffers', () => {
    class Pixels extends Uint8Array {}
    registerClass(Pixels, {
      name: 'Pixels',
      toData: (pixels) => [...pixels],
      fromData: (data) => new Pixels(data),
    })
    const [pixels] = readGraph(structuredClone(encodeSpecialArguments([new Pixels([1, 2])])), origin)
    assert.ok(pixels instanceof Pixels)
    assert.deepEqual([...pixels], [1, 2])
  })
})

describe('values that hold an instance', () => {
  for (let seed = 1; seed <= 20; seed++) {
    test(`come out the same otherwise (seed ${seed})`, () => {
      const next = randomValues(seed)
      for (let i = 0; i < 100; i++) {
        const value = next()
        // Errors are kept better than by structured clone; those of plain data must not be told apart from it.
        if (holdsError(value)) continue
        for (const instance of [new Point(i), new Money(i)]) {
          const [back, made] = travel([value, instance])
          assertSameClone(back, structuredClone(value), `value ${i}`)
          assert.equal(Object.getPrototypeOf(made), Object.getPrototypeOf(instance))
          assert.equal(made.x ?? made.cents, i)
        }
      }
    })
  }

  test('keep the order of maps and sets, and what is one object', () => {
    const random = createRandom(7)
    const pool = Array.from(
      { length: 20 },
      (_, i) => [new Point(i), new Money(i), { i }, new Error(`e ${i}`)][i % 4],
    )
    for (let round = 0; round < 200; round++) {
      const pick = () => pool[Math.floor(random() * pool.length)]
      const list = Array.from({ length: 8 }, pick)
      const value = {
        list,
        map: new Map(list.map((key, i) => [key, pick() && list[7 - i]])),
        set: new Set(list),
      }
      if (!list.some((each) => each instanceof Money || each instanceof Error || each instanceof Point))
        continue
      const back = travel(value)
      const twins = new Map(list.map((each, i) => [each, back.list[i]]))
      list.forEach((each, i) => assert.equal(back.list[i], twins.get(each)))
      assert.equal(new Set(back.list).size, new Set(list).size)
      assert.deepEqual([...back.set], [...value.set].map((each) => twins.get(each))) // prettier-ignore
      ;[...value.map].forEach(([key, held], i) => {
        const [backKey, backHeld] = [...back.map][i]
        assert.equal(backKey, twins.get(key))
        assert.equal(backHeld, twins.get(held))
      })
    }
  })

  test('are not touched themselves', () => {
    const value = Object.freeze({ money: new Money(1), list: Object.freeze([new Money(2)]), at: new Date(1) })
    const before = { ...value }
    assert.equal(travel(value).list[0].cents, 2)
    assert.deepEqual({ ...value }, before)
    assert.ok(value.money instanceof Money)
  })

  test('may have keys that mean something to the language', () => {
    const value = JSON.parse('{"__proto__":{"x":1},"constructor":2}')
    value.money = new Money(3)
    const back = travel(value)
    assert.deepEqual(Object.keys(back), ['__proto__', 'constructor', 'money'])
    assert.equal(Object.getPrototypeOf(back), Object.prototype)
    const held = Object.defineProperty({}, '__proto__', { value: new Money(4), enumerable: true })
    assert.equal(Object.getOwnPropertyDescriptor(travel(held), '__proto__').value.cents, 4)
  })

  test('may have holes, and properties beside the items', () => {
    const list = Object.assign([, new Money(1), ,], { extra: new Money(2) }) // eslint-disable-line no-sparse-arrays -- what is tested
    const back = travel([new Money(0), list])[1]
    assert.deepEqual([back.length, 0 in back, 2 in back], [3, false, false])
    assert.deepEqual([back[1].cents, back.extra.cents], [1, 2])
  })
})

describe('circles', () => {
  test('through fields, lists, maps, sets and errors are kept', () => {
    const point = new Point()
    const error = new Error('circle')
    point.x = {
      list: [point],
      map: new Map([[point, point]]),
      set: new Set([point]),
      error,
      money: new Money(1),
    }
    error.point = { point }
    error.cause = error
    const back = travel(point)
    const { list, map, set } = back.x
    assert.ok(back instanceof Point)
    assert.deepEqual([list[0] === back, map.get(back) === back, set.has(back)], [true, true, true])
    assert.equal(back.x.error.point.point, back)
    assert.equal(back.x.error.cause, back.x.error)
    assert.equal(back.x.money.cents, 1)
  })

  test('of two instances', () => {
    const a = new Point()
    a.x = new Point(a)
    const back = travel(a)
    assert.equal(back.x.x, back)
    assert.ok(back.x instanceof Point)
  })

  test('through the data of toData are refused', () => {
    class Tree {
      #nodes
      constructor(nodes) {
        this.#nodes = nodes
      }
      static {
        registerClass(Tree, { toData: (t) => t.#nodes, fromData: (nodes) => new Tree(nodes) })
      }
    }
    const nodes = []
    const tree = new Tree(nodes)
    assert.ok(travel(tree) instanceof Tree)
    nodes.push(new Point({ tree }))
    assert.throws(() => encodeSpecial(tree), /toData\(\) of class Tree gives holds the instance itself/)
    assert.throws(() => encodeSpecial(nodes), /holds the instance itself/)
  })
})

describe('nesting', () => {
  const nest = (value, levels) => {
    for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { value }
    return value
  }

  test('of nearly a thousand levels is kept', () => {
    let back = travel(nest([new Money(5), new Point(6)], 990))
    for (let i = 0; i < 990; i++) back = Array.isArray(back) ? back[0] : back.value
    assert.equal(back[0].cents, 5)
    assert.ok(back[1] instanceof Point)
  })

  test('of a million levels is refused', () => {
    for (const inner of [new Money(5), new Point(6), new Error('x'), 5])
      assert.throws(() => encodeSpecial(nest(inner, 1_000_000)), /nested more than 1000 levels deep/)
  })

  test('of many paths to the same objects does not take for ever', () => {
    let value = {}
    for (let i = 0; i < 60; i++) value = { left: value, right: value, list: [value, value] }
    assert.equal(encodeSpecial(value), undefined)
    assert.equal(travel({ value, money: new Money(1) }).money.cents, 1)
  })
})

describe('marks', () => {
  test('of our own making are data when a user sends them', () => {
    const graph = encodeSpecial([new Money(1), new Point(2)])
    const back = travel([graph, new Money(3)])
    assert.ok(back[1] instanceof Money)
    const [, , inside] = graph.steps.find(([code]) => code === 3) // MAKE
    assert.equal(inside, 'Money')
    assert.equal(Object.getPrototypeOf(back[0].root.value[0]), Object.prototype)
    assert.deepEqual(JSON.parse(JSON.stringify(back[0])), JSON.parse(JSON.stringify(graph)))
  })
})

describe('nesting is counted as structured clone meets what occurs twice', () => {
  const tooDeep = { message: 'It is nested more than 1000 levels deep' }
  const nodes = (link) => {
    const list = Array.from({ length: 5000 }, (_, id) => ({ id }))
    list.forEach((node, i) => link(node, list[i - 1], list[i + 1]))
    return list
  }
  for (const [title, refuses, value] of [
    ['links to what came before', false, nodes((node, before) => (node.before = before))],
    ['links to what comes', true, nodes((node, _, next) => (node.next = next))],
    ['both', true, nodes((node, before, next) => Object.assign(node, { before, next }))],
    ['a long list in a circle', false, nodes((node, _, next) => next || (node.list = nodes(() => {})))],
  ]) {
    test(title, () => {
      if (refuses) assert.throws(() => encodeSpecial(value), tooDeep)
      else assert.equal(encodeSpecial(value), undefined)
      assert.equal(isReadable(value), !refuses)
    })
  }

  test('beside errors, in what toData() gives, and in fields of errors', () => {
    let deep = 1
    for (let i = 0; i < 1100; i++) deep = [deep]
    class Deep {}
    registerClass(Deep, { name: 'Deep', toData: () => deep, fromData: () => new Deep() })
    assert.throws(() => encodeSpecial([new Error('x'), deep]), tooDeep)
    assert.throws(() => encodeSpecial([new Deep()]), tooDeep)
    assert.equal(typeof travel(Object.assign(new Error('x'), { deep: [new Money(1), deep] })).deep, 'string')
  })
})

test('errors in named properties of a list are found', () => {
  const error = new RangeError('x')
  error.self = { error }
  const back = travel(Object.assign([1], { error }))
  assert.ok(back.error instanceof RangeError && back.error.self.error === back.error)
})

/** By the platform, on this stack. */
function isReadable(value) {
  try {
    return Boolean(structuredClone(value))
  } catch {
    return false
  }
}

test('an error that holds what cannot be sent leaves nothing of it behind', () => {
  const money = new Money(1)
  const error = Object.assign(new Error('x'), {
    bad: { money, inner: new Error('in'), run() {} },
    good: { money },
    bare: money,
    worse: [new Money(2), Symbol('s')],
  })
  const back = travel({ error, money })
  assert.equal(back.error.bad, '[object Object]')
  assert.equal(back.error.good.money, back.money)
  assert.equal(back.error.bare, back.money)
  assert.ok(back.money instanceof Money)
  assert.equal(typeof back.error.worse, 'string')
})

/** Errors are kept better than structured clone keeps them. */
function holdsError(value, seen = new Set()) {
  if (typeof value !== 'object' || value === null || seen.has(value)) return false
  seen.add(value)
  if (value instanceof Error) return true
  const parts = value instanceof Map ? [...value].flat(1) : value instanceof Set ? [...value] : []
  if (parts.length === 0 && !ArrayBuffer.isView(value)) {
    for (const key of Object.keys(value))
      if (!Object.getOwnPropertyDescriptor(value, key).get) parts.push(value[key])
  }
  return parts.some((part) => holdsError(part, seen))
}
