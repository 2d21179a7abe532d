// Where instances run: releases that are switched by a link, a folder of one's own, the place of each.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../helpers/free-port.js'
import { start } from '../helpers/program.js'
import { temporaryFolder } from '../helpers/files.js'
import { program, service, textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 60_000, skip: process.platform === 'win32' }

const release = (number) => `
  import { readFileSync } from 'node:fs'
  import { createServer } from 'node:http'
  createServer((_, response) => response.end(${number} + ' ' + readFileSync('notes.txt', 'utf8'))).listen(Number(process.env.PORT), '127.0.0.1')`

function releases(t) {
  const folder = temporaryFolder(t)
  for (const number of [1, 2]) {
    mkdirSync(join(folder, `r${number}`))
    writeFileSync(join(folder, `r${number}`, 'server.mjs'), release(number))
    writeFileSync(join(folder, `r${number}`, 'notes.txt'), `notes of ${number}`)
  }
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  const current = join(folder, 'current')
  symlinkSync(join(folder, 'r1'), current)
  const switchTo = (number) => {
    symlinkSync(join(folder, `r${number}`), `${current}.new`)
    renameSync(`${current}.new`, current)
  }
  return { folder, current, switchTo }
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
