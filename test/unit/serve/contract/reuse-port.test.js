// Where instances may listen on the same port by themselves.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { reusePortProblem, reusePortWarnings } from '../../../../build/serve/contract/reuse-port.js'
import { temporaryFolder } from '../../../helpers/files.js'

test('versions of Node', () => {
  for (const version of ['22.12.0', '22.23.3', '23.1.0', '24.0.0', '26.10.0'])
    assert.equal(reusePortProblem(version, 'linux'), null, version)
  for (const version of ['20.20.2', '22.11.0', '23.0.0'])
    assert.match(reusePortProblem(version, 'linux'), /needs Node 22\.12 or 23\.1/, version)
})

test('systems', () => {
  assert.match(reusePortProblem('24.0.0', 'darwin'), /^darwin does not/)
  assert.match(reusePortProblem('24.0.0', 'win32'), /^win32 does not/)
})

test('there is a warning where the kernel resets connections that wait', (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'tcp_migrate_req')
  assert.match(reusePortWarnings(file)[0], /tcp_migrate_req is unknown/)
  writeFileSync(file, '0\n')
  assert.match(reusePortWarnings(file)[0], /tcp_migrate_req is 0: connections that wait .* are reset/)
  writeFileSync(file, '1\n')
  assert.deepEqual(reusePortWarnings(file), [])
})
