// What signals do to `threadwise serve`, and what becomes of the instances when it is killed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { livingWith } from '../helpers/processes.js'
import { signalUntilEnded } from '../helpers/program.js'
import { serveCommand, works } from '../helpers/serve-command.js'
import { keptConnection, loadThatRuns, program, textOf } from '../helpers/services.js'

const limit = { timeout: 100_000 }
const onLinux = { ...limit, skip: process.platform !== 'linux' }

for (const signal of ['SIGTERM', 'SIGINT']) {
  test(`${signal} under load: what was asked is answered, and the exit code is 0`, onLinux, async (t) => {
    const { child, ended, url, variable } = await serveCommand(t)
    const load = await loadThatRuns(url)
    child.kill(signal)
    const { code, stderr } = await ended
    const { errorsByKind, messages, requests } = await load.stop()
    assert.equal(code, 0, stderr)
    // Afterwards nobody listens any more: that is refused, not lost.
    assert.deepEqual([errorsByKind.reset, errorsByKind.timeout], [0, 0], JSON.stringify(messages))
    assert.ok(requests > 50)
    assert.deepEqual(await livingWith(variable), [])
  })
}

test(
  'a signal to all processes at once, as systemd and Ctrl-C send it, loses nothing either',
  onLinux,
  async (t) => {
    const { child, ended, url, said, run } = await serveCommand(t)
    const { instances } = JSON.parse((await run('status', 'server', '--json')).stdout)
    const late = await fetch(`${url}late`)
    for (const { pid } of instances) process.kill(pid, 'SIGINT')
    for (const { pid } of instances) process.kill(pid, 'SIGTERM')
    child.kill('SIGTERM')
    await said(/requests may end/)
    assert.equal(await late.text(), 'hello')
    assert.equal((await ended).code, 0)
  },
)

test(
  'two signals at once, as GNU timeout sends them, are one: what was asked is answered',
  onLinux,
  async (t) => {
    const { child, ended, url } = await serveCommand(t)
    const late = await fetch(`${url}late`)
    // Of one name the kernel may make one.
    child.kill('SIGTERM')
    child.kill('SIGINT')
    assert.equal(await late.text(), 'hello')
    const { code, stderr } = await ended
    assert.equal(code, 0, stderr)
  },
)

test('a second signal ends all at once', onLinux, async (t) => {
  const text = program('hello', `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`)
  const { child, ended, said, variable } = await serveCommand(t, { text })
  child.kill('SIGTERM')
  await said(/a second signal stops at once/)
  assert.equal((await signalUntilEnded({ child, ended }, 'SIGTERM')).code, 130)
  assert.deepEqual(await livingWith(variable), [])
})

for (const signal of ['SIGHUP', 'SIGUSR2']) {
  test(`${signal} reloads; the stop afterwards is clean`, onLinux, async (t) => {
    const { child, ended, said, url } = await serveCommand(t, { instances: 1 })
    const before = await textOf(`${url}pid`)
    child.kill(signal)
    await said(/reloaded 1 instance/)
    assert.notEqual(await textOf(`${url}pid`), before)
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
  })
}

test('a signal while it starts stops it', onLinux, async (t) => {
  const { child, ended } = await serveCommand(t, { text: 'setInterval(() => {}, 1000)', until: /starting 2/ })
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  assert.deepEqual([code, /TW_ERR/.test(stderr)], [0, false], stderr)
})

test('kill -9 of the primary: running requests are answered, and no process is left', onLinux, async (t) => {
  const { child, url, variable } = await serveCommand(t)
  const connections = Array.from({ length: 8 }, () => keptConnection(t, url))
  await Promise.all(connections.map((connection) => connection.get()))
  const late = []
  await new Promise((allHaveBegun) => {
    let begun = 0
    const begins = () => ++begun === connections.length && allHaveBegun()
    for (const connection of connections) late.push(connection.get('/late', begins))
  })
  child.kill('SIGKILL')
  assert.deepEqual((await Promise.all(late)).map(({ body }) => body), Array(8).fill('hello')) // prettier-ignore
  assert.deepEqual(await livingWith(variable, 15_000), [])
})

test('kill -9 of the primary while instances do not want to end', onLinux, async (t) => {
  const text = program('hello', `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`)
  const { child, variable } = await serveCommand(t, { text, args: ['--grace', '500'] })
  child.kill('SIGKILL')
  assert.deepEqual(await livingWith(variable), [])
})

test('as process 1 of a container it serves, reloads and stops', onLinux, async (t) => {
  const via = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']
  if (!(await works('unshare', ['--pid', '--fork', '--mount-proc', 'true'])))
    return t.skip('unshare is not allowed')
  const { run, url, ended, variable } = await serveCommand(t, { via })
  const status = JSON.parse((await run('status', 'server', '--json')).stdout)
  assert.equal(status.pid, 1)
  assert.equal((await run('reload', 'server')).code, 0)
  assert.equal(await textOf(url), 'hello')
  // From outside: the kernel hands process 1 only signals that it listens to.
  const [first] = await primaries(variable)
  process.kill(first, 'SIGTERM')
  assert.equal((await ended).code, 0)
})

/** The processes of the command line that carry the variable. */
async function primaries(variable) {
  const { readFileSync } = await import('node:fs')
  const all = await livingWith(variable, 0)
  return all.filter((pid) =>
    /^[^\0]*node\0[^\0]*main\.js\0serve/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
  )
}
