// Services in the background that have ended are still known: their end and last words, and how to start them again.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { background } from '../helpers/background.js'
import { program as command } from '../helpers/program.js'
import { program, textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

/** The command by Node with options of its own. */
function withNode(words, env) {
  return new Promise((resolve) => {
    execFile(process.execPath, words, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
}

const limit = { timeout: 100_000, skip: process.platform === 'win32' }

test('stopped, started, restarted, deleted', limit, async (t) => {
  const { run, path, url, state } = await background(t)
  const started = await run('serve', path, '-i', '1', '--name', 'web', '--daemon')
  assert.equal(started.code, 0, started.stderr)
  assert.equal(statSync(join(state, 'web.app.json')).mode & 0o777, 0o600)
  assert.equal((await run('stop', 'web')).stdout, 'web: stopped\n')
  assert.match((await run('list')).stdout, /\nweb +stopped +- +- +\d+ s ago +\S+server\.mjs\n$/)
  assert.match(
    (await run('status', 'web')).stdout,
    /^web: stopped, \d+ s ago; "threadwise start web" starts it again\n/,
  )
  const again = await run('start', 'web')
  assert.equal(again.code, 0, again.stderr)
  const before = await textOf(`${url}pid`)
  const restarted = await run('restart', 'all')
  assert.equal(restarted.code, 0, restarted.stderr)
  assert.notEqual(await textOf(`${url}pid`), before)
  assert.equal((await run('delete', 'web')).stdout, 'web: deleted\n')
  assert.equal((await run('list')).stdout, 'No service runs for this user.\n')
  const { code, stderr } = await run('start', 'web')
  assert.deepEqual([code, /TW_ERR_SERVICE_NOT_FOUND/.test(stderr)], [1, true], stderr)
})

test('a variable that is not to be inherited stays away when it is started again', limit, async (t) => {
  const { run, folder, path, logOf } = await background(t)
  writeFileSync(path, `console.log('secret:', process.env.SECRET); setInterval(() => {}, 1000)`)
  const config = join(folder, 'threadwise.config.mjs')
  const writeConfig = (env) =>
    writeFileSync(
      config,
      `export default { apps: [{ file: 'server.mjs', name: 'web', portless: true, env: ${env} }] }`,
    )
  writeConfig('{ SECRET: undefined }')
  const env = { SECRET: 'of the shell' }
  const started = await run('serve', '--config', config, '--daemon', { env })
  assert.equal(started.code, 0, started.stderr)
  assert.equal((await run('restart', 'web', { env })).code, 0)
  const same = await run('reload', '--config', config, { env })
  assert.equal(same.stdout, 'web: nothing has changed\n')
  writeConfig('{}')
  const changed = await run('reload', '--config', config, { env })
  assert.match(changed.stdout, /^web: env: SECRET inherited again\nweb: reloaded with these/)
  writeConfig('{ SECRET: null }')
  const again = await run('reload', '--config', config, { env })
  assert.match(again.stdout, /^web: env: SECRET not inherited any more\n/)
  assert.equal((await run('stop', 'web')).code, 0)
  const said = [...logOf('web').matchAll(/secret: (.*)/g)].map(([, value]) => value)
  assert.deepEqual(said, ['undefined', 'undefined', 'of the shell', 'undefined'])
})

test('one that failed is listed with its reason and last words', limit, async (t) => {
  const { run, path } = await background(t)
  writeFileSync(path, `console.error('the database is away'); setTimeout(() => process.exit(3), 1500)`)
  const started = await run(
    'serve',
    path,
    '--portless',
    '--name',
    'worker',
    '--daemon',
    '--max-restarts',
    '1',
  )
  assert.equal(started.code, 0, started.stderr)
  await waitUntil(async () => (await run('list')).stdout.includes('worker  failed'))
  const { stdout } = await run('list')
  assert.match(
    stdout,
    /\nworker failed: worker gave up: .*ended with exit code 3.*\n {2}the database is away\n$/,
  )
})

test('in the background it never gives up by itself', limit, async (t) => {
  const { run, path } = await background(t)
  writeFileSync(path, `setTimeout(() => process.exit(3), 1600)`)
  const options = ['--portless', '--name', 'worker', '--daemon', '--restart-delay', '1']
  assert.equal((await run('serve', path, ...options)).code, 0)
  const crashes = async () => JSON.parse((await run('status', 'worker', '--json')).stdout).crashes
  // Twelve lives of more than a second, and as many starts.
  await waitUntil(async () => (await crashes()) > 11, 'there were twelve', 90_000)
  assert.equal((await run('stop', 'worker')).code, 0)
})

test('what cannot start shows what it wrote, and the log', limit, async (t) => {
  const { run, path } = await background(t)
  writeFileSync(path, `throw new Error('no such table')`)
  const { code, stderr } = await run('serve', path, '-i', '1', '--name', 'web', '--daemon')
  assert.equal(code, 1)
  assert.match(stderr, /Error: no such table/)
  assert.match(stderr, /\nlog: \S+web\.log\n/)
})

test('a log of its own, and one that somebody removed is made again', limit, async (t) => {
  const { run, path, url, state } = await background(t)
  const file = join(dirname(path), 'own.log')
  writeFileSync(path, program('hello', `server.on('request', () => console.log('asked'))`))
  const started = await run('serve', path, '-i', '1', '--name', 'web', '--daemon', '--log-file', file)
  assert.ok(started.stdout.endsWith(`log: ${file}\n`), started.stdout + started.stderr)
  rmSync(file)
  await waitUntil(async () => {
    await textOf(url)
    return (await run('logs', 'web')).stdout.includes('asked')
  })
  assert.match(readFileSync(file, 'utf8'), /\[1\] asked\n/)
  assert.throws(() => readFileSync(join(state, 'web.log')))
})

test('a reload reads the file of node --env-file again', limit, async (t) => {
  const { path, folder, env, url } = await background(t)
  writeFileSync(path, program('hello').replaceAll(`'hello'`, 'process.env.WORD'))
  const variables = join(folder, '.env')
  writeFileSync(variables, 'WORD=one')
  const words = ['serve', path, '-i', '1', '--name', 'web', '--daemon']
  const { code, stderr } = await withNode([`--env-file=${variables}`, command, ...words], env)
  assert.equal(code, 0, stderr)
  assert.equal(await textOf(url), 'one')
  writeFileSync(variables, 'WORD=two')
  assert.equal((await withNode([command, 'reload', 'web'], env)).code, 0)
  assert.equal(await textOf(url), 'two')
})

test('changed options of a configuration are shown, then applied without a gap', limit, async (t) => {
  const { run, path, url } = await background(t)
  writeFileSync(path, program('hello').replaceAll(`'hello'`, 'process.env.WORD'))
  const config = join(dirname(path), 'threadwise.config.json')
  const write = (app) =>
    writeFileSync(config, JSON.stringify({ apps: [{ name: 'web', file: path, ...app }] }))
  write({ instances: 1, env: { WORD: 'one', OLD: 1 } })
  assert.equal((await run('serve', '--config', config, '--daemon')).code, 0)
  const same = await run('reload', '--config', config)
  assert.deepEqual([same.code, same.stdout], [0, 'web: nothing has changed\n'], same.stderr)
  write({ instances: 2, env: { WORD: 'two', NEW: 'x' }, maxRequests: 1000 })
  const shown =
    'web: env: NEW added, OLD removed, WORD changed\nweb: instances: 1 -> 2\nweb: maxRequests: none -> 1000\n'
  const trial = await run('reload', '--config', config, '--dry-run')
  assert.deepEqual([trial.code, trial.stdout.split('\n').sort()], [0, shown.split('\n').sort()], trial.stderr)
  assert.equal(await textOf(url), 'one')
  const { code, stdout, stderr } = await run('reload', 'web', '--config', config)
  assert.equal(code, 0, stderr)
  assert.ok(stdout.endsWith('web: reloaded with these, 2 instances\n'), stdout)
  assert.equal(await textOf(url), 'two')
  write({ sticky: 'address', instances: 2, env: { WORD: 'two', NEW: 'x' }, maxRequests: 1000 })
  const refused = await run('reload', '--config', config)
  assert.equal(refused.code, 1)
  assert.match(refused.stdout, /^web: stickyBy: .*\(needs a stop and a start\)\n/)
  write({ instances: 2, env: { WORD: 'three' }, execArgv: ['--no-such-option'] })
  assert.equal((await run('reload', '--config', config)).code, 1)
  assert.equal(await textOf(url), 'two', 'the old ones go on')
  assert.equal((await run('reload', 'web')).code, 0, 'with the options that worked')
  assert.equal(await textOf(url), 'two')
})
