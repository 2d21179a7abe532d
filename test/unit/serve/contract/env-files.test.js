// Variables of `node --env-file`, which an instance reads again.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { variablesOfEnvFiles } from '../../../../build/serve/contract/env-files.js'
import { temporaryFolder } from '../../../helpers/files.js'

test('those that this process has from its files, and no others', (t) => {
  const path = join(temporaryFolder(t), '.env')
  writeFileSync(path, 'A=1\nB=2\n')
  const env = { A: '1', B: 'of the shell', C: '1' }
  const expected = { A: undefined }
  for (const execArgv of [[`--env-file=${path}`], ['--env-file', path], [`--env-file-if-exists=${path}`]]) {
    assert.deepEqual(variablesOfEnvFiles(execArgv, env), expected)
  }
  assert.deepEqual(variablesOfEnvFiles(['--env-file=/no/such/file', '--enable-source-maps'], env), {})
})
