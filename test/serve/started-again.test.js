// What a service had from who started it, it has again, whoever starts it next; and it starts itself again when its own client asks for that.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { background } from '../helpers/background.js'
import { program as command } from '../helpers/program.js'
import { textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 100_000, skip: process.platform === 'win32' }

/** Tells what it was started with. */
const teller = `
  import { createServer } from 'node:http'
  import { readFileSync } from 'node:fs'
  const { DATABASE, FROM_FILE, MORE } = process.env
  const umask = process.umask().toString(8)
  createServer((request, response) => response.end([DATABASE, FROM_FILE, MORE, umask, Error.stackTraceLimit, process.cwd()].join()))
    .listen(Number(process.env.PORT), '127.0.0.1')`

/** In a shell with a umask of its own. */
const inShell = (line, env, cwd) =>
  new Promise((resolve) => {
    execFile('sh', ['-c', line], { env: { ...process.env, ...env }, cwd }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })

test('variables, options of Node, umask and folder are those of the first start', limit, async (t) => {
  const { run, env, path, folder, url } = await background(t, teller)
  const home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(join(home, 'variables'), 'FROM_FILE=yes')
  const line = `umask 027; exec node --env-file=variables --stack-trace-limit=77 ${command} serve ${path} -i 1 --name web --daemon`
  const started = await inShell(line, { ...env, DATABASE: 'first' }, home)
  assert.equal(started.code, 0, started.stderr)
  const first = `first,yes,,27,77,${home}`
  assert.equal(await textOf(url), first)
  for (const words of [
    ['restart', 'web'],
    ['restart', 'all'],
    ['stop', 'web'],
    ['start', 'all'],
  ]) {
    const { code, stderr } = await run(...words, { env: { PORT: undefined, MORE: 'x' } })
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
    if (words[0] !== 'stop') assert.equal(await textOf(url), first, words.join(' '))
  }
  writeFileSync(join(home, 'variables'), 'FROM_FILE=new')
  const updated = await run('reload', 'web', '--update-env', { env: { DATABASE: 'second', MORE: 'x' } })
  assert.equal(updated.code, 0, updated.stderr)
  assert.equal(await textOf(url), `second,new,x,27,77,${home}`)
  assert.equal((await run('restart', 'web')).code, 0)
  assert.equal(await textOf(url), `second,new,x,27,77,${home}`, 'they are remembered')
  assert.equal((await run('restart', 'web', '--update-env', { env: { DATABASE: 'third' } })).code, 0)
  assert.equal(await textOf(url), `third,new,,27,77,${home}`)
  assert.equal((await run('stop', 'web')).code, 0)
  rmSync(home, { recursive: true })
  const gone = await run('start', 'web')
  assert.deepEqual(
    [gone.code, /The folder .*home, in which it was started, is gone/.test(gone.stderr)],
    [1, true],
  )
})

const hook = (verb) => `
  import { createServer } from 'node:http'
  import { spawn } from 'node:child_process'
  createServer((request, response) => {
    if (request.url === '/deploy') spawn(process.execPath, [${JSON.stringify(command)}, ${verb}], { stdio: 'ignore' })
    response.end(String(process.pid))
  }).listen(Number(process.env.PORT), '127.0.0.1')`

for (const [what, verb] of [
  ['restarts itself', `'restart', 'web'`],
  ['restarts all', `'restart', 'all'`],
  ['reloads itself', `'reload', 'web'`],
]) {
  test(`a service that ${what} from within serves again, with another process`, limit, async (t) => {
    const { run, path, url, folder } = await background(t, hook(verb))
    const other = join(folder, 'zz.mjs')
    writeFileSync(other, 'setInterval(() => {}, 1000)')
    assert.equal((await run('serve', path, '-i', '1', '--name', 'web', '--daemon')).code, 0)
    assert.equal((await run('serve', other, '--portless', '--name', 'zz', '--daemon')).code, 0)
    const pidOf = async (name) => /process (\d+)/.exec((await run('status', name)).stdout)?.[1]
    const [before, otherBefore] = [await textOf(url), await pidOf('zz')]
    await textOf(`${url}deploy`)
    await waitUntil(
      async () => ![before, 'refused'].includes(await textOf(url).catch(() => 'refused')),
      'another one',
    )
    if (what === 'restarts all') await waitUntil(async () => ![otherBefore, undefined].includes(await pidOf('zz')), 'all were') // prettier-ignore
    assert.match((await run('list')).stdout, /\nweb +serving +1 of 1[^\n]*\nzz +serving +1 of 1/)
  })
}

test('a restart goes on when its client is killed, and never ends in nothing', limit, async (t) => {
  const { run, path, url, env } = await background(t, teller)
  assert.equal((await run('serve', path, '-i', '1', '--name', 'web', '--daemon')).code, 0)
  const pid = async () => /process (\d+)/.exec((await run('status', 'web')).stdout)?.[1]
  const before = await pid()
  const child = execFile(process.execPath, [command, 'restart', 'web'], { env: { ...process.env, ...env } })
  await waitUntil(async () => (await pid()) !== before, 'the one before ends')
  child.kill('SIGKILL')
  await waitUntil(async () => /web: serving/.test((await run('status', 'web')).stdout), 'it serves')
  assert.match(await textOf(url), /^,,,/)
})

test('where its file is away, as in the middle of a deploy, a restart ends nothing', limit, async (t) => {
  const { run, path, url, state } = await background(t, teller)
  assert.equal((await run('serve', path, '-i', '1', '--name', 'web', '--daemon')).code, 0)
  const files = () => readdirSync(state).sort()
  const [before, text] = [files(), await textOf(url)]
  renameSync(path, `${path}.away`)
  const refused = await run('restart', 'web')
  assert.equal(refused.code, 2, refused.stderr)
  assert.match(
    refused.stderr,
    /file must be a file that exists[^]* web goes on as before\. \[TW_ERR_INVALID_OPTION\]/,
  )
  assert.equal(await textOf(url), text)
  await waitUntil(() => isDeepStrictEqual(files(), before), 'nothing is left of the other process')
  renameSync(`${path}.away`, path)
  const restarted = await run('restart', 'web')
  assert.equal(restarted.code, 0, restarted.stderr)
})

test('what fails when it is started again is tried until it serves', limit, async (t) => {
  const { run, path, url } = await background(t, teller)
  assert.equal((await run('serve', path, '-i', '1', '--name', 'web', '--daemon')).code, 0)
  assert.equal((await run('stop', 'web')).code, 0)
  writeFileSync(path, `throw new Error('the database is away')`)
  const failed = await run('start', 'web')
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /It goes on trying: "threadwise stop web" ends that/)
  assert.match((await run('list')).stdout, /\nweb +(starting|flapping) +0 of 1/)
  writeFileSync(path, teller)
  assert.equal((await run('reload', 'web')).code, 0, 'it is tried at once')
  assert.match(await textOf(url), /^,,,/)
  writeFileSync(path, `throw new Error('the database is away')`)
  const restarted = await run('restart', 'web')
  assert.equal(restarted.code, 1)
  assert.match(restarted.stderr, /web did not start in the background: An instance of [^]* It goes on trying: "threadwise stop web" ends that\. \[TW_ERR_BACKGROUND_FAILED\]\n$/) // prettier-ignore
  assert.equal((await run('stop', 'web')).code, 0)
  assert.match((await run('list')).stdout, /\nweb +stopped/)
})
