// threadwise doctor --pid and --attach: a process that runs already is looked at, and goes on as it was.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { freePort } from '../helpers/free-port.js'
import { run, start, stderrSays } from '../helpers/program.js'
import { serveCommand } from '../helpers/serve-command.js'
import { assertInspectorCloses, startRunningApp } from '../helpers/running-app.js'
import { waitUntil } from '../helpers/waiting.js'

const others = []
after(() => others.forEach((other) => other.kill('SIGKILL')))

/** Requests, one after the other, until `end` is called. */
function sendRequests(origin) {
  let isOver = false
  const sent = (async () => {
    for (; !isOver;) await (await fetch(`${origin}/work`)).text()
  })()
  return () => {
    isOver = true
    return sent
  }
}

const stateOf = async ({ origin }) => (await fetch(`${origin}/state`)).json()

const openFiles = ({ pid }) =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length

/** Nothing of doctor is left in it, and its inspector is closed. */
async function assertIsAsBefore(app, sockets) {
  await waitUntil(async () => (await stateOf(app)).isCounted === false)
  await assertInspectorCloses(app)
  await waitUntil(() => openFiles(app) <= sockets + 1) // that of the request which asks for its state may be kept open
}

describe('threadwise doctor --pid', { skip: process.platform !== 'linux' && 'of Linux' }, () => {
  test('names the functions of a running process, counts their calls, and lets it go on as it was', async () => {
    const app = await startRunningApp()
    await stateOf(app)
    const sockets = openFiles(app)
    const end = sendRequests(app.origin)
    const { code, stdout, stderr } = await run(['doctor', '--pid', String(app.pid), '--for', '6', '--json', '-']) // prettier-ignore
    await end()
    assert.equal(code, 0, stderr)
    const result = JSON.parse(stdout)
    const [first] = result.functions
    assert.deepEqual(
      [result.kind, result.problem, first.name, first.verdict],
      ['process', null, 'burn', null],
    )
    const rowOf = (wanted) => result.functions.find(({ name }) => name === wanted)
    assert.equal(first.callsPerSecond, 2 * rowOf('work').callsPerSecond)
    assert.equal(rowOf('work').file.endsWith('app.mjs'), true)
    const { inspectorMs, countSlower } = result.cost
    assert.ok(inspectorMs > 0 && (countSlower === null || countSlower > 0)) // null: a crowded machine has answered few requests
    assert.equal(result.node, process.version)
    await assertIsAsBefore(app, sockets)
    assert.match(app.words(), new RegExp(`Debugger listening on ws://127.0.0.1:${app.inspectorPort}`))
  })

  for (const [signal, phase] of [
    ['SIGKILL', /opening the inspector/],
    ['SIGKILL', /looking at the event loop/],
    ['SIGKILL', /counting calls/],
    ['SIGKILL', /profiling/],
    ['SIGINT', /counting calls/],
  ]) {
    test(`leaves nothing in the process after ${signal} while ${phase.source}`, async () => {
      const app = await startRunningApp()
      await stateOf(app)
      const sockets = openFiles(app)
      const end = sendRequests(app.origin)
      const doctor = start(['doctor', '--pid', String(app.pid), '--for', '6'])
      await stderrSays(doctor.child, phase)
      doctor.child.kill(signal)
      const ended = await doctor.ended
      assert.equal(signal === 'SIGINT' ? ended.code : ended.signal, signal === 'SIGINT' ? 130 : signal)
      await end()
      await assertIsAsBefore(app, sockets)
    })
  }

  test('a process that ends before its agent has connected is told', async () => {
    const { pid } = await startRunningApp('ends-early')
    const { code, stdout } = await run(['doctor', '--pid', String(pid), '--json', '-'])
    const { problem, sentence } = JSON.parse(stdout)
    assert.deepEqual([code, problem, sentence], [1, 'cannot-attach', `Process ${pid} has ended.`])
  })

  test('says what it cannot look at, and sends it no signal', async () => {
    const sleeper = spawn('sleep', ['60'])
    others.push(sleeper)
    const handler = await startRunningApp('handles-signal')
    const refused = [
      [String(sleeper.pid), /is no Node\.js: it runs .*(sleep|coreutils)/],
      [String(handler.pid), /may handle SIGUSR1 itself \(app\.mjs:\d+\)/],
      ['4194304', /No process 4194304 runs/],
      ...(process.getuid() === 0 ? [] : [['1', /belongs to another user/]]),
    ]
    for (const [pid, sentence] of refused) {
      const { code, stdout } = await run(['doctor', '--pid', pid, '--json', '-'])
      const result = JSON.parse(stdout)
      assert.deepEqual([code, result.problem, result.functions], [1, 'cannot-attach', []])
      assert.match(result.sentence, sentence)
    }
    assert.deepEqual([sleeper.exitCode, sleeper.signalCode], [null, null])
    assert.deepEqual(await stateOf(handler), { signals: 0 })
  })

  test('refuses options that mean nothing there', async () => {
    for (const args of [
      ['--pid', '1', '--path', '/a'],
      ['--pid', '0'],
      ['--pid', '1', 'server.js'],
    ]) {
      const { code, stderr } = await run(['doctor', ...args])
      assert.equal(code, 2, stderr)
    }
  })

  test('looks at an instance of a service by its name', async (t) => {
    const inspectorPort = await freePort()
    const served = await serveCommand(t, { args: ['--name', 'web'], instances: 1, env: { NODE_OPTIONS: `--inspect-port=${inspectorPort}` } }) // prettier-ignore
    const { stdout, stderr } = await served.run('doctor', '--attach', 'web', '--for', '4', '--json', '-')
    const result = JSON.parse(stdout)
    assert.equal(result.kind, 'process', stderr)
    assert.ok(result.loop.busy < 0.5, 'it waits for requests')
    const { command } = JSON.parse(stdout)
    assert.ok(
      command.at(-1).endsWith('server.mjs') && !command.some((word) => word.startsWith('data:')),
      command,
    )
    assert.match(await (await fetch(served.url)).text(), /./)
    const unknown = await served.run('doctor', '--attach', 'nobody')
    assert.equal(unknown.code, 1)
    assert.match(unknown.stderr, /nobody[^]*web/)
  })
})
