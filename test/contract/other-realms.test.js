// Programs whose global classes are not Node's own.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../fixtures/programs/in-a-page.js', import.meta.url))

for (const kind of ['inline', 'concurrent', 'threads', 'processes', 'adaptive'])
  test(`${kind}: values, errors and results arrive where the global classes are those of another realm`, () => {
    assert.equal(execFileSync(process.execPath, [program, kind], { encoding: 'utf8' }), 'done\n')
  })
