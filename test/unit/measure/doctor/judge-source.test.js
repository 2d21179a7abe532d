// Verdicts by source alone: what a function uses beside its arguments, followed through files.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeSource } from '../../../../build/measure/doctor/effects/judge-source.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

/** The judgement on the function `f` of a file, among others. */
function judge(text, others = {}) {
  const scripts = Object.fromEntries(Object.entries(others).map(([name, each]) => [name, parseScript(each)]))
  const script = parseScript(text)
  const nameOf = ({ node: each, path }) => (each.id ?? path.at(-2).id ?? path.at(-3).id)?.name
  const { node } = script.functions.find((each) => nameOf(each) === 'f')
  return judgeSource(script, node, (_, specifier) => scripts[specifier] ?? null)
}

const tscEnum =
  'var Kind; (function (Kind) { Kind[Kind["A"] = 0] = "A"; Kind["B"] = "b"; })(Kind || (Kind = {}))'

const cases = {
  'may move': {
    'arguments alone': 'export function f(a, { b = 2 }) { return a.map((x) => x * b) }',
    'a constant': 'const K = 3; function f(a) { return a * K }',
    'a table': 'const T = { a: [1, 2], b: `x` }; const f = (a) => T[a]',
    'a number that is given away': 'const K = 3; const g = (k) => k; function f(a) { return a * g(K) }',
    'a set that is only asked': 'const S = new Set([1, 2]); function f(a) { return S.has(a) }',
    'what its file reads when it is loaded':
      "const fs = require('fs'); const { join } = require('path'); const T = fs.readFileSync(join(__dirname, 't.csv'), 'utf8').split(','); function f(a) { return T[a] }",
    'what its file reads beside itself':
      "import { readFileSync } from 'node:fs'; const T = JSON.parse(readFileSync(new URL('t.json', import.meta.url))); export function f(a) { return T[a] }",
    'what its file takes of the environment':
      'const L = Number(process.env.L ?? 3); function f(a) { return a * L }',
    'sums by keys of its table':
      "const R = require('./r.json'); function f(a) { const m = new Map(); for (const { k, n } of R) { const row = m.get(k) ?? { k, n: 0 }; row.n += n; m.set(k, row) } return [...m.values()] }",
    'functions of its file, in a circle':
      'function g(a) { return a && f(a - 1) } function f(a) { return g(a) }',
    'a class of its file': 'class P { constructor(x) { this.x = x } } function f(a) { return new P(a).x }',
    'a pure module of Node':
      "import { createHash } from 'node:crypto'; function f(a) { return createHash('md5').update(a).digest() }",
    'a function of CommonJS that a loader has named':
      'const f = __name((a) => a, "f"); var __name = (t) => t',
    'a class with static constants':
      'class P { static K = { a: 3 }; static k() { return P.K.a } } function f(a) { return P.k() * a }',
    'properties that are set when the file is loaded':
      'function g(a) { return a } g.title = "g"; function f(a) { return g(a) }',
    'functions of the language, by a pattern':
      'const { floor, sqrt } = Math; function f(a) { return floor(sqrt(a)) }',
    'constants by a pattern': 'const [LOW, HIGH] = [3, 9]; function f(a) { return a > LOW && a < HIGH }',
    'what a factory has made':
      'const make = (a) => (b) => a + b; const add = make(3); function f(a) { return add(a) }',
    'a method of a table, that reads a field of it':
      'const T = { ends: "!", say(a) { return a + this.ends } }; function f(a) { return T.say(a) }',
    'a table in a file': "import t from './t.json'; function f(a) { return t[a] }",
    'a part of a table by another name':
      'const T = { a: [1] }; function f(a) { const rows = T.a; return rows[a] }',
    'rows of a table, one by one':
      'const T = [{ n: 1 }]; function f(a) { for (const row of T) a += row.n; return a }',
    'the best of a table':
      'const T = { x: { n: 1 } }; function f(a) { let best = 0; best = T[a].n; return best }',
    'a table with names that are each other':
      'const T = { x: { n: 1 } }; function f(a) { let p = T.x; let q = p; p = q; return p.n + a }',
    'a table that is copied': 'const T = { a: 1 }; function f(a) { return Object.assign({}, T, a) }',
    'a table that is taken apart':
      'const T = { a: [1], b: 2 }; function f(x) { const { a, b } = T; return a[x] + b }',
    'a constant of its file that TypeScript exports':
      'exports.K = void 0; exports.K = 3; function f(a) { return a * exports.K }',
    'an enum': `${tscEnum}; function f(a) { return Kind[a] }`,
    'an enum of esbuild':
      'var Kind = ((Kind2) => { Kind2["A"] = "a"; return Kind2; })(Kind || {}); function f(a) { return a === Kind.A }',
    'a function of a file that is put into a function':
      '(() => { const K = 2; function f(a) { return a * K } })()',
    'an encoder': 'const encoder = new TextEncoder(); function f(a) { return encoder.encode(a) }',
    'a table that is filled when its file is loaded':
      'const T = new Uint32Array(9); for (let i = 0; i < 9; i++) T[i] = i; function f(a) { return T[a] }',
    'a map that is filled when its file is loaded':
      'const M = new Map(); M.set(1, 2); function f(a) { return M.get(a) }',
    'an object that a class of its file makes':
      'class P { rate = 2; of(a) { return a * this.rate } } const p = new P(); function f(a) { return p.of(a) }',
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
    'a file that is read in each call, too':
      "import fs from 'fs'; const T = fs.readFileSync('t'); function f(a) { return T[a] + fs.readFileSync(a)[0] }",
    'a function that reads, and is called at the start and later':
      "import fs from 'fs'; const read = () => fs.readFileSync('t'); const T = read(); function f(a) { return T[a] }",
    'a file that is written when its file is loaded':
      "import fs from 'fs'; const T = fs.writeFileSync('t', '1'); function f(a) { return T + a }",
    'the environment, in each call': 'function f(a) { return a + process.env.L }',
    'the place of its file, in each call': 'function f(a) { return a + __dirname }',
    'a key of its table that a map gives back':
      'const K = [{}]; function f() { const m = new Map(); m.set(K[0], {}); for (const [key] of m) key.n = 1 }',
    'a counter': 'let n = 0; function f(a) { n++; return a + n }',
    'a counter of another function': 'let n = 0; function g() { n++ } function f(a) { return a + n }',
    'a counter in a function that it calls':
      'let n = 0; const g = () => n++; function f(a) { return g() + a }',
    'an empty cache': 'const c = new Map(); function f(a) { return c.get(a) }',
    'a cache in its own properties': 'function f(a) { f.known ??= new Map(); return f.known.get(a) ?? a }',
    'a cache in the properties of another function':
      'function g() {} g.known = {}; function f(a) { return (g.known[a] ??= a) }',
    'a cache of a class': 'class C { static known = new Map() } function f(a) { return C.known.get(a) }',
    'a counter of a class':
      'class C { static n = 0; static up() { return ++this.n } } function f(a) { return C.up() + a }',
    'a module of Node by its short name': "import { freemem } from 'os'; function f() { return freemem() }",
    'a table that is changed by a function of the language':
      'const t = { a: 1 }; function g(b) { Object.assign(t, b) } function f(a) { return t[a] }',
    'a part of a table that is changed by another name':
      'const t = { a: [1] }; function g() { const { a } = t; a.push(2) } function f(a) { return t.a[a] }',
    'rows of a table that a loop changes':
      'const t = [{ n: 1 }]; function g() { for (const row of t) row.n++ } function f(a) { return t[a].n }',
    'a part of a table that is changed by a name that had another value':
      'const t = { x: { n: 1 } }; function g(a) { let u = null; u = t[a]; u.n++ } function f(a) { return t[a].n }',
    'a part of a table that is given away':
      'const t = { a: [1] }; fill(t.a); function f(a) { return t.a[a] }',
    'what its file exports and changes':
      'exports.n = 0; function g() { exports.n++ } function f(a) { return a + exports.n }',
    'a table that its file exports and changes':
      'exports.t = [1]; function g() { exports.t.push(1) } function f(a) { return exports.t[a] }',
    'a counter of a file that is put into a function':
      '(() => { let n = 0; function g() { n++ } function f(a) { return a + n } })()',
    'a cache in the properties of a function of such a file':
      '(() => { function g() { return (g.n = 1) } function f(a) { return g() + a } })()',
    'an enum that something changes': `${tscEnum}; function f(a) { Kind = a; return a }`,
    'a cache in an object': 'const c = { first: 1 }; function f(a) { return (c[a] ??= a) }',
    'a table that is given away': 'const t = [1]; fill(t); function f(a) { return t[a] }',
    'a table by another name': 'const t = [1]; const u = t; u.push(2); function f(a) { return t[a] }',
    'a table that another function changes':
      'const t = [1]; function g() { t.push(2) } function f(a) { return t[a] }',
    'a variable of the function around it':
      'function g(request) { function f() { return request.url } return f }',
    'what is made when the file is loaded': 'const db = connect(); function f(a) { return db.find(a) }',
    'a field of its object that it changes': 'class A { f() {} } function f() { return ++this.n }',
    'what a field of its object holds, that it changes': 'function f(a) { this.rows.list.push(a) }',
    'a field by a pattern': 'function f() { [this.n] = [1] }',
    'a part of the language that it changes': 'function f(a) { Array.made = a }',
    'a part of the console that it changes': 'function f(a) { console.log = a }',
    'a map that is filled by a function':
      'const M = new Map(); M.set(1, 2); function g(a) { M.set(a, a) } function f(a) { return M.get(a) }',
    'what a generator gives':
      'function* ids() { yield 1 } const I = ids(); function f(a) { return a + I.next().value }',
    'an iterator': 'const I = [1, 2].values(); function f(a) { return a + I.next().value }',
    'its process': 'function f() { return process.env.HOME }',
    'a global of somebody': 'function f(a) { return settings[a] }',
    'code that it loads': "function f() { return require('./x') }",
    'a generator': 'function* f() { yield 1 }',
    'files that are not known': "import { g } from './g.js'; function f(a) { return g(a) }",
  },
}

