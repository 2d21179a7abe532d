// Verdicts by source alone: what a function uses beside its arguments, followed through files.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeSource } from '../../../../build/measure/doctor/source/judge-source.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

/** The judgement on the function `f` of a file, among others. */
function judge(text, others = {}) {
  const scripts = Object.fromEntries(Object.entries(others).map(([name, each]) => [name, parseScript(each)]))
  const script = parseScript(text)
  const nameOf = ({ node: each, path }) => (each.id ?? path.at(-2).id ?? path.at(-3).id)?.name
  const { node } = script.functions.find((each) => nameOf(each) === 'f')
  return judgeSource(script, node, (_, specifier) => scripts[specifier] ?? null)
}

const cases = {
  'may move': {
    'arguments alone': 'export function f(a, { b = 2 }) { return a.map((x) => x * b) }',
    'a constant': 'const K = 3; function f(a) { return a * K }',
    'a table': 'const T = { a: [1, 2], b: `x` }; const f = (a) => T[a]',
    'a number that is given away': 'const K = 3; const g = (k) => k; function f(a) { return a * g(K) }',
    'a set that is only asked': 'const S = new Set([1, 2]); function f(a) { return S.has(a) }',
    'functions of its file, in a circle':
      'function g(a) { return a && f(a - 1) } function f(a) { return g(a) }',
    'a class of its file': 'class P { constructor(x) { this.x = x } } function f(a) { return new P(a).x }',
    'a pure module of Node':
      "import { createHash } from 'node:crypto'; function f(a) { return createHash('md5').update(a).digest() }",
    'a function of CommonJS that a loader has named':
      'const f = __name((a) => a, "f"); var __name = (t) => t',
    'a name of its own that is a name of the file too':
      'let x = 0; x++; function f(a) { let x = a; x++; return x }',
  },
  'move after change': {
    this: 'class A { f() {} } function f() { return this.a }',
    'this in an arrow function within': 'function f() { return [1].map((x) => x + this.a) }',
    'a package': "import { parse } from 'marked'; function f(a) { return parse(a) }",
  },
  waits: {
    'a timer': 'async function f() { await new Promise((done) => setTimeout(done, 5)) }',
    'a request of its own': 'async function f(a) { return fetch(a) }',
  },
  cannot: {
    'a counter': 'let n = 0; function f(a) { n++; return a + n }',
    'a counter of another function': 'let n = 0; function g() { n++ } function f(a) { return a + n }',
    'a counter in a function that it calls':
      'let n = 0; const g = () => n++; function f(a) { return g() + a }',
    'an empty cache': 'const c = new Map(); function f(a) { return c.get(a) }',
    'a cache in an object': 'const c = { first: 1 }; function f(a) { return (c[a] ??= a) }',
    'a table that is given away': 'const t = [1]; fill(t); function f(a) { return t[a] }',
    'a table by another name': 'const t = [1]; const u = t; function f(a) { return t[a] }',
    'a table that another function changes':
      'const t = [1]; function g() { t.push(2) } function f(a) { return t[a] }',
    'a variable of the function around it':
      'function g(request) { function f() { return request.url } return f }',
    'what is made when the file is loaded': 'const db = connect(); function f(a) { return db.find(a) }',
    randomness: 'function f(a) { return a * Math.random() }',
    'randomness by another name': 'const { random } = Math; function f(a) { return a * random() }',
    'random bytes': "import { randomBytes } from 'node:crypto'; function f(a) { return randomBytes(a) }",
    'the time': 'function f() { return Date.now() }',
    'the time, as a date': 'function f() { return new Date().getDay() }',
    'its process': 'function f() { return process.env.HOME }',
    'a global of somebody': 'function f(a) { return settings[a] }',
    'code that it loads': "function f() { return require('./x') }",
    'a generator': 'function* f() { yield 1 }',
    'files that are not known': "import { g } from './g.js'; function f(a) { return g(a) }",
  },
}

for (const [verdict, sources] of Object.entries(cases)) {
  describe(`${verdict}:`, () => {
    for (const [title, source] of Object.entries(sources))
      test(title, () => {
        const judged = judge(source)
        assert.equal(judged.verdict, verdict, judged.reasons.join())
        assert.equal(judged.reasons.length > 0, verdict !== 'may move')
      })
  })
}

describe('another file is followed', () => {
  const memo = 'const known = new Map([[0, 1]]); function g(a) { known.set(a, a); return known.get(a) }'
  const files = {
    'an export': [`import { g } from './m.js'`, 'export function g(a) { return a }', 'may move'],
    'a default export': [`import g from './m.js'`, 'export default function (a) { return a }', 'may move'],
    'an export by another name': [
      `import { g } from './m.js'`,
      'const h = (a) => a; export { h as g }',
      'may move',
    ],
    'a memo': [`import { g } from './m.js'`, `${memo}; export { g }`, 'cannot'],
    'a memo of CommonJS': [`const { g } = require('./m.js')`, `${memo}; module.exports = { g }`, 'cannot'],
    'exports of CommonJS': [
      `const { g } = require('./m.js')`,
      'exports.g = function (a) { return a }',
      'may move',
    ],
    'what is not exported': [`import { g } from './m.js'`, 'export const h = 1', 'cannot'],
  }
  for (const [title, [line, other, verdict]] of Object.entries(files))
    test(title, () => {
      const judged = judge(`${line}; function f(a) { return g(a) }`, { './m.js': other })
      assert.equal(judged.verdict, verdict, judged.reasons.join())
    })

  test('through the whole module', () => {
    const line = `const m = require('./m.js'); function f(a) { return m.g(a) }`
    assert.equal(judge(line, { './m.js': `${memo}; module.exports = { g }` }).verdict, 'cannot')
    assert.equal(judge(line, { './m.js': 'module.exports = { g: (a) => a }' }).verdict, 'may move')
  })
})
