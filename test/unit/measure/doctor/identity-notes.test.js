// Places in the source at which it matters which object a value is: a copy in another thread is another one.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serialize } from 'node:v8'
import { isIdentityOpen } from '../../../../build/measure/doctor/conditions/identity-of-source.js'
import { judgeSource } from '../../../../build/measure/doctor/effects/judge-source.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

/** Kinds of the notes on `f` that are open after calls with these arguments. */
function notesOf(text, ...calls) {
  const script = parseScript(text)
  const { node } = script.functions.find((each) => each.node.id?.name === 'f')
  const kept = calls.map((given) => ({ given: serialize(given).toString('base64') }))
  const { identities } = judgeSource(script, node, () => null)
  return identities
    .filter((note) => isIdentityOpen(note, { kept }))
    .map(({ kind, name }) => `${kind} ${name}`)
}

const row = { id: 1, owner: { name: 'a' } }
const cases = {
  'it may give back its argument': [
    'function f(a) { return a.ok ? { ok: 1 } : a }',
    [[row]],
    ['gives argument 1'],
  ],
  'it may give a part of it': ['function f(a) { return a.x ? 1 : a.owner }', [[row]], ['gives argument 1']],
  'a part that is no object': ['function f(a) { return { id: a.id, double: a.id * 2 } }', [[row]], []],
  'an argument that is no object': ['function f(a) { return a > 3 ? a : 3 }', [[4]], []],
  'a default that is another argument': ['function f({ id }, other = id) { return other }', [[row]], []],
  'it may give a constant of its file': [
    'const NONE = { found: false }; function f(a) { return a ? { found: true } : NONE }',
    [[1]],
    ['gives NONE'],
  ],
  'it may give one within what it gives': [
    'const NO = Object.freeze([]); function f(a) { return { rows: a.rows ?? NO } }',
    [[{ rows: 1 }]],
    ['gives NO'],
  ],
  'it may give a constant by a function': [
    'const NO = {}; NO.a = 1; const none = () => NO; function f(a) { return a ? 1 : none() }',
    [[1]],
    ['gives NO'],
  ],
  'it may give a row of a table': [
    'const T = [{ n: 1 }]; function f(a) { return T.find((t) => t.n === a) }',
    [[1]],
    ['gives T'],
  ],
  'a number of a table': ['const T = { a: 1 }; function f(a) { return T[a] }', [['a']], []],
  'it may throw an error of its file': [
    "const E = new Error('x'); function f(a) { if (a > 3) throw E; return a }",
    [[1]],
    ['throws E'],
  ],
  'it compares with a constant in a switch': [
    'const FREE = { n: 0 }; function f(a) { switch (a.plan) { case FREE: return 1; default: return 2 } }',
    [[{ plan: {} }]],
    ['compares FREE'],
  ],
  'it compares with a constant by Object.is': [
    'const FREE = { n: 0 }; function f(a) { return Object.is(a.plan, FREE) }',
    [[{ plan: {} }]],
    ['compares FREE'],
  ],
  'it looks at its constructor': [
    'function f(a) { return a.constructor.name }',
    [[row]],
    ['class class by its constructor'],
  ],
  'it looks at its prototype': [
    'class P {} function f(a) { return Object.getPrototypeOf(a) === P.prototype }',
    [[row]],
    ['class class by its prototype'],
  ],
  'it asks whether it is frozen': [
    'function f(a) { return Object.isFrozen(a) }',
    [[row]],
    ['frozen isFrozen'],
  ],
  'it looks at a field under a symbol that has a name': [
    "const UNIT = Symbol.for('unit'); function f(a) { return a[UNIT] ?? 1 }",
    [[1]],
    ['symbol UNIT'],
  ],
  'it may give an object of a class': [
    'class Money { constructor(c) { this.c = c } } function f(a) { return a > 3 ? new Money(a) : null }',
    [[1]],
    ['makes an object of Money'],
  ],
  'it may give an object that holds a function': [
    'function f(a) { return a > 3 ? { next: () => a } : { a } }',
    [[1]],
    ['makes a function'],
  ],
  'it may give an iterator': [
    'function f(a) { return a > 3 ? [a].values() : [a] }',
    [[1]],
    ['makes an iterator'],
  ],
  'it may give a symbol': [
    "function f(a) { return a > 3 ? Symbol.for('big') : a }",
    [[1]],
    ['makes a symbol'],
  ],
  'it may give a promise within an object': [
    'function f(a) { return a > 3 ? { later: Promise.resolve(a) } : { a } }',
    [[1]],
    ['makes a promise'],
  ],
  'it may give an object without a prototype': [
    'function f(a) { const o = a > 3 ? Object.create(null) : {}; o.a = a; return o }',
    [[1]],
    ['makes an object with another prototype'],
  ],
  'it may give its argument back by reduce': [
    'function f(a) { return a.x > 3 ? [a].reduce((x, y) => y, null) : { x: 1 } }',
    [[row]],
    ['gives argument 1'],
  ],
  'it may give its argument back out of a set': [
    'function f(a) { const all = new Set([a]); return a.x > 3 ? [...all][0] : { x: 1 } }',
    [[row]],
    ['gives argument 1'],
  ],
  'it gives a promise, which is waited for': [
    'function f(a) { return a > 3 ? Promise.resolve(a) : new Promise((done) => done(a)) }',
    [[1]],
    [],
  ],
  'it waits for a promise that is a part': [
    'async function f(a) { return { b: await Promise.resolve(a), c: await new Promise((done) => done(a)) } }',
    [[1]],
    [],
  ],
  'what it makes is data': [
    'function f(a) { return { at: new Date(a), all: new Map([[a, [a]]]), keys: Object.keys({ a }), bytes: new Uint8Array(a) } }',
    [[1]],
    [],
  ],
  'it compares with a constant': [
    'const FREE = { n: 0 }; function f(a) { return a.plan === FREE }',
    [[{ plan: {} }]],
    ['compares FREE'],
  ],
  'it compares words': [
    "const K = { a: 'x' }; function f(a) { return a.kind === K.a }",
    [[{ kind: 'x' }]],
    [],
  ],
  'it looks for an object in a list': [
    'const L = [{ n: 0 }]; function f(a) { return L.includes(a) }',
    [[row]],
    ['compares L'],
  ],
  'it looks for a word in a list': [
    "const L = ['a', 'b']; function f(a) { return L.includes(a) }",
    [['a']],
    [],
  ],
  'it looks for a class': ['class M {} function f(a) { return a instanceof M ? 1 : 2 }', [[1]], ['class M']],
  'it looks for a date': ['function f(a) { return a instanceof Date }', [[1]], []],
  'it calls what it is given': [
    'function f(a, { onRow } = {}) { onRow?.(a); return 1 }',
    [[1]],
    ['calls onRow'],
  ],
  'it calls a method of what it is given': [
    'function f(a) { return a.toText ? a.toText() : 1 }',
    [[row]],
    ['calls toText'],
  ],
  'it calls methods of the language': [
    'function f(a) { return a.map((x) => x.trim()).join() }',
    [[['a']]],
    [],
  ],
  'it looks at a field under a symbol': [
    "const S = Symbol('s'); function f(a) { return a[S] ? 2 : 1 }",
    [[row]],
    ['symbol S'],
  ],
}

describe('of a function', () => {
  for (const [title, [text, calls, notes]] of Object.entries(cases))
    test(title, () => assert.deepEqual(notesOf(text, ...calls), notes))
})
