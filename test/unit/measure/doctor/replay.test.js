// Real calls made again: what is the same, what differs each time, and what differs from the app.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serialize } from 'node:v8'
import { startReplay } from '../../../../build/measure/doctor/proof/start-replay.js'
import { replay } from '../../../../build/measure/doctor/proof/replay/replay.js'

const text = (value) => serialize(value).toString('base64')

/** Calls of a task `f` with 1, 2 and 3, which gave twice as much in the app. */
function replayed(code, redacted = null) {
  const module = `data:text/javascript,${encodeURIComponent(code)}`
  const calls = [1, 2, 3].map((number) => ({ given: text([number]), result: text({ twice: 2 * number }) }))
  return replay({ module, task: 'f', calls, redacted: redacted?.map((args) => text(args)) ?? null })
}

describe('a replay', () => {
  test('finds the same, of promises too', async () => {
    for (const code of [
      'export const f = (x) => ({ twice: x * 2 })',
      'export async function f(x) { return { twice: x * 2 } }',
    ]) {
      const { loadError, same, unsteady, error } = await replayed(code)
      assert.deepEqual({ loadError, same, unsteady, error }, { loadError: null, same: 3, unsteady: 0, error: null }) // prettier-ignore
    }
  })

  test('finds what differs each time, and what depends on the calls before', async () => {
    for (const code of [
      'export const f = () => Math.random()',
      'let sum = 0; export const f = (x) => (sum += x)',
      'let last = 0; export const f = (x) => { const before = last; last = x; return before }',
    ])
      assert.ok((await replayed(code)).unsteady > 0, code)
  })

  test('finds what is steady, and not as it was in the app', async () => {
    const { same, unsteady } = await replayed('export const f = (x) => ({ twice: x === 2 ? 5 : x * 2 })')
    assert.deepEqual([same, unsteady], [2, 0])
  })

  test('says how a call fails without what it was given', async () => {
    const { error, same } = await replayed('export const f = (x) => { throw new RangeError(`no ${x}`) }')
    assert.deepEqual([error, same], ['RangeError', 0])
  })

  test('says why a module does not load', async () => {
    const { loadError } = await replayed('throw new Error("no database")')
    assert.match(loadError, /no database/)
  })

  test('times redacted arguments, and says when they are none', async () => {
    const code =
      'export const f = (x) => { if (x > 5) throw new RangeError("too much"); return { twice: x * 2 } }'
    const fine = await replayed(code, [[1], [1], [1]])
    assert.deepEqual([fine.redactedError, typeof fine.redactedMs], [null, 'number'])
    const bad = await replayed(code, [[1], [9], [1]])
    assert.deepEqual([bad.redactedMs, bad.redactedError, bad.same], [null, 'RangeError: too much', 3])
  })
})

describe('a replay in a process of its own', () => {
  const started = async (code) => {
    const module = `data:text/javascript,${encodeURIComponent(code)}`
    const calls = [1, 2, 3].map((number) => ({ given: text([number]), result: text(number) }))
    return startReplay({ module, task: 'f', calls, redacted: null }, new AbortController().signal)
  }

  for (const [what, code] of [
    [
      'it uses the network',
      "import { connect } from 'node:net'; export const f = (x) => (connect(9, '127.0.0.1'), x)",
    ],
    [
      'it uses the network',
      "export const f = async (x) => (await fetch('http://127.0.0.1:49151/').catch(() => {}), x)",
    ],
    [
      'it writes files',
      "import fs from 'node:fs'; export const f = (x) => (fs.appendFileSync('/nowhere/x', 'x'), x)",
    ],
    [
      'it writes files',
      "import { openSync } from 'node:fs'; export const f = (x) => (openSync('/nowhere/x', 'w'), x)",
    ],
    [
      'it starts programs',
      "import { execSync } from 'node:child_process'; export const f = (x) => (execSync('true'), x)",
    ],
  ])
    test(`keeps a call from what happens to the world: ${what}, ${code.length}`, async () => {
      assert.equal((await started(code)).tried, what)
    })

  test('lets it compute, read and print', async () => {
    const { tried, same, waiting } = await started(
      "import { readFileSync } from 'node:fs'; export const f = (x) => { readFileSync('package.json'); console.log(x); return x }",
    )
    assert.deepEqual([tried, same], [null, 3])
    assert.ok(waiting < 0.5)
  })

  test('says how much of the time a call waits', async () => {
    const { waiting } = await started(
      'export const f = (x) => new Promise((done) => setTimeout(done, 50, x))',
    )
    assert.ok(waiting > 0.5, String(waiting))
  })
})
