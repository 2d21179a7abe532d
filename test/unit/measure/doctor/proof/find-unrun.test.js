// Which parts of a task's module real calls come by, in a process of its own.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { serialize } from 'node:v8'
import { findUnrunParts } from '../../../../../build/measure/doctor/proof/start-replay.js'

const folder = mkdtempSync(join(tmpdir(), 'threadwise-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const ends = { signal: new AbortController().signal, until: Infinity }
const text = (value) => serialize(value).toString('base64')

/** Of a task `f`, called with each of the numbers. */
async function unrunOf(code, numbers) {
  const file = join(folder, `f${code.length}.mjs`)
  writeFileSync(file, code)
  const calls = numbers.map((number) => ({ given: text([number]), result: text(null), at: 0 }))
  const parts = await findUnrunParts({ module: pathToFileURL(file).href, task: 'f', calls, text: '', redacted: null }, ends) // prettier-ignore
  return parts && parts.map(({ start, end }) => code.slice(start, end))
}

describe('the parts that no call comes by', () => {
  const code =
    'export function f(n) { if (n > 2) { return rare(n) } return n }\nfunction rare(n) { return -n }\n'

  test('are what only other calls would run', async () => {
    const parts = await unrunOf(code, [1, 2])
    assert.ok(parts.some((each) => each.includes('return rare(n)')) && parts.some((each) => each.includes('return -n')), parts.join()) // prettier-ignore
    assert.ok(!parts.some((each) => each.includes('return n }')), parts.join())
  })

  test('are none where a single call comes by', async () => {
    assert.deepEqual(await unrunOf(code, [1, 3]), [])
  })

  test('are unknown where a call does something to the world', async () => {
    const writes = "import { writeFileSync } from 'node:fs'\nexport const f = () => { try { writeFileSync('x', '') } catch {} }\n" // prettier-ignore
    assert.equal(await unrunOf(writes, [1]), null)
  })
})
