// Which functions are proved first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proveOrder } from '../../../../build/measure/doctor/conditions/prove-order.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

const text = `function score(a) { return a }
function ranking(a) { return score(a) }
serve({ '/ranking': (q) => ranking(q) })`
const script = { url: 'file:///app.mjs', parsed: parseScript(text) }

/** @param caller the text at which it is called */
function candidate(number, { callMs, share, caller = null }) {
  const place = caller === null ? null : script.parsed.placeOf(text.indexOf(caller))
  const stack = place === null ? [] : [{ url: script.url, ...place, name: '', isAsync: false }]
  const subject = { script, found: script.parsed.functions[number] }
  return { seen: { callers: [stack] }, each: { subject, row: { inclusiveShare: share, callMs } } }
}

const score = candidate(0, { callMs: 0.5, share: 0.9, caller: 'score(a) }\nserve' })
const ranking = candidate(1, { callMs: 9.8, share: 0.92, caller: 'ranking(q) })' })
const handler = candidate(2, { callMs: 9.9, share: 0.95 })

test('a function comes before what it calls, and before the handler that only passes its call on', () => {
  const { ordered, workersOf } = proveOrder([score, handler, ranking])
  assert.deepEqual(ordered, [ranking, score, handler])
  assert.deepEqual(workersOf(handler), [ranking])
  assert.deepEqual(workersOf(ranking), [])
})
