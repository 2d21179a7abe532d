// What the first call of a program costs beside the work itself.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const program = fileURLToPath(new URL('../fixtures/programs/first-call.js', import.meta.url))

for (const kind of ['threads', 'processes']) {
  test(`${kind}: the main thread need not load node:perf_hooks, which takes 1 ms`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, kind], { timeout: 20_000 })
    assert.equal(stdout, 'false\n')
  })
}
