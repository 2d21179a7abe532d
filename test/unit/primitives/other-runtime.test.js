// What Bun and Deno lack is refused there, rather than taken and forgotten.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { processes, threads } from 'threadwise'
import { measure } from 'threadwise/measure'

/** As if this was another runtime, until the test ends. */
function runUnder(t, name) {
  const own = Object.getOwnPropertyDescriptor(process, 'versions')
  Object.defineProperty(process, 'versions', { ...own, value: { ...process.versions, [name]: '1.0.0' } })
  t.after(() => Object.defineProperty(process, 'versions', own))
}

const limits = { size: 1, resourceLimits: { maxOldGenerationSizeMb: 64 } }
const module = new URL('../../fixtures/tasks/basic.js', import.meta.url)

describe('another runtime', () => {
  for (const [runtime, create, said] of [
    ['bun', threads, /^resourceLimits must be left out: Bun enforces no limits of threads/],
    ['bun', processes, /^resourceLimits must be left out: Bun enforces no limits of processes/],
    ['deno', threads, /^resourceLimits must be left out: Deno enforces no limits of threads/],
  ])
    test(`resourceLimits of ${create.name} are refused on ${runtime}`, (t) => {
      runUnder(t, runtime)
      assert.throws(() => create(module, limits), { code: 'TW_ERR_INVALID_OPTION', message: said })
    })

  test('measure() asks for Node.js', async (t) => {
    runUnder(t, 'bun')
    const refused = { code: 'TW_ERR_INVALID_CALL', message: /^measure\(\) needs Node\.js, got "Bun"/ }
    await assert.rejects(measure(fileURLToPath(module)), refused)
  })
})
