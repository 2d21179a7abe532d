// A function of an app as a module of its own: what it brings along, and what it leaves behind.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { extractFiles } from '../../../../build/measure/doctor/written/extract-module.js'
import { formatModule, PLAIN_STYLE } from '../../../../build/measure/doctor/written/format-module.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'
import { testFolder } from '../../../helpers/files.js'

/** The files of the task `f`, found by its name or as the function that `find` takes. */
function extract(
  text,
  others = {},
  find = ({ node, path }) => (node.id ?? path.at(-2).id ?? path.at(-2).key)?.name === 'f',
) {
  const scripts = Object.fromEntries(Object.entries(others).map(([name, each]) => [name, parseScript(each)]))
  const script = parseScript(text)
  const nameOf = (one) => Object.keys(scripts).find((name) => scripts[name] === one) ?? './app.js'
  const { node } = script.functions.find(find)
  const plan = { name: 'f', findScript: (_, specifier) => scripts[specifier] ?? null, pathOf: nameOf }
  const extracted = extractFiles(script, node, plan)
  return extracted && extracted.map((file) => formatModule(file, nameOf(file.script), PLAIN_STYLE))
}

/** Loads the task, and calls it. Any word of what must stay behind would throw. */
async function call(t, files, ...args) {
  const inFolder = testFolder(t)
  for (const { name, text } of files) writeFileSync(inFolder(name), text)
  const { f } = await import(pathToFileURL(inFolder(files[0].name)))
  return f(...args)
}

const startsServer = 'startServer(); const db = connect();'

describe('a task module', () => {
  for (const [what, text, others] of [
    [
      'a function and what it uses',
      'const K = 2, L = { a: K }; function g(x) { return x * L.a } const f = (x) => g(x)',
    ],
    ['a function that calls itself', 'function f(x) { return x === 0 ? 0 : 2 + f(x - 1) }'],
    ['an exported function', 'export const unused = start(); export function f(x) { return x * 2 }'],
    [
      'a class',
      'class Twice { constructor(x) { this.x = x } get value() { return this.x * 2 } } function f(x) { return new Twice(x).value }',
    ],
    [
      'a function within another one',
      'function handler(request) { const f = (x) => x * 2; return f(request) }',
    ],
    ['a name of its own for a name of the file', 'const x = 100; function f(x) { return x * 2 }'],
    [
      'a module of Node',
      "import { join as together } from 'node:path'; const f = (x) => together('a', 'b').length - 3 + x * 2",
    ],
    [
      'a module of Node in CommonJS',
      "const { join: together } = require('node:path'); const path = require('path'); const f = (x) => together('a', path.sep).length - 2 + x * 2",
    ],
    [
      'another file',
      "import { twice as double } from './b.js'; const f = (x) => double(x)",
      { './b.js': 'startServer(); const K = 2; export const twice = (x) => x * K' },
    ],
    [
      'a default export',
      "import twice from './b.js'; const f = (x) => twice(x)",
      { './b.js': 'startServer(); export default (x) => x * 2' },
    ],
    [
      'a whole module',
      "import * as b from './b.js'; const f = (x) => b.add(x, b.nothing(x))",
      { './b.js': 'const n = (x) => x; export { n as nothing }; export function add(a, b) { return a + b }' },
    ],
    [
      'exports of CommonJS',
      "const { twice } = require('./b'); function f(x) { return twice(x) }",
      { './b': 'startServer(); exports.twice = function (x) { return x * 2 }' },
    ],
    [
      'what a barrel has of another file',
      "import { twice } from './i'; const f = (x) => twice(x)",
      {
        './i': "export * from './empty'; export { double as twice } from './b'",
        './empty': 'startServer()',
        './b': 'export const double = (x) => x * 2',
      },
    ],
    [
      'all that TypeScript makes of a barrel',
      'const i_1 = require("./i"); function f(x) { return (0, i_1.twice)(x) }',
      {
        './i': '__exportStar(require("./b"), exports); startServer()',
        './b': 'exports.twice = void 0; const twice = (x) => x * 2; exports.twice = twice',
      },
    ],
    [
      'a module that is a function',
      "const twice = require('./b'); const f = (x) => twice(x)",
      { './b': 'startServer(); module.exports = function (x) { return x * 2 }' },
    ],
    [
      'a package with what a compiler puts around it',
      'var __importDefault = (this && this.__importDefault) || ((m) => ({ default: m })); const path_1 = __importDefault(require("path")); function f(x) { return path_1.default.join("a", "b").length - 3 + x * 2 }',
    ],
    [
      'an enum',
      'const k_1 = require("./k"); function f(x) { return x * k_1.Kind.Two }',
      { './k': 'exports.Kind = void 0; var Kind; (function (Kind) { Kind[Kind["Two"] = 2] = "Two"; })(Kind || (exports.Kind = Kind = {})); startServer()' }, // prettier-ignore
    ],
    [
      'constants of CommonJS that TypeScript exports',
      'const m_1 = require("./m"); function f(x) { return (0, m_1.g)(x) * m_1.TWO }',
      { './m': 'exports.ONE = exports.TWO = void 0; exports.g = g; exports.ONE = 1; exports.TWO = 2; startServer(); function g(x) { return x * exports.ONE }' }, // prettier-ignore
    ],
    ['a method', 'class A { unused() {} f(x) { return x * 2 } }'],
    ['a method of an object', 'const o = { other: start(), f(x) { return x * 2 } }'],
    ['an asynchronous method', 'class A { static async f(x) { return x * 2 } }'],
    ['a function in an object', 'const o = { f: (x) => x * 2 }'],
    [
      'files that import each other',
      "import { g } from './b.js'; export const h = (x) => x + 1; function f(x) { return g(x) }",
      { './b.js': 'export const g = (x) => 2 * x' },
    ],
  ])
    // prettier-ignore
    test(`brings along ${what}`, async (t) => {
      const files = extract(`${startsServer} ${text}`, others)
      assert.equal(await call(t, files, 21), 42, files.map((file) => file.text).join('\n'))
    })

  test('brings along what a loader has put into a function', async (t) => {
    const files = extract(
      '__filename = "a"; (() => { const import_b = __toESM(require("./b")); startServer(); const f = (x) => (0, import_b.twice)(x) })()',
      { './b': '(() => { startServer(); var all = {}; __export(all, { twice: () => twice }); module.exports = __toCommonJS(all); const K = 2; function twice(x) { return x * K } })()' }, // prettier-ignore
    )
    assert.equal(await call(t, files, 21), 42, files.map((file) => file.text).join('\n'))
  })

  test('is none where something is declared in a way that is not followed', () => {
    assert.equal(extract("import { g } from './missing.js'; const f = (x) => g(x)"), null)
    assert.equal(extract("import { b } from './b.js'; const f = (x) => b(x)", { './b.js': 'module.exports = make()' }), null) // prettier-ignore
  })

  test('is named by the file that it is of', () => {
    const [first, second] = extract("import { g } from './lib/b.js'; const f = (x) => g(x)", {
      './lib/b.js': 'export const g = (x) => x',
    })
    assert.deepEqual([first.name, second.name], ['f.tasks.mjs', 'f.b-1.mjs'])
    assert.match(second.text, /^\/\/ Of \.\/lib\/b\.js/)
  })
})
