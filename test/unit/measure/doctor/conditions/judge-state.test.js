// What follows of the states of a function, in the app and alone.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeState } from '../../../../../build/measure/doctor/conditions/judge-state.js'

const graph = (value, more = {}) => ({ roots: { config: value }, nodes: [], language: {}, isWhole: true, errors: [], names: [], ...more }) // prettier-ignore
const difference = (path, owner = null) => ({
  path,
  owner,
  variable: /^\w+/.exec(path)[0],
  parts: [path],
  shown: path,
})
const judge = ({ app = {}, alone = {}, ...more }) =>
  judgeState({
    app: app && { graph: graph('1'), changes: [], ...app },
    alone: alone && { graph: graph('1'), first: [], further: [], adding: [], ...alone },
    ...{ made: new Map(), place: { file: 'a.js', line: 1 }, usesNothing: false, literals: new Set(), isName: () => false }, // prettier-ignore
    ...more,
  })

describe('the state of a function', () => {
  test('that is the same everywhere is no condition', () => {
    assert.deepEqual(judge({}), { cannot: null, cannotTell: null, differences: [], conditions: [] })
  })

  test('cannot be told where it was not looked at, unless the function uses nothing', () => {
    assert.match(judge({ app: null }).cannotTell, /could not be looked at/)
    assert.equal(judge({ alone: null, usesNothing: true }).cannotTell, null)
    const changed = { graph: graph('1', { language: { 'Array.prototype.at': '=x' } }) }
    assert.match(judge({ app: changed, alone: null, usesNothing: true }).cannotTell, /could not be looked at/)
  })

  test('cannot be told where there is more than was looked at', () => {
    assert.match(judge({ app: { graph: graph('1', { isWhole: false }) } }).cannotTell, /more than could be looked at/) // prettier-ignore
  })

  test('that further calls change is kept', () => {
    assert.equal(judge({ alone: { further: [difference('cache.a')] } }).cannot, 'it keeps something from call to call: `cache.a`') // prettier-ignore
    assert.match(judge({ alone: { adding: [difference('counter.n', 'prom-client')] } }).cannot, /of the package prom-client/) // prettier-ignore
  })

  test('that changes while the app runs decides', () => {
    assert.match(judge({ app: { changes: [difference('rates.EUR')] } }).cannot, /depends on what changes while the app runs: `rates.EUR`/) // prettier-ignore
  })

  test('of a package may be left there under a condition, but not under a key of the function', () => {
    const further = [difference('marked.last', 'marked')]
    const { cannot, conditions } = judge({ alone: { further } })
    assert.deepEqual([cannot, conditions.length], [null, 1])
    assert.match(conditions[0].text, /nobody else needs what its calls leave there: `marked.last` of the package marked/) // prettier-ignore
    assert.match(judge({ alone: { further }, literals: new Set(['last']) }).cannot, /keeps something/)
  })

  test("that a package keeps for its speed alone is in nobody's way", () => {
    const further = ['count', 'lastCalled', 'templateCounter'].map((path) => difference(path, 'lodash')) // prettier-ignore
    assert.deepEqual(judge({ alone: { further, adding: further } }), judge({}))
    assert.match(judge({ alone: { adding: [difference('count', 'other')] } }).cannot, /keeps something/)
    assert.match(judge({ alone: { adding: [difference('idCounter', 'lodash')] } }).cannot, /keeps something/)
    // Variables of the app by these names, which lodash has made.
    assert.match(judge({ alone: { adding: [difference('count')] }, made: new Map([['count', 'lodash']]) }).cannot, /keeps something/) // prettier-ignore
    assert.match(judge({ alone: { adding: [difference('count.cache.size', 'lodash')] } }).cannot, /keeps something/) // prettier-ignore
  })

  test('that is another one in the app is set up elsewhere', () => {
    const { differences } = judge({ app: { graph: graph('2') } })
    assert.deepEqual(differences.map(({ path }) => path), ['config']) // prettier-ignore
  })

  test('is of the package that made a variable', () => {
    const { conditions } = judge({ alone: { first: [difference('schema.cache')] }, made: new Map([['schema', 'zod']]) }) // prettier-ignore
    assert.match(conditions[0].text, /makes when it is first called: `schema.cache` of the package zod/)
  })
})
