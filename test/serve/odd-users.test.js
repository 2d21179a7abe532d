// Users and machines that lack what most have: without a home, with a folder that cannot be written, with a mask of their own. And what is done for several
// apps is done for all at the same time.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { background } from '../helpers/background.js'
import { serveCommand, works } from '../helpers/serve-command.js'
import { program as cli } from '../helpers/program.js'
import { textOf } from '../helpers/services.js'

const limit = { timeout: 90_000, skip: process.platform !== 'linux' && 'users and mounts are those of Linux' }
/** In no list of users. */
const STRANGER = 54_321

test('a user without a name and a home is told what to set', limit, async (t) => {
  const isRoot = process.getuid() === 0
  if (!isRoot || !(await works('setpriv', ['--version']))) return t.skip('another user needs root')
  const how = ['--reuid', String(STRANGER), '--regid', String(STRANGER), '--clear-groups']
  const run = (...words) =>
    spawnSync('setpriv', [...how, 'env', '-i', process.execPath, cli, ...words], { encoding: 'utf8', cwd: '/' })
  if (/EACCES|Cannot find module/.test(run('--help').stderr)) return t.skip('that user cannot read this folder')
  for (const words of [['list'], ['status'], ['start', 'web'], ['logs', 'web']]) {
    const { stdout, stderr } = run(...words)
    assert.doesNotMatch(stdout + stderr, /uv_os_homedir|ENOENT|\n +at /, words.join(' '))
  }
}) // prettier-ignore

test('one folder for state and sockets is as good as two', limit, async (t) => {
  const { run, env, path, url } = await background(t)
  const same = { env: { XDG_STATE_HOME: env.XDG_RUNTIME_DIR } }
  const { code, stderr } = await run('serve', path, '-i', '1', '--name', 'web', '--daemon', same)
  assert.equal(code, 0, stderr)
  assert.equal((await fetch(url)).status, 200)
  assert.match((await run('list', same)).stdout, /\nweb +serving/)
  assert.equal((await run('stop', 'web', same)).code, 0)
})

test('with a folder of state that is read-only a start in the background says so, and one in the foreground serves', limit, async (t) => {
  const { folder, path, run } = await background(t)
  const state = join(folder, 'read-only')
  mkdirSync(join(state, 'threadwise'), { recursive: true, mode: 0o700 })
  if (!(await works('mount', ['--bind', state, state]))) return t.skip('nothing can be mounted here')
  try {
    assert.equal(spawnSync('mount', ['-o', 'remount,ro,bind', state]).status, 0)
    const env = { XDG_STATE_HOME: state }
    const { code, stderr } = await run('serve', path, '-i', '1', '--name', 'web', '--daemon', { env })
    assert.equal(code, 1)
    assert.match(stderr, /read-only\/threadwise .*EROFS.*\[TW_ERR_LOG_FOLDER\]/)
    const { url } = await serveCommand(t, { env, instances: 1 })
    assert.equal(await textOf(url), 'hello')
    assert.equal((await run('list', { env })).code, 0)
  } finally {
    spawnSync('umount', ['-l', state])
  }
}) // prettier-ignore

for (const umask of ['077', '000', '777']) {
  test(`whatever the mask (${umask}), its files are for their user alone`, limit, async (t) => {
    const { folder, path, url, state, run } = await background(t)
    const via = ['sh', '-c', `umask ${umask}; exec "$@"`, 'sh']
    const started = await run('serve', path, '-i', '1', '--name', 'web', '--daemon', { via })
    assert.equal(started.code, 0, started.stderr)
    assert.equal(await textOf(url), 'hello')
    const files = [state, join(folder, 'run/threadwise')].flatMap((place) => readdirSync(place).map((name) => join(place, name))) // prettier-ignore
    assert.ok(files.length >= 3)
    for (const file of files) assert.equal(statSync(file).mode & 0o077, 0, file)
    assert.equal((await run('stop', 'web')).code, 0)
  })
}

test('a folder that is gone: what runs is reloaded and stopped, what is to start says why it cannot', limit, async (t) => {
  const { folder, url, path, run } = await background(t)
  const gone = join(folder, 'gone')
  mkdirSync(gone)
  assert.equal((await run('serve', path, '-i', '1', '--name', 'web', '--daemon', { cwd: gone })).code, 0)
  rmSync(gone, { recursive: true })
  const reloaded = await run('reload', 'web')
  assert.ok(reloaded.code === 0 || /TW_ERR/.test(reloaded.stderr), reloaded.stderr)
  assert.equal(await textOf(url), 'hello')
  const via = ['sh', '-c', `mkdir ${gone}; cd ${gone}; rmdir ${gone}; exec "$@"`, 'sh']
  assert.match((await run('list', { via })).stdout, /\nweb +serving/)
  assert.equal((await run('stop', 'web', { via })).code, 0)
  const again = await run('start', 'web')
  assert.notEqual(again.code, 0)
  assert.match(again.stderr, /is gone\. Start it from its new one/)
}) // prettier-ignore

test('apps of one file start and stop at the same time', limit, async (t) => {
  const { folder, run } = await background(t)
  const names = ['a', 'b', 'c', 'd']
  // Each is ready when all have started, and ends when all were told to.
  const text = `
    import { existsSync, writeFileSync } from 'node:fs'
    const names = ${JSON.stringify(names)}
    const untilAll = (what, done) => {
      writeFileSync(${JSON.stringify(`${folder}/`)} + what + process.env.NAME, '')
      const timer = setInterval(() => {
        if (!names.every((name) => existsSync(${JSON.stringify(`${folder}/`)} + what + name))) return
        clearInterval(timer)
        done()
      }, 20)
    }
    untilAll('up-', () => process.send?.('ready'))
    process.on('SIGTERM', () => untilAll('down-', () => process.exit()))
    setInterval(() => {}, 1000)`
  writeFileSync(join(folder, 'bot.mjs'), text)
  const apps = names.map((name) => ({ file: 'bot.mjs', name, portless: true, waitReady: true, grace: 60_000, env: { NAME: name } })) // prettier-ignore
  writeFileSync(join(folder, 'threadwise.config.json'), JSON.stringify({ apps }))
  const started = await run('serve', '--daemon', { cwd: folder })
  assert.equal(started.code, 0, started.stderr)
  const stopped = await run('stop', 'all')
  assert.equal(stopped.code, 0, stopped.stderr)
})
