// What workers print, with the name of the worker before each line.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fixture } from '../helpers/program.js'

for (const kind of ['threads', 'processes']) {
  test(`${kind}: lines stay whole, in order, and tell their worker`, () => {
    const program = fixture('programs/labelled-output.js')
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, kind], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    assert.equal(status, 0, stderr)
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, 41)
    for (const id of [1, 2]) {
      const own = lines.filter((line) => line.startsWith(`[lab-${id}] `)).map((line) => line.slice(8))
      assert.deepEqual(
        own,
        Array.from({ length: 20 }, (_, i) => `line ${i} of ${id}: größer`),
      )
    }
    assert.equal(lines.at(-1), 'done')
    assert.deepEqual(stderr.trimEnd().split('\n').sort(), ['[lab-1] oh', '[lab-2] oh']) // prettier-ignore
  })
}
