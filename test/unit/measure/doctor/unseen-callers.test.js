// Who calls a function in the source, where no call was seen.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unseenCallers } from '../../../../build/measure/doctor/conditions/unseen-callers.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

function callersOf(text, others = {}) {
  const script = parseScript(text)
  const files = new Map([
    ['./work', script],
    ...Object.entries(others).map(([name, each]) => [name, parseScript(each)]),
  ])
  const nameOf = ({ node, path }) => (node.id ?? path.at(-2).id ?? path.at(-2).key)?.name
  const { node } = script.functions.find((each) => nameOf(each) === 'f')
  const find = Object.assign((_, specifier) => files.get(specifier) ?? null, {
    all: () => [...files.values()],
  })
  const places = {
    of: (of, at) => ({
      file: [...files].find(([, each]) => each === of)[0],
      line: of.placeOf(at.start).line + 1,
    }),
  }
  return unseenCallers({ name: 'f', script, node }, { find }, places)
}

const f = 'export const f = (a) => a;'
const cannot = {
  'a filter': [`${f} const g = (rows) => rows.filter(f)`, /filter/],
  'a comparer': [`${f} const g = (rows) => rows.sort((a, b) => f(a) - f(b))`, /sort/],
  'a replacer of JSON': [`${f} const g = (row) => JSON.stringify(row, f)`, /JSON\.stringify/],
  'a getter': [`${f} class A { get total() { return f(1) } }`, /getter or setter total/],
  'a constructor': [`${f} class A { constructor(a) { this.a = f(a) } }`, /constructor/],
  'a generator': [`${f} function* g() { yield f(1) }`, /generator g/],
  'a field of a class': [`${f} class A { total = f(1) }`, /a field of a class/],
  'a private field of a class': [`${f} class A { #total = f(1) }`, /a field of a class/],
  'a field of a class that a function makes': [
    `${f} const g = () => new (class { static n = f(1) })()`,
    /a field/,
  ],
  'a default value of a parameter': [`${f} const g = (a, b = f(a)) => b`, /a default value of a parameter/],
  'a listener of data': [`${f} const g = (q, all) => q.on('data', (a) => { all.push(f(a)) })`, /"data"/],
  'a listener of data, by its name': [`${f} const g = (q) => q.addListener('data', f)`, /"data"/],
  toJSON: [`${f} class A { toJSON() { return f(1) } }`, /toJSON/],
  'a function that a filter is given': [
    `${f} const g = (a) => f(a) > 1; const h = (rows) => rows.filter(g)`,
    /filter/,
  ],
}
const other = "import { f as work } from './work'; export const g = (rows) => rows.some((row) => work(row))"

describe('it cannot wait:', () => {
  for (const [title, [text, reason]] of Object.entries(cannot))
    test(title, () => assert.match(callersOf(text).cannot ?? '', reason))
  test('a function of another file, by another name', () =>
    assert.match(callersOf(f, { './other': other }).cannot, /some/))
  test('who calls a method of an object', () => {
    const text = 'export const tools = { f: (a) => a }; const g = (rows) => rows.find((row) => tools.f(row))'
    assert.match(callersOf(text).cannot, /find/)
  })
})

describe('it has to await:', () => {
  const textsOf = (...args) => callersOf(...args).conditions.map(({ text }) => text)
  test('a function, and who calls that', () => {
    const texts = textsOf(
      `${f} function g(a) { return f(a) } async function h(a) { const b = g(a); return b }`,
    )
    assert.deepEqual(texts, ['g awaits f, and is async', 'h awaits g'])
  })
  test('none that does', () =>
    assert.deepEqual(textsOf(`${f} async function g(a) { return await f(a) }`), []))
  test('none that gives its promise on', () =>
    assert.deepEqual(textsOf(`${f} async function g(a) { return f(a) }`), []))
  test('one that would catch what fails', () => {
    assert.deepEqual(textsOf(`${f} async function g(a) { try { return f(a) } catch { return 1 } }`), [
      'g awaits f',
    ])
  })
})
