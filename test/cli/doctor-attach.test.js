// threadwise doctor --pid in bad company: the process answers all the time, and its inspector is closed in the end. And a process that
// waits for doctor, whose inspector is not opened at all.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../helpers/free-port.js'
import { isAlive } from '../../build/primitives/is-alive.js'
import { program, run, start, stderrSays } from '../helpers/program.js'
import { assertInspectorCloses, isListening, startRunningApp } from '../helpers/running-app.js'
import { waitUntil } from '../helpers/waiting.js'

const skip = process.platform !== 'linux' && 'of Linux'
const doctorArgs = (pid) => ['doctor', '--pid', String(pid), '--for', '4', '--json', '-']
/** It has looked at the app, which does nothing: on a busy machine that looks like native work. */
function assertLooked({ code, stdout, stderr }) {
  const { problem, sentence } = JSON.parse(stdout)
  assert.ok(code === 0 || problem === 'native-only', `${code} ${problem}: ${sentence}\n${stderr}`)
}
const answer = async ({ origin }) => (await fetch(origin)).text()

/** As an editor that attaches to whatever can be debugged, and stays, and answers nothing. Ends by `leave()`. */
async function comeToInspector({ inspectorPort: port }) {
  const at = { port, host: '127.0.0.1', agent: false }
  const list = () =>
    new Promise((resolve) => {
      const asked = request({ ...at, path: '/json/list' }, (response) => {
        let text = ''
        response.on('data', (data) => (text += data)).on('end', () => resolve(JSON.parse(text)))
      })
      asked.on('error', () => resolve(null)).end()
    })
  let found = null
  await waitUntil(async () => (found = await list()) !== null)
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13, 'Sec-WebSocket-Key': randomBytes(16).toString('base64') } // prettier-ignore
  const { pathname } = new URL(found[0].webSocketDebuggerUrl)
  const socket = await new Promise((resolve) => {
    request({ ...at, path: pathname, headers }).on('upgrade', (_, upgraded) => resolve(upgraded.resume())).end() // prettier-ignore
  })
  return { leave: () => socket.destroy() }
}

describe('threadwise doctor --pid', { skip }, () => {
  test('never holds up a process to whose inspector another debugger comes, says that it is open, and closes it later', async () => {
    const app = await startRunningApp()
    const [ended, editor] = await Promise.all([run(doctorArgs(app.pid)), comeToInspector(app)])
    assertLooked(ended)
    const { sentence, cost } = JSON.parse(ended.stdout)
    assert.match(sentence, /inspector is open still.*any user of this machine/)
    assert.equal(cost.inspectorLeftAt, `127.0.0.1:${app.inspectorPort}`)
    assert.match(await answer(app), /^\d+$/)
    assert.ok(isListening(app.inspectorPort))
    editor.leave()
    await assertInspectorCloses(app)
    assert.match(await answer(app), /^\d+$/)
  })

  test('closes the inspector after doctor was killed while another debugger is there', async () => {
    const app = await startRunningApp()
    const doctor = start(doctorArgs(app.pid))
    const editor = await comeToInspector(app)
    doctor.child.kill('SIGKILL')
    await doctor.ended
    assert.match(await answer(app), /^\d+$/)
    editor.leave()
    await assertInspectorCloses(app)
  })

  test('talks to the inspector through no proxy, and runs no code that the environment names', async () => {
    let asked = 0
    const proxy = createServer((_, response) => (asked++, response.end('[]')))
    await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${proxy.address().port}`
    const app = await startRunningApp()
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, http_proxy: address, ALL_PROXY: address }
    const ended = await run(doctorArgs(app.pid), { env })
    proxy.close()
    assertLooked(ended)
    assert.equal(asked, 0)
    await assertInspectorCloses(app)
  })

  test('closes the inspector of a process whose loop stands still, before it goes on', async () => {
    const app = await startRunningApp('stands-still')
    await (await fetch(`${app.origin}/loop`)).text()
    assertLooked(await run(doctorArgs(app.pid)))
    await assertInspectorCloses(app)
    assert.equal(await answer(app), '{}')
  })

  test('gives up on a process that stands still, and closes the inspector also when it opens again afterwards', async () => {
    const app = await startRunningApp('stands-still')
    await (await fetch(`${app.origin}/system`)).text()
    const { code, stdout } = await run(doctorArgs(app.pid))
    assert.match(JSON.parse(stdout).sentence, /did not answer within 10 s: its event loop is blocked/)
    assert.equal(code, 1)
    await assertInspectorCloses(app)
    assert.equal(await answer(app), '{}') // it has gone on
    await assertInspectorCloses(app)
  })

  test('finds the inspector at a port that the code of the process has chosen', async () => {
    const port = await freePort()
    const app = await startRunningApp('stands-still', { env: { OTHER_PORT: String(port) } })
    await (await fetch(`${app.origin}/debug-port`)).text()
    assertLooked(await run(doctorArgs(app.pid)))
    assert.match(app.words(), new RegExp(`Debugger listening on ws://127.0.0.1:${port}`))
    await assertInspectorCloses({ ...app, inspectorPort: port })
  })

  for (const way of ['exit', 'throw'])
    test(`tells that a process has ended meanwhile, by ${way}, and waits for it no longer`, async () => {
      const app = await startRunningApp('ends-later')
      const doctor = start(['doctor', '--pid', String(app.pid), '--for', '60', '--json', '-'])
      await stderrSays(doctor.child, /looking at the event loop/)
      await answer({ origin: `${app.origin}/${way}` })
      const { code, stdout } = await doctor.ended
      const { problem, sentence } = JSON.parse(stdout)
      assert.deepEqual([code, problem], [1, 'crashed'])
      assert.match(sentence, /^The app ended while it was looked at/)
      await waitUntil(() => !isListening(app.inspectorPort))
    })

  test('does no harm to a process that has removed the global process', async () => {
    const app = await startRunningApp('without-process')
    await run(doctorArgs(app.pid))
    await assertInspectorCloses(app)
    assert.ok(JSON.parse(await answer(app)).turns > 0)
  })
})

