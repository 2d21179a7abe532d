// Threads where there is no SharedArrayBuffer: everything by message.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fixture } from '../helpers/program.js'

test('without SharedArrayBuffer threads work by message', () => {
  const program = fixture('programs/no-shared-memory.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  assert.equal(status, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), [[1, 2, 3], 'TW_ERR_WORKER_EXITED', 'TW_ERR_TIMEOUT', [5, 6, 7]])
})
