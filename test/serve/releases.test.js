// Where instances run: releases that are switched by a link, a folder of one's own, the place of each.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../helpers/free-port.js'
import { background } from '../helpers/background.js'
import { start } from '../helpers/program.js'
import { temporaryFolder } from '../helpers/files.js'
import { program, service, textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 60_000, skip: process.platform === 'win32' }

const root = fileURLToPath(new URL('../..', import.meta.url))
/** What is needed of it, without what packages of its own it has: the command line has them in its files. */
const isOfPackage = (path) => /^(?:$|dist|package\.json$)/.test(relative(root, path))

const release = (number) => `
  import { readFileSync } from 'node:fs'
  import { createServer } from 'node:http'
  createServer((_, response) => response.end(${number} + ' ' + readFileSync('notes.txt', 'utf8'))).listen(Number(process.env.PORT), '127.0.0.1')`

function releases(t) {
  const folder = temporaryFolder(t)
  const write = (number, name, text) => writeFileSync(join(folder, `r${number}`, name), text)
  for (const number of [1, 2, 3, 4]) {
    mkdirSync(join(folder, `r${number}`))
    write(number, 'server.mjs', release(number))
    write(number, 'notes.txt', `notes of ${number}`)
  }
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  const current = join(folder, 'current')
  symlinkSync(join(folder, 'r1'), current)
  const switchTo = (number) => {
    symlinkSync(join(folder, `r${number}`), `${current}.new`)
    renameSync(`${current}.new`, current)
  }
  return { folder, current, switchTo, write }
}

for (const [how, fileOf] of [
  ['by its name in the folder of the link', () => 'server.mjs'],
  ['by its whole path', (current) => join(current, 'server.mjs')],
]) {
  test(`a reload runs the new release, whose file was given ${how}`, limit, async (t) => {
    const { folder, current, switchTo } = releases(t)
    const port = await freePort()
    // As a shell does: PWD has the link, the system follows it.
    const env = {
      PATH: process.env.PATH,
      PORT: String(port),
      PWD: current,
      XDG_RUNTIME_DIR: join(folder, 'run'),
    }
    const command = (...words) => start(words, { env, cwd: current })
    const { child, ended } = command('serve', fileOf(current), '-i', '1', '--name', 'web')
    t.after(() => child.kill('SIGKILL'))
    const url = `http://127.0.0.1:${port}/`
    await waitUntil(() => textOf(url).then((text) => text === '1 notes of 1', () => false)) // prettier-ignore
    switchTo(2)
    const { code, stderr } = await command('reload', 'web').ended
    assert.equal(code, 0, stderr)
    assert.equal(await textOf(url), '2 notes of 2')
    const { stdout } = await command('serve', fileOf(current), '--name', 'web', '--systemd').ended
    assert.ok(stdout.includes(`WorkingDirectory=${current}\n`) && stdout.includes(join(current, 'server.mjs')), stdout) // prettier-ignore
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
  })
}

const onLinux = { timeout: 90_000, skip: process.platform !== 'linux' && 'processes are found in /proc' }

test('restart, start and deploy run the new release, when the old one is deleted', onLinux, async (t) => {
  const { run, url } = await background(t)
  const { folder, current, switchTo, write } = releases(t)
  const inCurrent = { cwd: current, env: { PWD: current } }
  const config = { apps: [{ file: 'server.mjs', name: 'web', instances: 1 }] }
  for (const number of [1, 2, 3]) write(number, 'threadwise.config.json', JSON.stringify(config))
  const next = (number) => {
    switchTo(number)
    rmSync(join(folder, `r${number - 1}`), { recursive: true })
  }
  const succeeds = async (...words) => {
    const { code, stderr } = await run(...words)
    assert.equal(code, 0, stderr)
  }
  await succeeds('deploy', inCurrent)
  assert.equal(await textOf(url), '1 notes of 1')
  next(2)
  // The variables of a shell elsewhere do not change where the service is.
  await succeeds('restart', 'web', '--update-env', { cwd: folder, env: { PWD: folder } })
  assert.equal(await textOf(url), '2 notes of 2')
  next(3)
  write(3, 'threadwise.config.json', JSON.stringify({ apps: [{ ...config.apps[0], sticky: 'address' }] }))
  await succeeds('deploy', inCurrent)
  assert.equal(await textOf(url), '3 notes of 3')
  await succeeds('stop', 'web')
  next(4)
  await succeeds('start', 'web', { cwd: folder, env: { PWD: folder } })
  assert.equal(await textOf(url), '4 notes of 4')
})

test(
  'a service of a package that is deleted with its release is restarted by that of the next',
  onLinux,
  async (t) => {
    const { env, url } = await background(t)
    const { folder, current, switchTo } = releases(t)
    for (const number of [1, 2]) cpSync(root, join(folder, `r${number}/node_modules/threadwise`), { recursive: true, filter: isOfPackage }) // prettier-ignore
    const command = async (...words) => {
      const [file, cwd] = [join(current, 'node_modules/threadwise/dist/cli/main.js'), current]
      const child = execFile(process.execPath, [file, ...words], { cwd, env: { ...process.env, ...env, PWD: cwd } }) // prettier-ignore
      assert.deepEqual(await once(child, 'exit'), [0, null], words.join(' '))
    }
    await command('serve', 'server.mjs', '--name', 'web', '-i', '1', '--daemon')
    switchTo(2)
    rmSync(join(folder, 'r1'), { recursive: true })
    await command('restart', 'web')
    assert.equal(await textOf(url), '2 notes of 2')
    await command('delete', 'web')
  },
)

test('cwd, the place of each instance, and a variable of its own for it', limit, async (t) => {
  const folder = temporaryFolder(t)
  const text = program('hello').replace(`'/pid') response.end(String(process.pid))`, `'/pid') response.end([process.cwd(), process.env.NODE_APP_INSTANCE, process.env.PLACE].join())`) // prettier-ignore
  for (const instanceVariable of [undefined, 'NODE_APP_INSTANCE', 'PLACE']) {
    const { service: server, url } = await service(t, text, { instances: 1, cwd: folder, instanceVariable })
    const shown =
      { NODE_APP_INSTANCE: `${folder},0,`, PLACE: `${folder},,0` }[instanceVariable] ?? `${folder},,`
    assert.equal(await textOf(`${url}pid`), shown)
    await server.reload()
    assert.equal(await textOf(`${url}pid`), shown, 'the same place')
  }
})
