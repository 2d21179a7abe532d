// What doctor knows of a process before it touches it: where its inspector would be, and why it is left alone. On Linux.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { askInspector } from '../../../../../build/measure/doctor/attach/ask-inspector.js'
import { countConnections } from '../../../../../build/measure/doctor/attach/count-connections.js'
import { inspectorPlace } from '../../../../../build/measure/doctor/attach/inspector-place.js'
import {
  childrenOf,
  factsOf,
  ownerOf,
  startTimeOf,
} from '../../../../../build/measure/doctor/attach/process-facts.js'
import { whyNotAttach } from '../../../../../build/measure/doctor/attach/why-not-attach.js'
import { testFolder } from '../../../../helpers/files.js'

const onLinux = { skip: process.platform !== 'linux' && 'processes that run are looked at on Linux' }

test('an inspector listens where the last option of the process says', () => {
  const placeOf = (words, nodeOptions = '') => inspectorPlace({ words, nodeOptions })
  assert.deepEqual(placeOf(['node', 'app.js']), { host: '127.0.0.1', port: 9229 })
  assert.deepEqual(placeOf(['node', '--inspect-port=9300']), { host: '127.0.0.1', port: 9300 })
  for (const [value, host, port] of [
    ['0.0.0.0', '0.0.0.0', 9229],
    ['127.0.0.1', '127.0.0.1', 9229],
    ['localhost:1', 'localhost', 1],
    ['9301', '127.0.0.1', 9301],
    [':9302', '127.0.0.1', 9302],
    ['[::1]:9303', '[::1]', 9303],
    ['[::]', '[::]', 9229],
  ])
    assert.deepEqual(placeOf(['node', `--inspect=${value}`]), { host, port }, value)
  assert.deepEqual(placeOf(['node', '--inspect-brk=10.0.0.1:1'], '--inspect-port=2'), { host: '10.0.0.1', port: 1 }) // prettier-ignore
})

test('connections of a port are counted as the system tells them', () => {
  const line = (port, state) =>
    `   0: 0100007F:${port} 0100007F:D431 ${state} 00000000:00000000 00:00 0 0 0 0 1\n`
  const table = `  sl  local_address rem_address st\n${line('240D', '01')}${line('240D', '0A')}${line('240D', '08')}${line('240E', '01')}`
  const read = (path) => {
    if (path.endsWith('6')) throw new Error('no IPv6')
    return table
  }
  assert.equal(
    countConnections(0x240d, read),
    2,
    'one is established, one closed by the other side; who listens is none',
  )
  const none = () => {
    throw new Error('no /proc')
  }
  assert.equal(countConnections(0x240d, none), -1)
})

/** A process that runs, and has said so. */
async function running(t, args, options = {}) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}
const WAITS = 'console.log("up"); setInterval(() => {}, 1e6)'

describe('a process that runs', onLinux, () => {
  test('is told by its owner, program, words, options and folder', async (t) => {
    const cwd = testFolder(t)('app')
    mkdirSync(cwd)
    const { pid } = await running(t, ['-e', WAITS, 'word'], { cwd, env: { NODE_OPTIONS: '--no-warnings' } })
    const { uid, words, nodeOptions, folder, takesSigusr1, isElsewhere } = factsOf(pid)
    assert.deepEqual(
      { uid, last: words.at(-1), nodeOptions, folder, takesSigusr1, isElsewhere },
      { uid: process.getuid(), last: 'word', nodeOptions: '--no-warnings', folder: cwd, takesSigusr1: true, isElsewhere: false }, // prettier-ignore
    )
    assert.equal(ownerOf(pid), process.getuid())
    assert.ok(childrenOf(process.pid).includes(pid))
    assert.match(startTimeOf(pid), /^\d+$/)
    assert.equal(whyNotAttach(pid), null)
  })

  test('is left alone under the permission model, and where its inspector would be open to other machines', async (t) => {
    const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission' // prettier-ignore
    const { pid } = await running(t, ['-e', WAITS, 'app', flag])
    assert.match(whyNotAttach(pid), /permission model/)
    const open = await running(t, ['-e', WAITS, 'app', '--inspect-port=0.0.0.0:9876'])
    assert.match(whyNotAttach(open.pid), /0\.0\.0\.0, where other machines reach it/)
  })

  test('is left alone where its code handles SIGUSR1, with the place', async (t) => {
    const cwd = testFolder(t)('app')
    mkdirSync(join(cwd, 'lib'), { recursive: true })
    writeFileSync(join(cwd, 'lib', 'signals.js'), "\nprocess.on('SIGUSR1', () => {})\n")
    writeFileSync(join(cwd, 'app.js'), WAITS)
    const { pid } = await running(t, ['app.js'], { cwd })
    assert.match(whyNotAttach(pid), /may handle SIGUSR1 itself \(lib\/signals\.js:2\)/)
  })

  test('is left alone where it is doctor, or no Node.js, or has ended', async (t) => {
    assert.match(whyNotAttach(process.pid), /is doctor itself/)
    const other = spawn('sleep', ['60'])
    t.after(() => other.kill('SIGKILL'))
    await once(other, 'spawn')
    assert.match(whyNotAttach(other.pid), /is no Node\.js: it runs .*(sleep|coreutils|busybox)/)
    other.kill('SIGKILL')
    await once(other, 'exit')
    assert.match(whyNotAttach(other.pid), /No process \d+ runs|has ended/)
    assert.equal(startTimeOf(other.pid), null)
  })
})

describe('what listens in the place of an inspector and is none', () => {
  const bodies = { 'no JSON': 'hello', 'no list': '{}', 'a browser': '[{"type":"page","id":"12345678"}]', 'a name that leads elsewhere': '[{"type":"node","id":"../../x"}]' } // prettier-ignore
  for (const [name, body] of Object.entries(bodies))
    test(`is asked nothing more: ${name}`, async (t) => {
      const paths = []
      const server = createServer((request, response) => {
        paths.push(request.url)
        response.end(body)
      })
      t.after(() => server.close())
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
      await assert.rejects(askInspector(server.address().port, '1'), /is no inspector of Node\.js/)
      assert.deepEqual(paths, ['/json/list'])
    })
})
