// A machine on which something has run out: the service goes on with what it has, says what is missing, and recovers.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { background } from '../helpers/background.js'
import { serveCommand, works } from '../helpers/serve-command.js'
import { program, service, textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 90_000, skip: process.platform !== 'linux' && 'limits are set as on Linux' }
const stateOf = async (run) => JSON.parse((await run('status', 'server', '--json')).stdout)

test(
  'the service is out of file descriptors when an instance dies: it tries again until there are some',
  limit,
  async (t) => {
    if (!(await works('prlimit', ['--version']))) return t.skip('no prlimit(1)')
    const { child, url, said, run } = await serveCommand(t, { instances: 1 })
    const setFiles = (count) => spawnSync('prlimit', ['--pid', String(child.pid), `--nofile=${count}:4096`])
    const { instances } = await stateOf(run)
    setFiles(5)
    process.kill(instances[0].pid, 'SIGKILL')
    await said(/could not be started .*EMFILE/)
    setFiles(1024)
    await waitUntil(async () => (await stateOf(run)).state === 'serving')
    assert.equal(await textOf(url), 'hello')
  },
)

test(
  'variables that the system does not take: a reload fails, and the old instances go on',
  limit,
  async (t) => {
    const { run, path, url, env } = await background(t)
    const config = join(path, '../threadwise.config.json')
    const write = (more) => writeFileSync(config, JSON.stringify({ apps: [{ name: 'web', file: path, instances: 1, env: more }] })) // prettier-ignore
    write({})
    assert.equal((await run('serve', '--config', config, '--daemon', { env })).code, 0)
    write({ LONG: 'x'.repeat(200_000) })
    const { code, stderr } = await run('reload', '--config', config)
    assert.deepEqual([code, /could not be started \(spawn E2BIG\).*TW_ERR_INSTANCE_FAILED/.test(stderr)], [1, true], stderr) // prettier-ignore
    assert.equal(await textOf(url), 'hello')
    assert.equal((await run('reload', 'web')).code, 0)
  },
)

test('a start with such variables fails by name', limit, async (t) => {
  const long = { env: { LONG: 'x'.repeat(200_000) } }
  for (const more of [{}, { portless: true }])
    await assert.rejects(service(t, program('hello'), { ...long, ...more }), {
      code: 'TW_ERR_INSTANCE_FAILED',
    })
})

test(
  'the only instance dies, and another program takes the port: it is told, and serves when the port is free',
  limit,
  async (t) => {
    const { service: server, port, seen, url } = await service(t, program('hello'), { instances: 1 })
    const thief = createServer((socket) => socket.destroy())
    t.after(() => thief.close())
    const gone = seen(({ type }) => type === 'gone')
    process.kill(server.status().instances[0].pid, 'SIGKILL')
    await gone
    await new Promise((resolve) => thief.listen(port, '127.0.0.1', resolve))
    await seen(({ type, unstable }) => type === 'replacing' && unstable > 1)
    assert.equal(server.status().state, 'degraded')
    await new Promise((resolve) => thief.close(resolve))
    await waitUntil(() => server.status().state === 'serving')
    assert.equal(await textOf(url), 'hello')
  },
)

test(
  'the disk of the logs is full: the service starts, serves and stops, and says what is missing',
  limit,
  async (t) => {
    const place = await background(t)
    const disk = join(place.path, '../disk')
    mkdirSync(disk)
    if (!(await works('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=0700', 'none', disk])))
      return t.skip('a disk cannot be mounted here')
    try {
      const filler = join(disk, 'filler')
      const options = { env: { XDG_STATE_HOME: disk } }
      mkdirSync(join(disk, 'threadwise'), { mode: 0o700 })
      fill(filler)
      const started = await place.run('serve', place.path, '-i', '1', '--name', 'web', '--daemon', options)
      assert.equal(started.code, 0, started.stderr)
      assert.equal(await textOf(place.url), 'hello')
      rmSync(filler)
      assert.equal((await place.run('stop', 'web', options)).code, 0)
      const log = readFileSync(join(disk, 'threadwise/web.log'), 'utf8')
      assert.match(log, /up to \d+ lines could not be written here: ENOSPC/)
      assert.match((await place.run('list', options)).stdout, /\nweb +stopped/)
    } finally {
      spawnSync('umount', ['-l', disk]) // before its folder is removed
    }
  },
)

/** Until nothing more finds room. */
function fill(path) {
  const { status } = spawnSync('dd', ['if=/dev/zero', `of=${path}`, 'bs=1k', 'count=1000'], {
    stdio: 'ignore',
  })
  assert.notEqual(status, 0)
}
