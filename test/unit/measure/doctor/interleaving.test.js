// What a caller uses on both sides of a call, and changes on one: moved, others run in between.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { usedAround } from '../../../../build/measure/doctor/conditions/interleaving.js'
import { parentOf } from '../../../../build/measure/doctor/source/parents.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

/** Of the call of `f` in the function `handle`. */
function found(text) {
  const script = parseScript(text)
  const { node } = script.functions.find(
    (each) => (each.node.id?.name ?? each.path.at(-2).key?.name) === 'handle',
  )
  const at = text.lastIndexOf('f(x)')
  let call = null
  const visit = (each) => {
    if (each.type === 'CallExpression' && each.start === at) call = each
    for (const value of Object.values(each).flat()) if (value && typeof value.type === 'string') visit(value)
  }
  visit(script.program)
  assert.notEqual(parentOf(script, call), null)
  return usedAround(script, node, call).map(({ name, isChangedFirst }) =>
    isChangedFirst ? `${name} first` : name,
  )
}

const f = 'const f = (a) => a;'
const cases = {
  'a sum that is read before': [
    `${f} let sum = 0; function handle(x) { const was = sum; const y = f(x); sum = was + y }`,
    ['sum'],
  ],
  'a sum to which the result is added': [`${f} let sum = 0; function handle(x) { sum += f(x) }`, ['sum']],
  'a field': [`${f} const all = { n: 0 }; function handle(x) { all.n = all.n + f(x) }`, ['all.n']],
  'a map that is asked first': [
    `${f} const seen = new Map(); function handle(x) { if (!seen.has(x)) seen.set(x, f(x)) }`,
    ['seen'],
  ],
  'what is set without a look': [`${f} let last; function handle(x) { last = f(x) }`, []],
  'what is counted before': [`${f} let n = 0; function handle(x) { n++; return f(x) }`, []],
  'what is set before and read after': [
    `${f} let user; function handle(x) { user = x.user; const y = f(x); return y + user }`,
    ['user first'],
  ],
  'what is counted before and after': [`${f} let n = 0; function handle(x) { n++; f(x); n-- }`, ['n']],
  'what is only read': [
    `${f} const all = []; function handle(x) { if (all.length) return; f(x); return all.length }`,
    [],
  ],
  'variables of its own': [`${f} function handle(x) { let sum = 1; sum += f(x); return sum }`, []],
  'a field of this': [
    `${f} class A { handle(x) { const left = this.left; const y = f(x); this.left = left - y } }`,
    ['this.left'],
  ],
  'a field of this to which the result is added': [
    `${f} class A { handle(x) { this.left -= f(x) } }`,
    ['this.left'],
  ],
  'a field of what it has taken out of a map': [
    `${f} const all = new Map(); function handle(x) { const a = all.get(x); if (a.left < 1) return; const y = f(x); a.left -= y }`,
    ['a.left'],
  ],
  'a field of an element': [
    `${f} const all = [{ n: 0 }]; function handle(x) { const a = all[0]; a.n -= f(x) }`,
    ['a.n'],
  ],
  'a field of a parameter': [
    `${f} function handle(account, x) { if (account.left < 1) return; account.left -= f(x) }`,
    ['account.left'],
  ],
  'by functions of its file': [
    `${f} let left = 9; const getLeft = () => left; const setLeft = (n) => { left = n }; function handle(x) { const was = getLeft(); const y = f(x); setLeft(was - y) }`,
    ['left'],
  ],
  'what its request holds': [
    `${f} function handle(req, res) { res.count = res.count + 1; const x = req.x; res.n = f(x); res.count++ }`,
    [],
  ],
  'an object of its own': [`${f} function handle(x) { const row = { n: 1 }; row.n += f(x); return row }`, []],
  'a method of this': [`${f} class A { handle(x) { this.log(1); const y = f(x); this.log(y) } }`, []],
  'another field of the same table': [
    `${f} const all = { n: 0, m: 0 }; function handle(x) { all.n++; f(x); all.m = 1 }`,
    [],
  ],
}

describe('a caller uses and changes', () => {
  for (const [title, [text, names]] of Object.entries(cases))
    test(title, () => assert.deepEqual(found(text), names))
})
