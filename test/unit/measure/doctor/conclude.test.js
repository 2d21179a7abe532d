// What a diagnosis says where there were too few calls, and how many requests it sends to slow pages.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nextSteps, tooFew } from '../../../../build/measure/doctor/conclude.js'
import { judgeFunctions } from '../../../../build/measure/doctor/judge-functions.js'
import { rateFor } from '../../../../build/measure/doctor/send-requests.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

/** The row of a function of which so many calls were seen. */
function judged(calls, inclusiveShare = 0.5) {
  const parsed = parseScript('function page(rows) { return rows.length }')
  const script = { url: '/app.js', parsed }
  const row = { name: 'page', inclusiveShare, share: inclusiveShare, callMs: 2000, callsPerSecond: 0.1, reasons: [], conditions: [] } // prettier-ignore
  const each = {
    row,
    subject: { script, found: parsed.functions[0] },
    time: { inNodeUs: new Map(), inclusiveUs: 1 },
  }
  const seen = { calls, problems: [], gives: [], kept: [], large: 0, changed: 0, returned: calls }
  judgeFunctions([each], [script], new Map([[each, seen]]))
  return row
}

describe('a diagnosis with too few calls', () => {
  test('says of large functions what to do', () => {
    const sentence = tooFew([judged(2)])
    assert.match(sentence, /^ Too few calls of page came to judge it: send more, with --rate, or look for longer .*--for\.$/) // prettier-ignore
    assert.match(tooFew([judged(0), judged(1)]), /of page, page came to judge them/)
  })

  test('says nothing where they were enough, or the function is small', () => {
    assert.equal(tooFew([judged(3)]), '')
    assert.equal(tooFew([judged(0, 0.01)]), '')
  })
})

describe('the rate of requests', () => {
  for (const [what, capacity, rate] of [
    ['is two fifths of what one connection gets', 100, 40],
    ['is at most 200', 10_000, 200],
    ['is one a second where more would come near to the edge', 2, 1],
    ['of slow pages leaves the loop some time', 0.5, 0.4],
    ['is one in ten seconds where nothing was answered', 0, 0.1],
  ])
    test(what, () => assert.equal(rateFor(capacity), rate))
})

test('where nothing can move, and much is garbage, it says what to copy less in', () => {
  const row = { file: 'a.js', line: 8, reasons: [], task: null, callMs: 1 }
  const functions = [
    { ...row, name: 'app.get /products', inclusiveShare: 0.65, verdict: 'cannot' },
    { ...row, name: 'cheapest', inclusiveShare: 0.64, verdict: null },
    { ...row, name: 'rows.map callback', inclusiveShare: 0.3, verdict: 'too short' },
  ]
  const steps = (collection) => nextSteps({ functions, shares: { collection } })
  assert.match(steps(0.35)[0], /^Copy less in cheapest \(a\.js:8, 64 % of the busy time\): 35 % is garbage/)
  assert.deepEqual(steps(0.1), [])
})
