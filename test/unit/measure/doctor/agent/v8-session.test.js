// What doctor changes in V8 while an app runs: V8 compiles in threads of its own meanwhile, and must not be surprised.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fixture } from '../../../../helpers/program.js'

test('an app that V8 optimizes all the time lives on while its functions are kept apart', () => {
  const program = fixture('doctor/always-optimizing.mjs')
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [program, '3000'], {
    encoding: 'utf8',
  })
  assert.deepEqual([status, signal, stdout], [0, null, 'ended well\n'], stderr)
})
