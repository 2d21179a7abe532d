// Where two states differ, and how that is shown: keys that no code names may be data.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compareStates, statePath } from '../../../../../build/measure/doctor/state/compare-states.js'

const node = (parts, kind = 'object', owner = null) => ({ kind, owner, parts })
const graph = (roots, nodes, more = {}) => ({ roots, nodes, language: {}, isWhole: true, errors: [], names: [], ...more }) // prettier-ignore
const pathsOf = (one, other) => compareStates(one, other).map(({ path }) => path)

describe('two states', () => {
  test('differ where a value, a kind or a part is another one, by the shortest name', () => {
    const one = graph({ config: '#0' }, [node({ '.vat': '#1', '.list': '#2', '.same': '1' }), node({ '.AT': '0.2' }), node({}, 'array 2')]) // prettier-ignore
    const other = graph({ config: '#0' }, [node({ '.vat': '#2', '.list': '#1', '.same': '1' }), node({}, 'array 3'), node({})]) // prettier-ignore
    assert.deepEqual(pathsOf(one, other), ['config.list', 'config.vat.AT'])
    assert.deepEqual(pathsOf(one, one), [])
  })

  test('are compared with circles, and once for each pair', () => {
    const circle = (value) => graph({ a: '#0', b: '#0' }, [node({ '.self': '#0', '.value': value })])
    assert.deepEqual(pathsOf(circle('1'), circle('2')), ['a.value'])
  })

  test('are not known behind the end of what was looked at', () => {
    assert.deepEqual(pathsOf(graph({ a: '=...' }, []), graph({ a: '#0' }, [node({})])), [])
  })

  test('count by the variables and exports that the second one has', () => {
    const module = node({ '.used': '1' }, 'module')
    const whole = node({ '.used': '1', '.unused': '2' }, 'module')
    assert.deepEqual(pathsOf(graph({ a: '#0', more: '1' }, [whole]), graph({ a: '#0' }, [module])), [])
  })

  test('differ in the language where somebody has changed it', () => {
    const one = graph({}, [], { language: { 'BigInt.prototype.toJSON': '=native function toString' } })
    assert.deepEqual(pathsOf(one, graph({}, [])), ['BigInt.prototype.toJSON'])
  })

  test('belong to the package whose part differs, and to the variable of a function within', () => {
    const one = graph({ marked: '#0' }, [node({ ' of defaults.hooks': '#1' }, 'function x', 'marked'), node({ '.a': '1' }, 'object', 'marked')]) // prettier-ignore
    const other = graph({ marked: '#0' }, [node({ ' of defaults.hooks': '#1' }, 'function x', 'marked'), node({ '.a': '2' }, 'object', 'marked')]) // prettier-ignore
    const [{ path, owner, variable }] = compareStates(one, other)
    assert.deepEqual([path, owner, variable], ['defaults.hooks.a', 'marked', 'defaults'])
  })
})

describe('the path of a difference', () => {
  const differenceAt = (name, names = []) => {
    const [found] = compareStates(graph({ table: '#0' }, [node({ [name]: '1' })], { names }), graph({ table: '#0' }, [node({ [name]: '2' })])) // prettier-ignore
    return found
  }

  for (const [what, name] of [
    ['an e-mail', '.ann@example.com'],
    ['a token', '.sk_live_4711'],
    ['a key with points and brackets', '.a.b["c"].get("d")'],
    ['a symbol', '.Symbol(secret)'],
  ])
    test(`does not show ${what}`, () => {
      const found = differenceAt(name)
      assert.equal(found.shown, 'table[...]')
      assert.equal(
        statePath(found.parts, () => false),
        'table[...]',
      )
    })

  test('does not show the key of a map', () => {
    assert.equal(differenceAt('.get("ann@example.com")').shown, 'table.get(...)')
    assert.equal(differenceAt('.key(3).key').shown, 'table')
  })

  test('shows what code names: a text that was reached, or one of the user', () => {
    assert.equal(differenceAt('.AT', ['AT']).shown, 'table.AT')
    assert.equal(
      statePath(differenceAt('.AT').parts, (key) => key === 'AT'),
      'table.AT',
    )
    assert.equal(
      statePath(differenceAt('.a-b').parts, () => true),
      'table["a-b"]',
    )
  })

  test('shows places in lists, private fields and what a function is bound to', () => {
    assert.equal(differenceAt('[3]').shown, 'table[3]')
    assert.equal(differenceAt('.#count', ['#count']).shown, 'table.#count')
    assert.equal(differenceAt('.#secret').shown, 'table[...]')
    assert.equal(differenceAt('.[[BoundThis]]').shown, 'table.[[BoundThis]]')
  })
})
