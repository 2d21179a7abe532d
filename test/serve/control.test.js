// list, status, reload, scale and stop: what they do to a service that runs, and who may use them.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectTo } from '../../build/user/control-socket.js'
import { temporaryFolder } from '../helpers/files.js'
import { run, start } from '../helpers/program.js'
import { serveCommand } from '../helpers/serve-command.js'
import { program, textOf } from '../helpers/services.js'

const isWindows = process.platform === 'win32'
const limit = { timeout: 60_000 }
const withSignals = { ...limit, skip: isWindows && 'Windows has no signals between processes' }

test('the life of a service, by commands', limit, async (t) => {
  const { run, url, ended, folder, path } = await serveCommand(t, { args: ['--name', 'web'] })
  const list = await run('list')
  assert.match(
    list.stdout,
    /^NAME +STATE +SERVING +PID +UP +RESTARTS +CPU +MEMORY +FILE\nweb +serving +2 of 2 +\d+ +\d+ s +0 +\d+ % +\d+ MB +\S+server\.mjs\n$/,
  )

  const status = JSON.parse((await run('status', 'web', '--json')).stdout)
  const { version, name, file, state, wanted, reloads, crashes, lastProblem, instances } = status
  assert.deepEqual(
    { version, name, file, state, wanted, reloads, crashes, lastProblem },
    {
      version: 1,
      name: 'web',
      file: path,
      state: 'serving',
      wanted: 2,
      reloads: 0,
      crashes: 0,
      lastProblem: null,
    },
  )
  assert.equal(instances.length, 2)
  assert.match((await run('status')).stdout, /^web: serving, process \d+/)

  const reloaded = await run('reload', 'web')
  assert.deepEqual([reloaded.code, reloaded.stdout], [0, 'web: reloaded, 2 instances\n'])
  const scaled = await run('scale', 'web', '3')
  assert.deepEqual([scaled.code, scaled.stdout], [0, 'web: 3 instances\n'])

  writeFileSync(path, `throw new Error('broken')`)
  const failed = await run('reload', 'web')
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /ended with exit code 1.*go on serving.*TW_ERR_INSTANCE_FAILED/)
  assert.equal(await textOf(url), 'hello')

  const socket = join(folder, 'run/threadwise/web.sock')
  const modeOf = (each) => statSync(each).mode & 0o777
  if (!isWindows) assert.deepEqual([socket, join(folder, 'run/threadwise')].map(modeOf), [0o600, 0o700])
  const stopped = await run('stop', 'web')
  assert.deepEqual([stopped.code, stopped.stdout], [0, 'web: stopped\n'])
  assert.equal((await ended).code, 0)
  assert.equal(existsSync(socket), false)
  assert.equal((await run('list')).stdout, 'No service runs for this user.\n')
  const gone = await run('reload', 'web')
  assert.equal(gone.code, 1)
  assert.match(gone.stderr, /TW_ERR_SERVICE_NOT_FOUND/)
})

test('a name that is taken is refused; that of a service that was killed is not', limit, async (t) => {
  const { child, ended, run, path } = await serveCommand(t, { instances: 1 })
  const second = await run('serve', path, '-i', '1')
  assert.equal(second.code, 1)
  assert.match(second.stderr, /TW_ERR_SERVICE_EXISTS/)
  child.kill('SIGKILL')
  await ended
  assert.equal((await run('status', 'server')).code, 1)
  const listed = await run('list')
  assert.deepEqual([listed.code, listed.stdout], [0, 'No service runs for this user.\n'])
})

test('the socket of a killed service does not stand in the way of the next', limit, async (t) => {
  const { child, ended, run, path, folder } = await serveCommand(t, { instances: 1 })
  child.kill('SIGKILL')
  await ended
  assert.ok(existsSync(join(folder, 'run/threadwise/server.sock')))
  writeFileSync(path, `process.exit(3)`)
  const next = await run('serve', path, '-i', '1')
  assert.equal(next.code, 1)
  assert.match(next.stderr, /exit code 3\. Nothing was started.*TW_ERR_INSTANCE_FAILED/)
})

test('of two starts of a name at the same time one serves, also after a kill', limit, async (t) => {
  const { child, ended, run, path, folder } = await serveCommand(t, { instances: 1 })
  child.kill('SIGKILL')
  await ended
  const env = { XDG_RUNTIME_DIR: join(folder, 'run') }
  const names = (name) => readdirSync(join(folder, 'run/threadwise')).filter((each) => each.endsWith(name))
  assert.equal((await run('list')).code, 0)
  assert.deepEqual(
    names('.sock'),
    ['server.sock'],
    'list removes nothing: it may be that of one which is just starting',
  )
  writeFileSync(path, 'setInterval(() => {}, 1000)') // it goes on starting
  const starts = Array.from({ length: 4 }, () => start(['serve', path, '-i', '1'], { env, limitMs: 40_000 }))
  t.after(() => starts.forEach((each) => each.child.kill('SIGKILL')))
  let refused = 0
  const three = new Promise((resolve) => {
    for (const each of starts)
      void each.ended.then(({ stderr }) => /SERVICE_EXISTS/.test(stderr) && ++refused === 3 && resolve())
  })
  await three
  assert.equal((await run('stop', 'server')).code, 0)
  await Promise.all(starts.map((each) => each.ended))
  assert.equal(refused, 3)
})

