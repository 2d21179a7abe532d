// Writes by another name: to what a function was given, and to what outlives its calls.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aliasWrites } from '../../../../build/measure/doctor/source/alias-writes.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

/** Origins of what `f` changes. */
function writesOf(text, changed = new Map()) {
  const script = parseScript(text)
  const { node } = script.functions.find(
    (each) => each.node.id?.name === 'f' || each.path.at(-2).id?.name === 'f',
  )
  const isKept = ({ defs: [definition] }) => definition.type === 'Variable' && definition.node.init?.type !== 'ArrowFunctionExpression' // prettier-ignore
  return [...new Set(aliasWrites(script, node, { isKept, changed }).map(({ origin }) => origin))]
}

const cases = {
  T: {
    'what find gives': 'const T = [{ n: 0 }]; function f(a) { const t = T.find((x) => x.n === a); t.n++ }',
    'what find gives, at once': 'const T = [{ n: 0 }]; function f(a) { T.find((x) => x.n === a).n++ }',
    'what get gives': 'const T = new Map(); function f(a) { T.get(a).count++ }',
    'each row': 'const T = [{ n: 0 }]; function f() { T.forEach((t) => { t.n++ }) }',
    'rows of values': 'const T = { a: { n: 0 } }; function f() { for (const t of Object.values(T)) t.n++ }',
    'one of two': 'const T = { n: 0 }, U = {}; function f(a) { const t = a ? T : U.x; t.n++ }',
    'a pattern on the left': 'const T = { n: 0 }; function f() { [T.n] = [1] }',
    'a part that a pattern takes': 'const T = { a: { n: 0 } }; function f() { const { a } = T; a.n = 1 }',
    'a default value': 'const T = { n: 0 }; function f(a, to = T) { to.n++ }',
    'a copy of the list, and not of its rows':
      'const T = [{ n: 0 }]; function f() { const all = [...T]; all[0].n++ }',
    'what a filter gives':
      'const T = [{ n: 0 }]; function f() { T.filter((t) => t.n).map((t) => { t.n = 1 }) }',
    'what was put into a list before':
      'const T = { n: 0 }; function f() { const list = []; list.push(T); list[0].n++ }',
    'what a function of the user changes': [
      'const T = { n: 0 }; function f() { up(T) }',
      new Map([['up', [0]]]),
    ],
  },
  'argument 1': {
    'a field that is filled once': 'function f(a) { a.slug ??= 1 }',
    'a list that is sorted in place': 'function f(a) { a.sort(); return a[0] }',
    'a row in a loop': 'function f(a) { for (const row of a) row.sum = 1 }',
    'a part by a pattern': 'const f = ({ rows }) => { rows.push(1) }',
    'a field that is deleted': 'function f(a) { delete a.b }',
    'what assign fills': 'function f(a) { return Object.assign(a, { b: 1 }) }',
  },
  nothing: {
    'a copy that is sorted': 'function f(a) { return [...a].sort() }',
    'a table of groups':
      'function f(a) { const g = {}; for (const r of a) (g[r.k] ??= []).push(r); return g }',
    'what reduce collects': 'function f(a) { return a.reduce((all, r) => { all[r.k] = r; return all }, {}) }',
    'rows that are copied':
      'function f(a) { return a.map((r) => ({ ...r })).map((r) => { r.x = 1; return r }) }',
    'a list that is filtered': 'function f(a) { const b = a.filter((r) => r.x); b.push(1); return b }',
    'numbers of a table': 'const T = { n: 1 }; function f(a) { let n = T.n; n++; return n }',
    'a map of its own': 'function f(a) { const m = new Map(); for (const r of a) m.set(r.k, r); return m }',
    'what is parsed': 'function f(a) { const b = JSON.parse(a); b.x = 1; return b }',
  },
}

for (const [origin, sources] of Object.entries(cases))
  describe(`it changes ${origin}:`, () => {
    for (const [title, source] of Object.entries(sources))
      test(title, () => {
        const found = writesOf(...[source].flat())
        if (origin === 'nothing') assert.deepEqual(found, [])
        else assert.ok(found.includes(origin), found.join())
      })
  })
