// What the source of a function and its calls decide.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFunctions } from '../../../../build/measure/doctor/judge-functions.js'
import { parseScript } from '../../../../build/measure/doctor/source/script-functions.js'

/** The verdict on the only function of a file, none of whose calls was seen. */
function verdictAt(url, text) {
  const parsed = parseScript(text)
  const script = { url, text, sourceMap: '', parsed, placeOf: (line) => ({ file: url, line, column: 0, isUsers: true }) } // prettier-ignore
  const row = { name: 'f', callMs: 10, share: 0.5, inclusiveShare: 0.5, verdict: null, reasons: [] }
  const each = { subject: { script, found: parsed.functions[0] }, row, time: { inNodeUs: new Map(), inclusiveUs: 1 } } // prettier-ignore
  judgeFunctions([each], [script], new Map())
  return `${row.verdict}: ${row.reasons.join('; ')}`
}

test('a function that is a part of another one, as in a bundle, cannot move', () => {
  const text = 'let n = 0\nfunction f() {\n  n += 1\n}\n'
  assert.match(verdictAt('file:///app/server.js', text), /^cannot: it .* `n`/)
})

test('of what Next.js has bundled nothing is told but where it is, and what to do', () => {
  const text = 'module.exports=[7,e=>{e.s(["GET",0,function(){return 1}])}]'
  for (const folder of ['.next/server/chunks', '.next/dev/server/chunks'])
    assert.match(
      verdictAt(`file:///app/${folder}/a.js`, text),
      /^null: cannot tell: Next\.js has bundled it.*docs\/frameworks\.md/,
    )
  assert.doesNotMatch(verdictAt('file:///app/next/a.js', text), /Next/)
})
