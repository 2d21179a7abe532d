// Who calls a function, by the stacks of real calls: each is run here, and its stack is read as the agent does.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runInThisContext } from 'node:vm'
import { judgeCallers } from '../../../../build/measure/doctor/conditions/judge-callers.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

const FILE = '/app/work.js'
let frames = null

/** As callers-of.ts does. */
function take() {
  const { prepareStackTrace, stackTraceLimit } = Error
  Error.stackTraceLimit = 40
  Error.prepareStackTrace = (_, sites) => sites
  const sites = new Error().stack
  Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  const end = sites.findLastIndex((site) => site.getFileName() === FILE)
  frames = sites.slice(2, end).map((site) => {
    const [type, name] = [site.getTypeName(), site.getFunctionName() ?? '']
    const url = site.getFileName() ?? ''
    const bare = url === '' && type !== null && type !== 'Object' && !name.includes('.')
    const place = { line: site.getLineNumber() - 1, column: site.getColumnNumber() - 1 }
    return { url, ...place, name: bare ? `${type}.${name}` : name, isAsync: site.isAsync() }
  })
}

/** @param text calls `f`, by a function `run` */
function judge(text) {
  const whole = `(take) => { const f = (a) => (take(), a ?? 1); ${text}; return run() }`
  const script = { parsed: parseScript(whole), placeOf: (line) => ({ file: FILE, line: line + 1 }) }
  runInThisContext(whole, FILE)(take)
  return judgeCallers('f', [frames], { scriptAt: (url) => (url === FILE ? script : undefined) })
}

describe('it cannot move, since it is called by', () => {
  const cases = {
    'Array.filter': 'const run = () => [1, 2].filter(f)',
    'a comparer': 'const run = () => [2, 1].sort((a, b) => f(a) - f(b))',
    'a replacer of text': "const run = () => 'a'.replace(/a/, () => f('b'))",
    'a getter': 'const cart = { get total() { return f(1) } }; const run = () => cart.total',
    'a getter, in a call':
      'const cart = { get total() { return f(1) } }; const run = () => cart.total.toFixed(2)',
    'a constructor': 'class A { constructor() { this.a = f(1) } } const run = () => new A()',
    toJSON: 'const row = { toJSON: () => f(1) }; const run = () => JSON.stringify(row)',
    'toString, in a text': "const row = { toString() { return f('a') } }; const run = () => `${row}`",
    'toString, by String': "const row = { toString() { return f('a') } }; const run = () => String(row)",
    'an iterator':
      'const rows = { [Symbol.iterator]() { return { next: () => ({ done: f(true) }) } } }; const run = () => [...rows]',
    'a generator': 'function* rows() { yield f(1) } const run = () => [...rows()]',
    'a field of a class': 'class A { n = f(1) } const run = () => new A()',
    'a private field of a class':
      'class A { #n = f(1); get() { return this.#n } } const run = () => new A().get()',
    'a default value': 'const row = (a = f(1)) => a; const run = () => row()',
    'a map of a typed array': 'const run = () => new Uint8Array(1).map(f)',
  }
  for (const [title, text] of Object.entries(cases))
    test(title, () => assert.match(judge(text).cannot ?? 'nothing is said', /called by/))
})

describe('it has to be awaited by', () => {
  const cases = {
    'a function': ['const run = () => f(1)', 1],
    'a function, by a name that is computed': [
      'const all = { f }; const key = "f"; const run = () => all[key](1)',
      1,
    ],
    'a function, where it is there': [
      'const all = { f }; const key = "f"; const run = () => all[key]?.(1)',
      1,
    ],
    'a function, by another one': ['const run = () => (f ?? 1)(1)', 1],
    'a function, by call': ['const run = () => f.call(null, 1)', 1],
    'a function that calls toString by name': [
      "const row = { toString() { return f('a') } }; const run = () => row.toString()",
      2,
    ],
    'who maps': ['const run = () => [1].map(f)', 1],
  }
  for (const [title, [text, count]] of Object.entries(cases))
    test(title, () => {
      const { cannot, conditions } = judge(text)
      assert.equal(cannot, null)
      assert.equal(conditions.filter(({ kind }) => kind === 'await-callers').length, count)
    })
})
