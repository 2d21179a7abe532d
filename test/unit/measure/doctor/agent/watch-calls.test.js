// Real calls of functions of this process, as the agent looks at those of an app.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Script } from 'node:vm'
import { openV8Session } from '../../../../../build/measure/doctor/agent/v8-session.js'
import { watchCalls } from '../../../../../build/measure/doctor/agent/watch-calls.js'
import { rememberLanguage } from '../../../../../build/measure/doctor/state/language.js'

/** A function of a script of its own, and how the agent is asked for it. */
function functionOf(url, code) {
  const place = (column) => ({ line: 0, column })
  const asked = { url, start: place(code.indexOf('{')), end: place(code.length), isAsync: false, given: 'arguments', text: code, names: [] } // prettier-ignore
  return { asked, run: new Script(`${code}\n;half`, { filename: url }).runInThisContext() }
}

test('watched calls are those of the time between, with what they gave', () => {
  const { asked, run } = functionOf('file:///watched/a.js', 'function half(n) { return n / 2 }')
  const session = openV8Session()
  run(2)
  const watch = watchCalls(session, [asked], rememberLanguage())
  run(4)
  run(6)
  const [{ entered, kept, returned }] = watch.end()
  run(8)
  session.disconnect()
  assert.deepEqual([entered, returned, kept.length], [2, 2, 2])
})

test('breakpoints are set while V8 optimizes nothing: its jobs end the process where one comes into what they put into others', () => {
  const { asked } = functionOf('file:///watched/b.js', 'function half(n) { return n / 2 }')
  const session = openV8Session()
  const posted = []
  const post = (method, parameters) => (posted.push(method), session.post(method, parameters))
  watchCalls({ ...session, post }, [asked], rememberLanguage()).end()
  session.disconnect()
  const setting = (method) => /^Debugger\.(getPossibleBreakpoints|setBreakpoint)/.test(method)
  const [first, last] = ['startPreciseCoverage', 'stopPreciseCoverage'].map((name) => posted.indexOf(`Profiler.${name}`)) // prettier-ignore
  assert.ok(posted.some(setting))
  for (const [at, method] of posted.entries()) if (setting(method)) assert.ok(at > first && at < last, method)
})