test(
  'a service that is suspended is shown as one that does not answer, and keeps its name',
  withSignals,
  async (t) => {
    const { child, run, path } = await serveCommand(t, { instances: 1 })
    child.kill('SIGSTOP')
    const [list, status, all, second] = await Promise.all([
      run('list'),
      run('status', 'server'),
      run('status', '--json'),
      run('serve', path, '-i', '1'),
    ])
    child.kill('SIGCONT')
    assert.match(list.stdout, /\nserver +no answer\n$/)
    assert.match(status.stderr, /TW_ERR_SERVICE_SILENT/)
    assert.deepEqual([JSON.parse(all.stdout), /no answer within 3 s/.test(all.stderr)], [[], true])
    assert.match(second.stderr, /TW_ERR_SERVICE_EXISTS/)
    assert.equal((await run('status', 'server')).code, 0)
  },
)

test('a folder that others may enter is not used; the service runs without it', withSignals, async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'threadwise'))
  chmodSync(join(folder, 'threadwise'), 0o755)
  const list = await run(['list'], { env: { XDG_RUNTIME_DIR: folder } })
  assert.equal(list.code, 1)
  assert.match(list.stderr, /others may enter it.*TW_ERR_RUNTIME_FOLDER/)
  const { said, child, ended, url } = await serveCommand(t, {
    env: { XDG_RUNTIME_DIR: folder },
    instances: 1,
  })
  await said(/reload, scale and stop do not reach it/)
  assert.equal(await textOf(url), 'hello')
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
})

test('nonsense on the socket is answered, and stops nothing', limit, async (t) => {
  const { folder, url } = await serveCommand(t, { instances: 1 })
  const socket = await connected(t, folder)
  const lines = []
  const whole = new Promise((resolve) => {
    let text = ''
    socket.setEncoding('utf8').on('data', (data) => {
      text += data
      if (text.split('\n').length === 4) resolve(text)
    })
  })
  socket.write('not json\n{"command":"dance"}\nnull\n')
  for (const line of (await whole).trim().split('\n')) lines.push(JSON.parse(line).ok)
  assert.deepEqual(lines, [false, false, false])
  assert.equal(await textOf(url), 'hello')
})

test('a client that does not hang up does not keep a stopped service alive', withSignals, async (t) => {
  const { folder, child, ended } = await serveCommand(t, { instances: 1 })
  await connected(t, folder)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
})

test('wrong usage ends with exit code 2', limit, async () => {
  for (const [args, reason] of [
    [['serve', 'no-such-file.js'], /file must be a file that exists/],
    [['serve', import.meta.filename, '-i', '0'], /whole number of at least 1, or max/],
    [['serve', import.meta.filename, '--name', 'a/b'], /name must be/],
    [['serve', import.meta.filename, '--grace', '-1'], /grace must be/],
    [['serve', import.meta.filename, '--max-memory', 'much'], /maxMemory must be/],
    [['serve', import.meta.filename, '--hang-timeout', '5'], /hangTimeout must be/],
    [['serve', import.meta.filename, '--health', 'health'], /a path that begins with \//],
    [['scale', 'web', '1.5'], /instances must be/],
    [['status', '../web'], /name must be/],
  ]) {
    const { code, stderr } = await run(args)
    assert.deepEqual([code, reason.test(stderr)], [2, true], `${args.join(' ')}: ${stderr}`)
  }
})

test('max is the CPU budget rounded down, and at least 1', limit, async (t) => {
  for (const [cpus, expected] of [
    ['0.6', 1],
    ['2.9', 2],
  ]) {
    const { run } = await serveCommand(t, { text: program('hello'), instances: expected, env: { THREADWISE_CPUS: cpus }, args: ['-i', 'max'] }) // prettier-ignore
    assert.equal(JSON.parse((await run('status', 'server', '--json')).stdout).wanted, expected)
  }
})

function connected(t, folder) {
  return new Promise((resolve, reject) => {
    const socket = connectTo(join(folder, 'run/threadwise/server.sock'), resolve)
    socket.on('error', reject)
    t.after(() => socket.destroy())
  })
}
