// Writes by another name: to what a function was given, and to what outlives its calls.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findAliases } from '../../../../build/measure/doctor/effects/alias-writes.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

/** Origins of what `f` changes. */
function writesOf(text) {
  const script = parseScript(text)
  const { node } = script.functions.find(
    (each) => each.node.id?.name === 'f' || each.path.at(-2).id?.name === 'f',
  )
  return [...new Set(findAliases(script, node, { findScript: () => null }).writes.map(({ name }) => name))]
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
    'what a function of the user changes':
      'const T = { n: 0 }; const up = (t) => { t.n++ }; function f() { up(T) }',
    'what a function of the user gives':
      'const T = [{ n: 0 }]; const at = (i) => T[i]; function f(a) { at(a).n++ }',
    'what a function changes that is given by its name':
      'const T = [{ n: 0 }]; const up = (t) => { t.n++ }; function f() { T.forEach(up) }',
    'what a method of an object changes':
      'const tools = { up(t) { t.n++ } }; const T = { n: 0 }; function f() { tools.up(T) }',
    'an instance, by a method of its class':
      'class C { n = 0; up() { this.n++ } } const T = new C(); function f() { T.up() }',
    'an instance, by a method of the class above':
      'class B { up() { this.n++ } } class C extends B {} const T = new C(); function f() { T.up() }',
    'an instance, by a getter of its class':
      'class C { get next() { return ++this.n } } const T = new C(); function f() { return T.next }',
    'a variable of a factory, by what that has returned':
      'const make = () => { let n = 0; return { up: () => ++n } }; const T = make(); function f() { T.up() }',
    'a map of a factory': 'const make = () => { const m = new Map(); return (k) => m.set(k, 1) }; const T = make(); function f(a) { T(a) }', // prettier-ignore
    'a class, by its name within': 'class T { static up() { T.n = 1 } } function f() { T.up() }',
    'a function, by its own name': 'const T = function self() { self.n = 1 }; function f() { T() }',
    'by Reflect': 'const T = { n: 0 }; function f() { Reflect.set(T, "n", 1) }',
    'by a function that is called by call':
      'const T = { n: 0 }; function up(t) { t.n++ } function f() { up.call(null, T) }',
    'by a function that is called by apply':
      'const T = { n: 0 }; function up(a, t) { t.n++ } function f() { up.apply(null, [1, T]) }',
    'by a function whose this it is':
      'const T = { n: 0 }; function up() { this.n++ } function f() { Reflect.apply(up, T, []) }',
    'a view of it': 'const T = new Uint8Array(9); function f() { const v = T.subarray(2); v[0] = 1 }',
    'another view of its memory':
      'const T = new Uint8Array(8); function f() { new DataView(T.buffer).setUint8(0, 1) }',
    'what is copied into it': 'const T = Buffer.alloc(9); function f(a) { a.copy(T) }',
    'by a borrowed method': 'const T = []; function f(a) { Array.prototype.push.call(T, a) }',
    'an instance, by a method that calls another one of its own':
      'class C { n = 0; inc() { this.n++ } up() { this.inc() } } const T = new C(); function f() { T.up() }',
    'an instance, by a private method that a method calls':
      'class C { n = 0; #inc() { this.n++ } up() { this.#inc() } } const T = new C(); function f() { T.up() }',
    'an instance, by a step that its own class has':
      'class B { up() { this.step() } step() {} } class C extends B { step() { this.n++ } } const T = new C(); function f() { T.up() }',
    'an instance, by the method above':
      'class B { up() { this.n++ } } class C extends B { up() { super.up() } } const T = new C(); function f() { T.up() }',
    'what the method above gives':
      'class B { rows = []; all() { return this.rows } } class C extends B { all() { return super.all() } } const T = new C(); function f() { T.all().push(1) }',
    'an instance, by an arrow function in a field':
      'class C { n = 0; inc = () => { this.n++ } } const T = new C(); function f() { T.inc() }',
    'an instance, by an arrow function in a field that a method calls':
      'class C { n = 0; inc = () => { this.n++ }; up() { this.inc() } } const T = new C(); function f() { T.up() }',
    'an instance, by an arrow function that its constructor has put there':
      'class C { constructor() { this.n = 0; this.inc = () => { this.n++ } } } const T = new C(); function f() { T.inc() }',
    'an object, by a method that calls another one':
      'const T = { n: 0, inc() { this.n++ }, up() { this.inc() } }; function f() { T.up() }',
    'what a constructor keeps':
      'const T = { n: 0 }; class C { constructor() { this.t = T } up() { this.t.n++ } } function f() { new C().up() }',
    'what the constructor above keeps':
      'const T = { n: 0 }; class B { constructor(t) { this.t = t } } class C extends B { up() { this.t.n++ } } function f() { new C(T).up() }',
    'what is given to super':
      'const T = { n: 0 }; class B { constructor(t) { t.n++ } } class C extends B { constructor() { super(T) } } function f() { new C() }',
    'in a field of a class of which it makes an object':
      'const T = { n: 0 }; class C { at = T.n++ } function f() { return new C() }',
    'what a field holds': 'const T = []; class C { all = T } function f() { new C().all.push(1) }',
    'by a function that a function of the user calls':
      'const T = [{ n: 0 }]; function each(list, visit) { for (const one of list) visit(one) } function f() { each(T, (t) => { t.n++ }) }',
    'by a function that goes on to another function':
      'const T = { n: 0, rows: [] }; const walk = (t, visit) => { visit(t); t.rows.forEach((r) => walk(r, visit)) }; function f() { walk(T, (t) => { t.n++ }) }',
    'by a function in options':
      'const T = { n: 0 }; const run = ({ t, done }) => { done(t) }; function f() { run({ t: T, done: (t) => { t.n++ } }) }',
    'by a function in options, as a member':
      'const T = { n: 0 }; const run = (t, o = {}) => { o.done(t) }; function f() { run(T, { done(t) { t.n++ } }) }',
    'by one of a list of functions':
      'const T = { n: 0 }; const STEPS = [(t) => t, (t) => { t.n++ }]; function f() { STEPS.forEach((step) => step(T)) }',
    'by one of a list of functions, in a loop':
      'const T = { n: 0 }; const STEPS = [(t) => { t.n++ }]; function f() { for (const step of STEPS) step(T) }',
    'by a pipe of functions':
      'const T = { n: 0 }; const pipe = (...all) => (v) => all.reduce((a, step) => step(a), v); const up = pipe((t) => t, (t) => { t.n++; return t }); function f() { up(T) }',
    'by a function that is bound to it':
      'const T = { n: 0 }; function up() { this.n++ } function f() { const g = up.bind(T); g() }',
    'by the function of a template':
      'const T = { n: 0 }; const css = (texts, ...values) => { values.forEach((t) => { t.n++ }) }; function f() { css`color: ${T}` }',
    'what a generator gives':
      'const T = { n: 0 }; function* all() { yield T } function f() { for (const t of all()) t.n++ }',
    'what a generator gives of another one':
      'const T = { rows: [] }; function* all(t) { yield t; for (const r of t.rows) yield* all(r) } function f() { for (const t of all(T)) t.n++ }',
    'what is thrown and caught': 'const T = { n: 0 }; function f() { try { throw T } catch (t) { t.n++ } }',
    'what a function throws and another one catches':
      'const T = { n: 0 }; const g = () => { throw T }; function f() { try { g() } catch ({ n }) { n.x = 1 } }',
    'through a proxy': 'const T = { n: 0 }; function f() { new Proxy(T, {}).n = 1 }',
    'through a weak reference': 'const T = { n: 0 }; function f() { new WeakRef(T).deref().n++ }',
    'by a method of the language that is given with it':
      'const T = []; function f(a) { [a].forEach(T.push, T) }',
    'by a bound method of the language': 'const T = []; const add = T.push.bind(T); function f(a) { add(a) }',
    'what an iterator gives next':
      'const T = new Map([["a", { n: 0 }]]); function f() { T.values().next().value.n++ }',
    'what a map of its own holds':
      'const T = { n: 0 }; function f(a) { const m = new Map([[a, { to: T }]]); m.get(a).to.n++ }',
    'what a set of its own holds': 'const T = { n: 0 }; function f() { for (const t of new Set([T])) t.n++ }',
    'the rest of a text that comes in parts':
      'const T = new TextDecoder(); function f(a) { return T.decode(a, { stream: true }) }',
    'an instance of a function, by its prototype':
      'function C() { this.n = 0 } C.prototype.up = function () { this.n++ }; const T = new C(); function f() { T.up() }',
    'the place where a pattern goes on': 'const T = /a/g; function f(a) { return T.test(a) }',
  },
  'argument 1': {
    'a field that is filled once': 'function f(a) { a.slug ??= 1 }',
    'a list that is sorted in place': 'function f(a) { a.sort(); return a[0] }',
    'one of its arguments': 'function f() { arguments[0].n = 1 }',
    'a row in a loop': 'function f(a) { for (const row of a) row.sum = 1 }',
    'a part by a pattern': 'const f = ({ rows }) => { rows.push(1) }',
    'a field that is deleted': 'function f(a) { delete a.b }',
    'what assign fills': 'function f(a) { return Object.assign(a, { b: 1 }) }',
    'what a function of its file fills': 'function g(row) { row.x = 1 } function f(a) { g(a) }',
    'what an instance was given':
      'class C { constructor(rows) { this.rows = rows } up() { this.rows.push(1) } } function f(a) { new C(a).up() }',
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
    'an instance of its own':
      'class C { n = 0; up() { this.n++; return this } } function f() { return new C().up().n }',
    'a factory of its own':
      'const make = () => { let n = 0; return () => ++n }; function f() { const g = make(); return g() }',
    'copies, by a function of its file':
      'const up = (r) => { r.n = 1 }; function f(a) { const b = a.map((r) => ({ ...r })); b.forEach((r) => up(r)) }',
    'a pattern that is used to its end':
      'const T = /a/g; function f(a) { let m, n = 0; while ((m = T.exec(a))) n += m.index; return n }',
    'a list that is sorted by a function of its file':
      'const by = (a, b) => a - b; function f(a) { const b = [...a].sort(by); b.x = 1 }',
    'a function of its own that is named bind':
      'const bind = (a) => a + 1; function f(a, apply) { return bind(a) + apply(a) + call(a) }',
    'what another function named bind gives': 'function f(bind) { const g = bind([1]); return g }',
    'what a decoder gives of whole texts':
      'const T = new TextDecoder(); function f(a) { return T.decode(a) }',
    'an object of its own, by its own methods':
      'class C { n = 0; rows = []; #inc() { this.n++ } up = () => { this.#inc(); this.rows.push(1) } } function f() { const c = new C(); c.up(); return c.n }',
    'copies, by a function that a function of its file calls':
      'const each = (list, visit) => { for (const one of list) visit(one) }; function f(a) { each(a.map((r) => ({ ...r })), (r) => { r.n = 1 }) }',
    'a set of what it was given': 'function f(a) { const all = new Set(a); all.add(1); return all.size }',
    'a map of what it was given': 'function f(a) { const all = new Map(a); all.set(1, 2); return all.size }',
    'what a generator of its own gives':
      'function* all(n) { for (let i = 0; i < n; i++) yield { i } } function f(a) { for (const one of all(a.n)) one.x = 1 }',
    'an error that it throws and catches':
      'function f(a) { try { if (a) throw new Error("no") } catch (e) { e.code = 1; return e.code } }',
    'a builder that gives itself':
      'class C { parts = []; add(t) { this.parts.push(t); return this } end() { return this.parts.join() } } function f(a) { return new C().add(a.x).add("b").end() }',
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
