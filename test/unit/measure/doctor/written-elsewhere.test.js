// What other functions of any file change that a function reads, and which it does not call.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeSource } from '../../../../build/measure/doctor/effects/judge-source.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

/** Reasons against `f` of the file `work`. */
function reasonsOf(texts) {
  const files = new Map(Object.entries(texts).map(([name, text]) => [name, parseScript(text)]))
  const find = (_, specifier) => files.get(specifier.replace(/^\.\//, '')) ?? null
  const fileOf = (script) => [...files].find(([, each]) => each === script)[0]
  const loaded = Object.keys(texts).filter((name) => name !== 'late')
  const findScript = Object.assign(find, { all: () => loaded.map((name) => files.get(name)), fileOf })
  const script = files.get('work')
  const { node } = script.functions.find(({ node: each }) => each.id?.name === 'f')
  return judgeSource(script, node, findScript).reasons.join()
}

const data = 'export const T = { a: { n: 1 } }; export const U = {}'
const work = "import { T } from './data'; export function f(k) { return T[k] }"
const cases = {
  'a field': "import { T } from './data'; export const set = () => { T.b = 1 }",
  'a field by another name':
    "import { T as all } from './data'; export const set = () => { const { a } = all; a.n = 2 }",
  'a field of a whole module': "import * as data from './data'; export const set = () => { data.T.a.n = 2 }",
  'what a pattern takes of a whole module':
    "import * as data from './data'; export const set = () => { const { T: all } = data; all.b = 1 }",
  'by a helper that is given the whole module':
    "import * as data from './data'; const put = (to) => { to.T.b = 1 }; export const set = () => put(data)",
  'by a helper':
    "import { T } from './data'; const put = (to, k) => { to[k] = 1 }; export const set = (k) => put(T, k)",
  'in a method': "import { T } from './data'; export class Admin { set() { delete T.a } }",
  'by a function that is given away':
    "import { T } from './data'; app.post('/x', (q) => { Object.assign(T, q) })",
}

describe('a table of another file is changed:', () => {
  for (const [title, other] of Object.entries(cases))
    test(title, () => assert.match(reasonsOf({ data, work, other }), /uses `T`, which other:1 changes/))

  test('by an instance that is exported', () => {
    const service = 'class S { n = 1; set(n) { this.n = n } of() { return this.n } } export const T = new S()'
    const user = "import { T } from './data'; export function f(k) { return T.of() + k }"
    const other = "import { T } from './data'; export const set = (n) => T.set(n)"
    assert.match(reasonsOf({ data: service, work: user, other }), /uses `T`/)
  })

  test('by a closure that is exported', () => {
    const fees =
      'const make = () => { let n = 1; return { of: () => n, set: (m) => { n = m } } }; export const T = make()'
    const user = "import { T } from './data'; export function f(k) { return T.of() + k }"
    const other = "import { T } from './data'; export const set = (n) => T.set(n)"
    assert.match(reasonsOf({ data: fees, work: user, other }), /uses `T`/)
  })

  test('by a file that is loaded later', () => {
    const late = "import { T } from './data'; T.b = 1"
    const other = "export const start = () => import('./late')"
    assert.match(reasonsOf({ data, work, other, late }), /uses `T`, which late:1/)
  })

  test('of a file of JSON', () => {
    const user = "import T from './t.json'; export function f(k) { return T[k] }"
    const other = "import all from './t.json'; export const set = () => { all.b = 1 }"
    assert.match(reasonsOf({ work: user, other }), /uses `T`, which other:1/)
  })

  test('of CommonJS', () => {
    const rates = 'const T = { a: 1 }; module.exports = { T }'
    const user = "const { T } = require('./data'); function f(k) { return T[k] } module.exports = { f }"
    const other = "exports.set = () => { require('./data').T.a = 2 }"
    assert.match(reasonsOf({ data: rates, work: user, other }), /uses `T`/)
  })

  test('a function that is an export of CommonJS is another one later', () => {
    const titles = 'exports.title = (t) => t; exports.page = (t) => exports.title(t)'
    const user = "const d = require('./data'); function f(t) { return d.page(t) } module.exports = { f }"
    const other = "exports.set = () => { require('./data').title = () => '' }"
    assert.notEqual(reasonsOf({ data: titles, work: user, other }), '')
  })
})

describe('a table of another file is not changed', () => {
  const harmless = {
    'by who reads it': "import { T } from './data'; export const size = () => Object.keys(T).length",
    'by who changes a copy':
      "import { T } from './data'; export const set = () => { const t = { ...T }; t.b = 1; return t }",
    'by who changes another table of its file, by a pattern':
      "import * as data from './data'; export const set = () => { const { U } = data; U.b = 1 }",
    'by who changes a table of the same name': 'const T = {}; export const set = () => { T.b = 1 }',
  }
  for (const [title, other] of Object.entries(harmless))
    test(title, () => assert.equal(reasonsOf({ data, work, other }), ''))
})