describe('real calls decide on', () => {
  const sources = {
    randomness: ['chance', 'function f(a) { return a * Math.random() }'],
    'random bytes': ['chance', "import { randomBytes } from 'node:crypto'; function f(a) { return randomBytes(a) }"], // prettier-ignore
    'random bytes of the whole module': ['chance', "import crypto from 'crypto'; function f(a) { return crypto.randomBytes(a) }"], // prettier-ignore
    'randomness by another name': [
      'chance',
      'const { random } = Math; function f(a) { return a * random() }',
    ],
    'the time by another name': ['time', 'const now = Date.now; function f(a) { return a - now() }'],
    'the time': ['time', 'function f() { return Date.now() }'],
    'the time, as a date': ['time', 'function f() { return new Date().getDay() }'],
    'what it prints': ['print', 'function f(a) { console.log(a) }'],
    'what a package makes when the file is loaded': ['made', "import { z } from 'zod'; const S = z.object({}); function f(a) { return S.parse(a) }"], // prettier-ignore
    'what a package makes, and the file sets up': ['made', "import M from 'm'; const m = new M({}); m.use(1); function f(a) { return m.parse(a) }"], // prettier-ignore
  }
  for (const [title, [kind, source]] of Object.entries(sources))
    test(title, () => {
      const judged = judge(source)
      assert.notEqual(judged.verdict, 'cannot', judged.reasons.join())
      assert.deepEqual(judged.notes.map((note) => note.kind), [kind]) // prettier-ignore
    })
})

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

  const compiled = 'Object.defineProperty(exports, "__esModule", { value: true }); exports.g = void 0;'
  const ways = {
    'all of a file': [
      `import { g } from './i'`,
      { './i': "export * from './g'", './g': 'export const g = (a) => a' },
    ],
    'one of a file, by another name': [
      `import { g } from './i'`,
      { './i': "export { h as g } from './g'", './g': 'export const h = (a) => a' },
    ],
    'two files that pass on each other': [
      `import { g } from './i'`,
      {
        './i': "export * from './h'; export * from './g'",
        './h': "export * from './i'",
        './g': 'export const g = (a) => a',
      },
    ],
    'all of a file, as TypeScript writes it': [
      `const { g } = require('./i')`,
      {
        './i': '__exportStar(require("./g"), exports)',
        './g': `${compiled} const g = (a) => a; exports.g = g`,
      },
    ],
    'one of a file, as TypeScript writes it': [
      `const { g } = require('./i')`,
      {
        './i':
          'Object.defineProperty(exports, "g", { enumerable: true, get: function () { return g_1.h; } }); const g_1 = require("./g")',
        './g': 'exports.h = (a) => a',
      },
    ],
    'a module that is a function': [`const g = require('./g')`, { './g': 'module.exports = (a) => a' }],
    'a module of another one': [
      `const g = require('./i')`,
      { './i': "module.exports = require('./g')", './g': 'module.exports = (a) => a' },
    ],
    'a module as esbuild writes it': [
      `const { g } = require('./g')`,
      { './g': 'var all = {}; __export(all, { g: () => g }); module.exports = __toCommonJS(all); function g(a) { return a }' }, // prettier-ignore
    ],
    'an enum as TypeScript exports it': [
      `const { Kind } = require('./k'); const g = (a) => a + Kind.A`,
      { './k': 'exports.Kind = void 0; var Kind; (function (Kind) { Kind["A"] = "a"; })(Kind || (exports.Kind = Kind = {}))' }, // prettier-ignore
    ],
    'a constant that TypeScript exports': [
      `const m_1 = require('./m'); const g = (a) => a + m_1.K`,
      { './m': 'exports.K = void 0; exports.K = 3' },
    ],
    'a barrel as esbuild writes it': [
      `const { g } = require('./i')`,
      {
        './i':
          'var all = {}; __export(all, { g: () => import_g.h }); module.exports = __toCommonJS(all); var import_g = require("./g")',
        './g': 'exports.h = (a) => a',
      },
    ],
    'a file that is put into a function': [
      `const { g } = require('./g')`,
      { './g': '__filename = "g"; (() => { "use strict"; const K = 2; function h(a) { return a * K } exports.g = h })()' }, // prettier-ignore
    ],
    'a default export of CommonJS': [`import g from './g'`, { './g': 'module.exports = (a) => a' }],
  }
  for (const [title, [line, others]] of Object.entries(ways))
    test(title, () => {
      const judged = judge(`${line}; function f(a) { return g(a) }`, others)
      assert.equal(judged.verdict, 'may move', judged.reasons.join())
    })

  test('through what a compiler puts around it', () => {
    const line = 'const g_1 = __importDefault(require("./g")); function f(a) { return (0, g_1.default)(a) }'
    assert.equal(judge(line, { './g': `${compiled} exports.default = (a) => a` }).verdict, 'may move')
    assert.equal(judge(line, { './g': `${compiled} ${memo}; exports.default = g` }).verdict, 'cannot')
  })

  test('through the whole module', () => {
    const line = `const m = require('./m.js'); function f(a) { return m.g(a) }`
    assert.equal(judge(line, { './m.js': `${memo}; module.exports = { g }` }).verdict, 'cannot')
    assert.equal(judge(line, { './m.js': 'module.exports = { g: (a) => a }' }).verdict, 'may move')
  })
})
