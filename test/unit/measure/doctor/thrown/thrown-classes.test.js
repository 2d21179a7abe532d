// The classes of what a function throws, as its source names them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeSource } from '../../../../../build/measure/doctor/effects/judge-source.js'
import { parseScript } from '../../../../../build/measure/doctor/source/script-functions.js'
import { isHarmless } from '../../../../../build/measure/doctor/source/harmless-file.js'
import { thrownClasses } from '../../../../../build/measure/doctor/thrown/thrown-classes.js'

function project(text, others = {}) {
  const scripts = Object.fromEntries(Object.entries(others).map(([name, each]) => [name, parseScript(each)]))
  return { script: parseScript(text), find: (_, specifier) => scripts[specifier] ?? null, scripts }
}

/** Of the function f: "name of package, registered as text" of each. */
function thrownBy(text, others) {
  const { script, find } = project(text, others)
  const { node } = script.functions.find(({ node, path }) => (node.id ?? path.at(-2).id)?.name === 'f')
  return thrownClasses(judgeSource(script, node, find).reached, find)
}

const described = (text, others) =>
  thrownBy(text, others).map(({ name, package: from, registration, hasPrivate, isRegistered }) =>
    [name, from && `of ${from}`, registration && `as ${registration.text}`, hasPrivate && 'private', isRegistered && 'registered'].filter(Boolean).join(' '),
  ) // prettier-ignore

const CLASS = 'class Gone extends Error {}; '

describe('what a function throws', () => {
  for (const [what, text, expected, others] of [
    ['is a class of its file', `${CLASS} function f() { throw new Gone() }`, ['Gone as Gone']],
    ['is what a promise is rejected with', `${CLASS} const f = () => Promise.reject(new Gone())`, ['Gone as Gone']],
    ['is what it puts into a variable first', `${CLASS} function f() { const e = new Gone(); e.status = 410; throw e }`, ['Gone as Gone']],
    ['is one of two', `${CLASS} class Late extends Error {} function f(x) { throw x ? new Gone() : new Late() }`, ['Gone as Gone', 'Late as Late']],
    ['is what another function of the user makes', `${CLASS} const gone = (id) => Object.assign(new Gone(), { id }); function f() { throw gone(1) }`, ['Gone as Gone']],
    ['is what a function throws that it calls', `${CLASS} const g = () => { throw new Gone() }; function f() { g() }`, ['Gone as Gone']],
    ['is a class of another file', "import { Gone as Went } from './e.js'; function f() { throw new Went() }", ['Went as Went'], { './e.js': `export ${CLASS}` }],
    ['is a class within all that another file exports', "import * as errors from './e.js'; function f() { throw new errors.Gone() }", ['Gone as errors.Gone'], { './e.js': `export ${CLASS}` }],
    ['is a class of CommonJS', "const { Gone } = require('./e'); function f() { throw new Gone() }", ['Gone as Gone'], { './e': 'module.exports.Gone = class Gone extends Error {}' }],
    ['is a class of a package', "import { Conflict } from 'http-errors'; function f() { throw new Conflict() }", ['Conflict of http-errors']],
    ['is what a package makes', "import createError from 'http-errors'; function f() { throw createError(409) }", ['createError of http-errors']],
    ['has private fields', 'class Gone extends Error { #status = 410 } function f() { throw new Gone() }', ['Gone as Gone private']],
    ['inherits private fields', "import { Base } from './e.js'; class Gone extends Base {} function f() { throw new Gone() }", ['Gone as Gone private'], { './e.js': 'export class Base extends Error { #status = 410 }' }],
    ['is registered by the app', `import { registerClass } from 'threadwise'; ${CLASS} registerClass(Gone); function f() { throw new Gone() }`, ['Gone as Gone registered']],
    ['registers itself', "import { registerClass } from 'threadwise'; class Gone extends Error { static { registerClass(this) } } function f() { throw new Gone() }", ['Gone as Gone registered']],
    ['is what stands in a variable later', `${CLASS} function f(x) { let e = null; if (x) e = new Gone(); if (e) throw e }`, ['Gone as Gone']],
    ['is one of a list', `${CLASS} function f(x) { const all = []; if (x) all.push(new Gone()); if (all.length) throw all[0] }`, ['Gone as Gone']],
    ['is given to what rejects a promise', `${CLASS} const f = (x) => new Promise((done, fail) => { if (x) fail(new Gone()); else done(1) })`, ['Gone as Gone']],
    ['is given to a function that throws it', `${CLASS} const no = (e) => { throw e }; function f() { no(new Gone()) }`, ['Gone as Gone']],
    ['is given to an assertion', `import assert from 'node:assert'; ${CLASS} function f(x) { assert(x, new Gone()) }`, ['Gone as Gone']],
    ['is the cause of another one', `${CLASS} function f() { throw new Error('no', { cause: new Gone() }) }`, ['Gone as Gone']],
    ['is of a class of a class', `${CLASS} class Lost extends Gone {} function f() { const e = [new Lost()]; throw e[0] }`, ['Lost as Lost']],
    ['is no error, and is made', 'class Row {} function f() { return new Row() }', []],
    ['is of the language', 'function f(x) { if (x) throw new RangeError("x"); throw new Error("x") }', []],
    ['is what somebody else has thrown', 'function f(x) { try { x() } catch (e) { throw e } }', []],
  ])
    test(what, () => assert.deepEqual(described(text, others), expected)) // prettier-ignore

  test('is each class once, at the place where it is first thrown', () => {
    const [only, ...others] = thrownBy(
      `${CLASS} function f(x) { if (x) throw new Gone(1); throw new Gone(2) }`,
    )
    assert.deepEqual([only.script.text.slice(only.node.start, only.node.end), others], ['new Gone(1)', []])
  })
})

describe('a file that does nothing but declare', () => {
  const isDeclaring = (text, others) => {
    const { script, find } = project(text, others)
    return isHarmless(script, find)
  }
  for (const text of [
    'export class Gone extends Error { static code = 410 } export const K = 3, L = { a: [1, 2] }',
    "import { K } from './k.js'; export function f() { start(K) } export { K }",
    "import { registerClass } from 'threadwise/task'; export class Gone extends Error {} registerClass(Gone)",
    "'use strict'; const { K } = require('./k.js'); class Gone extends Error {} module.exports = { Gone, K }; exports.f = () => start()",
    "export * from './k.js'; export default (x) => x; import path from 'node:path'",
  ])
    test(`is ${text}`, () => assert.ok(isDeclaring(text, { './k.js': 'export const K = 2' })))

  for (const text of [
    'export class Gone extends Error {} start()',
    'export const at = Date.now()',
    "import express from 'express'; export class Gone extends Error {}",
    "import './k.js'; export class Gone extends Error {}",
    'export class Gone extends Error { static { start() } }',
    'for (const each of [1]) start(each)',
    "const db = require('./missing'); exports.K = 3",
  ])
    test(`is not ${text}`, () => assert.ok(!isDeclaring(text, { './k.js': 'start()' })))
})
