// `threadwise logs`: what it shows of a service in the background, and how it follows it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { background } from '../helpers/background.js'
import { start } from '../helpers/program.js'
import { program } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 100_000, skip: process.platform !== 'linux' && 'processes are found in /proc' }

test(
  'it follows a service over rotations, a reload and its next start, without a lost line',
  limit,
  async (t) => {
    const { run, env, path } = await background(t)
    const each = 2000
    writeFileSync(
      path,
      program('hello', `for (let i = 0; i < ${each}; i++) console.log(process.pid + ' ' + i)`),
    )
    const serve = () =>
      run('serve', path, '-i', '2', '--daemon', '--name', 'web', '--log-size', '10k', '--log-files', '300')
    assert.equal((await serve()).code, 0)
    const { child, ended } = start(['logs', 'web', '--lines', '1000000', '-f', '--raw'], { env })
    t.after(() => child.kill('SIGKILL'))
    let text = ''
    child.stdout.on('data', (data) => (text += data))
    assert.equal((await run('reload', 'web')).code, 0)
    assert.equal((await run('stop', 'web')).code, 0)
    assert.equal((await serve()).code, 0)
    assert.equal((await run('stop', 'web')).code, 0)
    await waitUntil(() => text.split('\nstopped\n').length === 3)
    child.kill('SIGINT')
    assert.equal((await ended).stderr, '')

    const seen = new Map()
    for (const [, pid, i] of text.matchAll(/^(\d+) (\d+)$/gm))
      seen.set(pid, [...(seen.get(pid) ?? []), Number(i)])
    assert.equal(seen.size, 6)
    for (const numbers of seen.values())
      assert.deepEqual(
        numbers,
        Array.from({ length: each }, (_, i) => i),
      )
  },
)

test('it shows the last lines, with or without who wrote them and when', limit, async (t) => {
  const { run, path } = await background(t)
  writeFileSync(path, program('hello', `console.log('{"a":1}'); console.error('[x] y')`))
  assert.equal((await run('serve', path, '-i', '1', '--daemon')).code, 0)
  assert.equal((await run('stop', 'server')).code, 0)
  const all = (await run('logs', 'server')).stdout
  assert.match(
    all,
    /^\S+Z \[serve\] starting 1 instance of .*\n[^]*Z \[1\] \{"a":1\}\n[^]*\[1 err\] \[x\] y\n[^]*\[serve\] stopped\n$/,
  )
  assert.equal((await run('logs', 'server', '--lines', '0')).stdout, '')
  assert.match((await run('logs', 'server', '--lines', '1')).stdout, /^\S+ \[serve\] stopped\n$/)
  const raw = (await run('logs', 'server', '--raw')).stdout
  assert.deepEqual(
    raw.split('\n').filter((line) => /^[[{]/.test(line)),
    ['{"a":1}', '[x] y'],
  )
})

test('a service without a log is named, with those that have one', limit, async (t) => {
  const { run, path } = await background(t)
  const none = await run('logs', 'web')
  assert.equal(none.code, 1)
  assert.match(none.stderr, /no log of a service named "web".*Logs there: nothing.*TW_ERR_LOG_NOT_FOUND/)
  writeFileSync(path, 'process.exit(3)')
  await run('serve', path, '--daemon', '--name', 'other')
  assert.match((await run('logs', 'web')).stderr, /Logs there: other\./)
})

test(
  'the folder of its own log is made; one that cannot be written is named, and other apps start',
  limit,
  async (t) => {
    const { run, folder, path, url } = await background(t)
    const app = (name, logFile) => ({ file: 'server.mjs', name, instances: 1, logFile, env: { PORT: name === 'web' ? new URL(url).port : 0 } }) // prettier-ignore
    const config = join(folder, 'threadwise.config.json')
    writeFileSync(
      config,
      JSON.stringify({ apps: [app('bad', `${path}/x.log`), app('web', 'logs/a/web.log')] }),
    )
    const { code, stdout, stderr } = await run('serve', '--config', config, '--daemon')
    assert.deepEqual([code, /^web: serves/.test(stdout)], [1, true], stdout + stderr)
    assert.match(stderr, /^bad: The folder \S+server\.mjs cannot hold log files: .*\[TW_ERR_LOG_FOLDER\]\n$/)
    assert.match(readFileSync(join(folder, 'logs/a/web.log'), 'utf8'), /\[serve\] instance 1 .* serves/)
    assert.equal((await run('stop', 'web')).code, 0)
  },
)

test('what Python prints is in the log at once', limit, async (t) => {
  const { run, folder, logOf } = await background(t)
  const bot = join(folder, 'bot.py')
  writeFileSync(bot, 'import time\nprint("up")\ntime.sleep(1000)\n')
  const env = { PYTHONUNBUFFERED: undefined }
  const started = await run('serve', bot, '--interpreter', 'python3', '--daemon', { env })
  if (/ENOENT/.test(started.stderr)) return t.skip('there is no python3')
  assert.equal(started.code, 0, started.stderr)
  await waitUntil(() => logOf('bot').includes('[1] up\n')) // while it sleeps: nothing makes it write later
  assert.equal((await run('stop', 'bot')).code, 0)
})

test('of all logs those are shown that are files, whatever lies beside them', limit, async (t) => {
  const { run, state } = await background(t)
  mkdirSync(state, { recursive: true, mode: 0o700 })
  writeFileSync(join(state, 'web.log'), 'of web\n')
  const odd = {
    folder: (path) => mkdirSync(path),
    pipe: (path) => execFileSync('mkfifo', [path]),
    dangling: (path) => symlinkSync('/nowhere', path),
    endless: (path) => symlinkSync('/dev/zero', path),
  }
  for (const [name, make] of Object.entries(odd)) {
    const path = join(state, `a-${name}.log`)
    make(path)
    make(`${path}.1`)
    make(join(state, 'web.log.1'))
    const { code, stdout, stderr } = await run('logs', '--lines', '5')
    assert.deepEqual([code, stdout, stderr], [0, 'web of web\n', ''], name)
    const alone = await run('logs', `a-${name}`)
    assert.equal(alone.code, 1, name)
    assert.match(
      alone.stderr,
      /There is no log of a service named "a-[^]* Logs there: web\. \[TW_ERR_LOG_NOT_FOUND\]/,
    )
    for (const made of [path, `${path}.1`, join(state, 'web.log.1')]) rmSync(made, { recursive: true })
  }
})

test('a log that cannot be read is told, and the others are shown', limit, async (t) => {
  const { run, state } = await background(t)
  mkdirSync(state, { recursive: true, mode: 0o700 })
  writeFileSync(join(state, 'web.log'), 'of web\n')
  symlinkSync('/proc/self/mem', join(state, 'a.log')) // a file by its kind, and an error to whoever reads it, also to root
  const { code, stdout, stderr } = await run('logs')
  assert.deepEqual([code, stdout], [1, 'web of web\n'])
  assert.match(stderr, /^threadwise: the log of a cannot be shown: EIO: i\/o error, read\n$/)
})