describe(
  'a process that waits for doctor',
  { skip: process.platform === 'win32' && 'no sockets there' },
  () => {
    const register = new URL('../../dist/doctor-register.js', import.meta.url).href
    const runtime = mkdtempSync(join(tmpdir(), 'threadwise-test-'))
    chmodSync(runtime, 0o700)
    after(() => rmSync(runtime, { recursive: true, force: true }))
    const env = { XDG_RUNTIME_DIR: runtime }
    const socket = ({ pid }) => join(runtime, 'threadwise', 'doctor', `${pid}.sock`)
    const startWaiting = (options = ['--import', register]) => startRunningApp('running', { options, env })

    test('is looked at without its inspector, again and again, and by one doctor at a time', async () => {
      const app = await startWaiting()
      assert.equal(statSync(socket(app)).mode & 0o777, 0o600)
      assert.equal(statSync(join(runtime, 'threadwise', 'doctor')).mode & 0o777, 0o700)
      for (let round = 0; round < 2; round++) {
        const first = start(doctorArgs(app.pid), { env })
        await stderrSays(first.child, /looking at the event loop/)
        const second = await run(doctorArgs(app.pid), { env })
        assert.match(JSON.parse(second.stdout).sentence, /Another doctor looks at process/)
        const { stdout, stderr } = await first.ended
        const { kind, problem, cost } = JSON.parse(stdout)
        assert.equal(kind, 'process', stderr)
        assert.ok(problem === null || problem === 'idle')
        assert.deepEqual([cost.by, cost.inspectorMs, cost.inspectorLeftAt], ['socket', 0, null])
      }
      assert.doesNotMatch(app.words(), /Debugger/)
      const state = await (await fetch(`${app.origin}/state`)).json()
      assert.deepEqual(state, { isCounted: false })
    })

    test('may have loaded it by require, and be killed: what is left of it is no process that waits', async () => {
      const app = await startWaiting(['--require', fileURLToPath(register.replace('.js', '.cjs'))])
      assert.ok(existsSync(socket(app)))
      app.child.kill('SIGKILL')
      await waitUntil(() => app.child.signalCode !== null)
      const { stdout } = await run(doctorArgs(app.pid), { env })
      assert.match(JSON.parse(stdout).sentence, /No process \d+ runs/)
    })

    test('goes on whatever is sent to its socket', async () => {
    const app = await startWaiting()
    for (const text of ['no JSON\n', '5\n', '{"id":1,"ask":"toString"}\n', '{"ask":"watch start","functions":[null]}\n', '{'.repeat(100_000)])
      await new Promise((resolve) => {
        const client = connect(socket(app), () => client.end(text))
        client.on('error', () => {}).on('close', resolve).resume()
      })
    assert.match(await answer(app), /^\d+$/)
    assert.equal(JSON.parse((await run(doctorArgs(app.pid), { env })).stdout).cost.by, 'socket')
  }) // prettier-ignore

    test("is warned under Node's permission model, and goes on", async () => {
      const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission' // prettier-ignore
      const { code, stdout, stderr } = await run([], { env, via: [process.execPath, flag, '--allow-fs-read=*', '--import', register, '-e', 'console.log("done")', '--'] }) // prettier-ignore
      assert.deepEqual([code, stdout], [0, 'done\n'])
      assert.match(stderr, /TW_WARN_DOCTOR.*no socket by which doctor/)
    })

    test('has a socket of its own in each process of a cluster, and each is looked at', async () => {
      const app = await startRunningApp('in-cluster', { options: ['--import', register], env })
      const pids = [app.pid, ...JSON.parse(app.origin)]
      assert.ok(pids.every((pid) => existsSync(socket({ pid }))))
      for (const pid of pids) {
        const { stdout, stderr } = await run(doctorArgs(pid), { env })
        const { kind, cost } = JSON.parse(stdout)
        assert.deepEqual([kind, cost?.by], ['process', 'socket'], stderr)
      }
      assert.doesNotMatch(app.words(), /Debugger|Warning/)
      const [worker] = pids.slice(1)
      process.kill(worker)
      await waitUntil(() => !isAlive(worker))
      assert.match(
        JSON.parse((await run(doctorArgs(worker), { env })).stdout).sentence,
        /No process \d+ runs/,
      )
    })

    test('has one for all of its threads, which go on', async () => {
      const app = await startRunningApp('with-thread', { options: ['--import', register], env })
      assert.equal(JSON.parse((await run(doctorArgs(app.pid), { env })).stdout).cost.by, 'socket')
      const { count } = JSON.parse(await answer(app))
      await waitUntil(async () => JSON.parse(await answer(app)).count > count)
      assert.doesNotMatch(app.words(), /Debugger|Warning/)
    })

    test('that stands still is given up, and goes on', async () => {
      const app = await startRunningApp('stands-still', { options: ['--import', register], env })
      await (await fetch(`${app.origin}/system`)).text()
      const { code, stdout } = await run(doctorArgs(app.pid), { env })
      assert.equal(code, 1)
      assert.match(JSON.parse(stdout).sentence, /did not answer within 10 s: its event loop is blocked/)
      assert.equal(await answer(app), '{}')
      assert.equal(JSON.parse((await run(doctorArgs(app.pid), { env })).stdout).cost.by, 'socket')
    })

    test('is not taken for one whose socket is left there, or is of somebody else', { skip: process.platform !== 'linux' && 'of Linux' }, async () => {
      const app = await startRunningApp('running', { env })
      const left = await startWaiting()
      left.child.kill('SIGKILL')
      await waitUntil(() => left.child.signalCode !== null)
      renameSync(socket(left), socket(app))
      assert.equal(JSON.parse((await run(doctorArgs(app.pid), { env })).stdout).cost.by, 'inspector')
      await assertInspectorCloses(app)
      rmSync(socket(app))
      const other = await startWaiting()
      linkSync(socket(other), socket(app))
      assert.equal(JSON.parse((await run(doctorArgs(app.pid), { env })).stdout).cost.by, 'inspector')
      await assertInspectorCloses(app)
      assert.equal(JSON.parse((await run(doctorArgs(other.pid), { env })).stdout).cost.by, 'socket')
    }) // prettier-ignore

    test('cannot be reached by another user', { skip: process.getuid?.() !== 0 && 'of root, who can become another user' }, async () => {
      const app = await startWaiting()
      const args = ['doctor', '--pid', String(app.pid), '--json', '-']
      const asNobody = { uid: 65534, gid: 65534 }
      const shared = { cwd: '/', env: { ...process.env, ...env, HOME: '/' } }
      const refused = spawnSync(process.execPath, [program, ...args], { ...asNobody, ...shared, encoding: 'utf8' })
      assert.match(`${refused.stdout}${refused.stderr}`, /another user|EACCES|permission denied|TW_ERR_RUNTIME_FOLDER/i)
      const attempt = `require('net').connect(${JSON.stringify(socket(app))}).on('error', ({ code }) => console.log(code)).on('connect', () => console.log('connected'))`
      assert.equal(spawnSync(process.execPath, ['-e', attempt], { ...asNobody, cwd: '/', encoding: 'utf8' }).stdout.trim(), 'EACCES')
      assert.match(await answer(app), /^\d+$/)
    }) // prettier-ignore

    test('ends as it would without it, and leaves no socket', async () => {
      const before = readdirSync(join(runtime, 'threadwise', 'doctor'))
      const { code, stdout } = await run([], { env, via: [process.execPath, '--import', register, '-e', 'console.log("done")', '--'] }) // prettier-ignore
      assert.deepEqual([code, stdout], [0, 'done\n'])
      assert.deepEqual(readdirSync(join(runtime, 'threadwise', 'doctor')), before)
    })
  },
)
