// Commands that come at the same time, and folders that are gone meanwhile: what is said afterwards is true.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { background } from '../helpers/background.js'
import { textOf } from '../helpers/services.js'
import { isAlive } from '../../build/primitives/is-alive.js'
import { askUntil } from '../helpers/waiting.js'

const limit = { timeout: 110_000, skip: process.platform === 'win32' }

async function web(t, text) {
  const place = await background(t, text)
  assert.equal((await place.run('serve', place.path, '-i', '1', '--name', 'web', '--daemon')).code, 0)
  const status = async () => JSON.parse((await place.run('status', 'web', '--json')).stdout)
  return { ...place, status }
}

test('several restarts at once are one, and all say what runs', limit, async (t) => {
  const { run, url, status } = await web(t)
  const all = await Promise.all([1, 2, 3].map(() => run('restart', 'web')))
  assert.deepEqual(all.map(({ code }) => code), [0, 0, 0], all.map(({ stderr }) => stderr).join('')) // prettier-ignore
  assert.equal((await status()).state, 'serving')
  assert.equal(await textOf(url), 'hello')
})

/** A request to /held is answered when a file lies beside the program. */
const holding = `
  import { existsSync } from 'node:fs'
  import { createServer } from 'node:http'
  const isFree = () => existsSync(new URL('./go', import.meta.url))
  createServer((request, response) => {
    if (request.url !== '/held') return response.end('hello')
    response.writeHead(200, { connection: 'close' }).flushHeaders()
    const timer = setInterval(() => isFree() && response.end('held', () => clearInterval(timer)), 20)
  }).listen(Number(process.env.PORT), '127.0.0.1')`

test(
  'commands that come when the old process has gone and the new one is not there yet find the new one',
  limit,
  async (t) => {
    const { run, url, state, status, folder } = await web(t, holding)
    const before = await status()
    const held = await fetch(`${url}held`)
    const restarted = run('restart', 'web')
    const isNext = (name) => /^web\.\d+\.next\.json$/.test(name)
    const file = await askUntil(() => readdirSync(state).find(isNext), Boolean)
    const pid = Number(file.split('.')[1])
    process.kill(pid, 'SIGSTOP')
    t.after(() => isAlive(pid) && process.kill(pid, 'SIGCONT'))
    writeFileSync(join(folder, 'go'), '')
    assert.equal(await held.text(), 'held')
    await askUntil(() => isAlive(before.pid), (alive) => !alive) // prettier-ignore
    const others = ['restart', 'reload', 'status'].map((command) => run(command, 'web'))
    assert.match((await run('list')).stdout, /\nweb +restarting/)
    process.kill(pid, 'SIGCONT')
    const all = await Promise.all([restarted, ...others])
    assert.deepEqual(all.map(({ code }) => code), [0, 0, 0, 0], all.map(({ stderr }) => stderr).join('')) // prettier-ignore
    assert.equal(await textOf(url), 'hello')
    assert.deepEqual(readdirSync(state).filter(isNext), [])
  },
)

test('what goes away when a restart has begun is told as the reason, and listed', limit, async (t) => {
  const { run, url, state, folder, path } = await web(t, holding)
  const held = await fetch(`${url}held`)
  const restarted = run('restart', 'web')
  await askUntil(() => readdirSync(state), (names) => names.some((name) => name.endsWith('.next.json'))) // prettier-ignore
  // By then the new process waits: reaching it no more, the old one lets its requests end.
  await askUntil(() => textOf(url).catch(() => null), (answer) => answer === null) // prettier-ignore
  rmSync(path)
  writeFileSync(join(folder, 'go'), '')
  assert.equal(await held.text(), 'held')
  const { code, stderr } = await restarted
  assert.equal(code, 1, stderr)
  assert.match(stderr, /did not start in the background: file must be a file that exists, got "[^"]+"\. \[/)
  assert.match((await run('list')).stdout, /\nweb +failed/)
  assert.deepEqual(readdirSync(state).filter((name) => /\.err\.|next/.test(name)), []) // prettier-ignore
})

test('a stop that comes while a restart is under way stops what was to follow, too', limit, async (t) => {
  const { run, url, state } = await web(t)
  const restarted = run('restart', 'web')
  // A process is on its way as soon as it has a file for what it says.
  await askUntil(() => existsSync(join(state, 'web.err')), Boolean)
  const stopped = await run('stop', 'web')
  await restarted
  const { stdout } = await run('list')
  const answer = await textOf(url).catch(() => 'refused')
  assert.equal(stopped.code, 0, stopped.stderr)
  // Either came first: what is listed is what is there.
  assert.equal(/\nweb +serving/.test(stdout), answer === 'hello', stdout)
})

test('a reload that comes while a restart is under way is of the new process', limit, async (t) => {
  const { run, url } = await web(t)
  const [restarted, reloaded] = await Promise.all([run('restart', 'web'), run('reload', 'web')])
  assert.deepEqual([restarted.code, reloaded.code], [0, 0], restarted.stderr + reloaded.stderr)
  assert.equal(await textOf(url), 'hello')
})

test('a service whose state was removed is restarted, and known again', limit, async (t) => {
  const { run, state, url } = await web(t)
  rmSync(state, { recursive: true })
  const { code, stderr } = await run('restart', 'web')
  assert.equal(code, 0, stderr)
  assert.equal(await textOf(url), 'hello')
  rmSync(state, { recursive: true })
  assert.match((await run('list')).stdout, /\nweb +serving/)
  assert.equal(existsSync(join(state, 'web.app.json')), true)
  assert.equal((await run('stop', 'web')).code, 0)
  assert.equal((await run('start', 'web')).code, 0)
})

test('a record that cannot be read is deleted by its name', limit, async (t) => {
  const { run, state } = await background(t)
  mkdirSync(state, { recursive: true, mode: 0o700 })
  for (const [name, text] of Object.entries({ cut: '{"version":1,"plan":{', newer: '{"version":9}' }))
    writeFileSync(join(state, `${name}.app.json`), text)
  assert.match((await run('list')).stderr, /cut\.app\.json is passed over[^]*newer\.app\.json is passed over/)
  for (const name of ['cut', 'newer']) assert.equal((await run('delete', name)).code, 0)
  assert.equal((await run('list')).stderr, '')
})

test('in a folder that is gone commands work, and a service of one says so', limit, async (t) => {
  const { run, folder, path } = await background(t)
  const gone = join(folder, 'gone')
  mkdirSync(gone)
  const started = await run('serve', path, '-i', '1', '--name', 'web', '--daemon', { cwd: gone })
  assert.equal(started.code, 0, started.stderr)
  rmSync(gone, { recursive: true })
  for (const [command, pattern] of [['reload', /its folder .*gone is gone/], ['restart', /The folder .*gone, in which it was started, is gone/]]) {
    const { code, stderr } = await run(command, 'web')
    assert.equal(code, 1)
    assert.match(stderr, pattern)
    assert.doesNotMatch(stderr, /^\s+at /m)
  }
  const via = ['sh', '-c', `mkdir ${gone}; cd ${gone}; rmdir ${gone}; exec "$@"`, 'sh']
  const here = await run('serve', 'server.mjs', { via })
  assert.deepEqual([here.code, /the current folder must be a folder that is there/.test(here.stderr)], [2, true], here.stderr)
}) // prettier-ignore
