// What an instance listens on may be any path: nothing of it may throw in the primary.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSocketFiles } from '../../../../build/serve/primary/socket-files.js'
import { temporaryFolder } from '../../../helpers/files.js'
import { waitUntil } from '../../../helpers/waiting.js'

const onPosix = { skip: process.platform === 'win32' && 'sockets have no files there' }
const keyOf = (path) => `${path}:-1:-1:undefined:0`

/** The files of a socket that a server listens on; ended with the test. */
async function listening(t) {
  const folder = join(temporaryFolder(t), 'sockets')
  mkdirSync(folder)
  const path = join(folder, 'app.sock')
  const server = createServer().listen(path)
  await once(server, 'listening')
  const files = createSocketFiles(() => true)
  t.after(() => {
    files.close()
    server.close()
  })
  return { files, folder, path }
}

test('keys without a file, or with one that cannot be reached, are passed over', onPosix, (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'file'), '')
  const odd = [
    ...['\0name', `${folder}/\0name`, `${folder}/\0`, `${folder}/a\0b.sock`],
    ...[
      `${folder}/file/app.sock`,
      `${folder}/none/app.sock`,
      `${folder}/${'x'.repeat(5000)}`,
      `${folder}/a:-1\n`,
    ],
  ]
  const files = createSocketFiles(() => true)
  for (const path of odd) {
    files.keep(keyOf(path))
    files.keep(keyOf(path))
  }
  files.keep('')
  files.keep('null:3000:4:undefined:0')
  files.close()
  assert.deepEqual(readdirSync(folder), ['file'])
})

test('a file that is removed comes back, and close() leaves no other', onPosix, async (t) => {
  const { files, folder, path } = await listening(t)
  files.keep(keyOf(path))
  assert.deepEqual(readdirSync(folder).sort(), ['app.sock', `app.sock.${process.pid}`])
  rmSync(path)
  await waitUntil(() => existsSync(path))
  files.close()
  assert.deepEqual(readdirSync(folder), ['app.sock'])
})

test(
  'a folder that becomes a file under it, or that nobody may change, throws nothing',
  onPosix,
  async (t) => {
    const { files, folder, path } = await listening(t)
    files.keep(keyOf(path))
    renameSync(folder, `${folder}.gone`)
    writeFileSync(folder, '')
    files.keep(keyOf(path))
    files.close()
    const other = await listening(t)
    other.files.keep(keyOf(other.path))
    chmodSync(other.folder, 0o500)
    other.files.close()
    chmodSync(other.folder, 0o700)
  },
)
