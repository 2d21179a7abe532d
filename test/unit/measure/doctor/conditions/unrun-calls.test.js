// Calls of packages that no call of a function came by.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unrunCalls } from '../../../../../build/measure/doctor/conditions/unrun-calls.js'
import { parseScript } from '../../../../../build/measure/doctor/source/script-functions.js'

const head = "import { save } from 'kept'\nimport { createHash } from 'node:crypto'\n"
const body = 'function f(n) { if (n > 2) save(n); return createHash("md5").update(own(n)).digest() }'
const code = `${head}${body}\nfunction own(n) { return String(n) }\n`
const script = parseScript(code)
const { node } = script.at(code.indexOf('function f'))
// In its module the same text stands somewhere else.
const modules = [{ name: 'f.tasks.mjs', text: `// of doctor\n\n${head}export ${body}\n` }]
const at = modules[0].text.indexOf('save(n)')
const partAround = { file: 'f.tasks.mjs', start: at, end: at + 'save(n)'.length }

function conditionsFor(parts) {
  const places = { of: () => ({ file: 'a.mjs', line: 3 }) }
  return unrunCalls([{ script, node }], { parts, modules, places, findScript: () => null })
}

describe('calls of packages that were not run', () => {
  test('are conditions, by the name of the package', () => {
    const [condition, ...others] = conditionsFor([partAround])
    assert.deepEqual([condition.kind, condition.line, others], ['state', 3, []])
    assert.match(condition.text, /the package kept keeps or does/)
  })

  test('are none where a call came by, or where another part was not run', () => {
    assert.deepEqual(conditionsFor([]), [])
    assert.deepEqual(conditionsFor([{ ...partAround, file: 'other.mjs' }]), [])
  })

  test('are all of them where nobody knows', () => {
    assert.equal(conditionsFor(null).length, 1)
  })
})
