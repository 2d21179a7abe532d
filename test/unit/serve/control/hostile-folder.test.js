// What others, or a broken program, can do to the commands: nothing that keeps a user from their services.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { listServices } from '../../../../build/serve/control/control-client.js'
import { openControl } from '../../../../build/serve/control/control-server.js'
import { runtimeFolder } from '../../../../build/user/runtime-folder.js'
import { temporaryFolder } from '../../../helpers/files.js'
import { waitUntil } from '../../../helpers/waiting.js'

const limit = { timeout: 30_000, skip: process.platform === 'win32' }

/** The folders of this user are under `folder`, until the test ends. */
function runtime(t, folder) {
  const before = process.env.XDG_RUNTIME_DIR
  process.env.XDG_RUNTIME_DIR = folder
  t.after(() => {
    if (before === undefined) delete process.env.XDG_RUNTIME_DIR
    else process.env.XDG_RUNTIME_DIR = before
  })
  mkdirSync(join(folder, 'threadwise'), { recursive: true, mode: 0o700 })
  return join(folder, 'threadwise')
}

test('a socket that answers something else does not end the list', limit, async (t) => {
  const folder = runtime(t, temporaryFolder(t))
  for (const [index, answer] of [
    'hello\n',
    '[]\n',
    'null\n',
    '{"ok":1}\n',
    'x'.repeat(5_000_000),
  ].entries()) {
    const server = createServer((socket) => socket.on('error', () => {}).end(answer))
    await new Promise((resolve) => server.listen(join(folder, `odd${index}.sock`), resolve))
    t.after(() => server.close())
  }
  assert.deepEqual((await listServices()).services, [])
})

test('a folder that somebody else made first is passed over, for one beside the logs', limit, (t) => {
  const folder = temporaryFolder(t)
  const shared = join(folder, `threadwise-${process.getuid()}`)
  mkdirSync(shared)
  chmodSync(shared, 0o777) // as good as that of another user: it is not private
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  })
  const found = runtimeFolder({ XDG_STATE_HOME: join(folder, 'state') }, '/no/such/folder')
  assert.equal(found, join(folder, 'state/threadwise/run'))
})

test('a folder that others may rename is refused', limit, (t) => {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o777)
  assert.throws(() => runtimeFolder({ XDG_RUNTIME_DIR: folder }), { code: 'TW_ERR_RUNTIME_FOLDER', message: /others may rename it/ }) // prettier-ignore
  chmodSync(folder, 0o1777) // as /tmp
  assert.equal(runtimeFolder({ XDG_RUNTIME_DIR: folder }), join(folder, 'threadwise'))
})

test('who asks without reading the answers is not read either', limit, async (t) => {
  const folder = runtime(t, temporaryFolder(t))
  let asked = 0
  const status = () => {
    asked++
    return { version: 1, name: 'web', state: 'serving', instances: [], filler: 'x'.repeat(10_000) }
  }
  const control = await openControl({ name: 'web', status, inspect: status, remember() {} })
  t.after(() => control.close())
  const socket = connect(join(folder, 'web.sock'))
  t.after(() => socket.destroy())
  socket.on('error', () => {}).pause()
  const line = `${JSON.stringify({ command: 'status' })}\n`
  for (let i = 0; i < 200; i++) socket.write(line.repeat(100))
  await waitUntil(() => asked > 0)
  let before = -1
  while (asked !== before) {
    before = asked
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  assert.ok(asked < 2000, `${asked} of 20000 were answered`)
})
