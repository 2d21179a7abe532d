// What systemd is told: by its own program, over a socket as it has one. Node cannot receive datagrams, so Python does.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeFileSync } from 'node:fs'
import { livingWith } from '../helpers/processes.js'
import { start } from '../helpers/program.js'
import { temporaryFolder } from '../helpers/files.js'
import { works } from '../helpers/serve-command.js'
import { freePort } from '../helpers/free-port.js'
import { program } from '../helpers/services.js'

const limit = { timeout: 60_000, skip: process.platform !== 'linux' && 'systemd is of Linux' }

const RECEIVER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
s.bind(sys.argv[1])
print('bound', flush=True)
while True:
    data, fds, _, _ = socket.recv_fds(s, 4096, 8)
    for fd in fds: socket.close(fd)
    print(data.decode().strip(), flush=True)
`

/** \`said\` has the lines so far; \`next\` resolves with the next that matches. */
async function manager(t, folder) {
  const path = join(folder, 'notify')
  const child = spawn('python3', ['-c', RECEIVER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const said = []
  let look = () => {}
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.push(...text.split('\n').filter(Boolean))
    look()
  })
  const has = (line) =>
    new Promise((resolve) => {
      look = () => said.includes(line) && resolve()
      look()
    })
  await has('bound')
  return { path, said, has }
}

const hello = program('hello', `setTimeout(() => process.send('ready'), 500)`)

for (const [what, apps] of [
  ['one app', ['web']],
  ['two apps', ['web', 'api']],
])
  test(`${what}: systemd is told once all serve, and apps do not know of it`, limit, async (t) => {
    if (!(await works('systemd-notify', ['--version'])) || !(await works('python3', ['--version'])))
      return t.skip('no systemd-notify, or no python3')
    const folder = temporaryFolder(t)
    const { path, said, has } = await manager(t, folder)
    const all = await Promise.all(
      apps.map(async (name) => {
        writeFileSync(join(folder, `${name}.mjs`), `console.log('seen', process.env.NOTIFY_SOCKET)\n${hello}`)
        return { name, file: `${name}.mjs`, instances: 1, waitReady: true, env: { PORT: await freePort() } }
      }),
    )
    writeFileSync(join(folder, 'threadwise.config.json'), JSON.stringify({ apps: all }))
    const variable = `THREADWISE_TEST=systemd-${process.pid}-${apps.length}`
    const env = { NOTIFY_SOCKET: path, XDG_RUNTIME_DIR: folder, THREADWISE_TEST: variable.split('=')[1] }
    const { child, ended } = start(['serve'], { cwd: folder, env })
    t.after(() => child.kill('SIGKILL'))
    await has('READY=1')
    assert.equal(said.filter((line) => line === 'READY=1').length, 1)
    child.kill('SIGTERM')
    const { code, stdout } = await ended
    assert.equal(code, 0)
    assert.deepEqual(stdout.trim().split('\n').sort(), apps.map(() => 'seen undefined')) // prettier-ignore
    assert.deepEqual(await livingWith(variable), [])
  })
