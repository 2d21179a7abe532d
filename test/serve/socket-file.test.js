// Servers on a Unix socket that remove "their" stale file before they listen, as many do.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../helpers/files.js'
import { service } from '../helpers/services.js'
import { askUntil } from '../helpers/waiting.js'

const limit = { timeout: 90_000 }
const onLinux = { ...limit, skip: process.platform !== 'linux' && 'abstract sockets are of Linux' }

const program = (word, path) => `
  import { rmSync } from 'node:fs'
  import { createServer } from 'node:http'
  rmSync(${JSON.stringify(path)}, { force: true })
  createServer((_, response) => response.end('${word}')).listen(${JSON.stringify(path)})`

function textOf(socketPath) {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: '/', agent: false }, async (response) => {
      resolve((await response.toArray()).join(''))
    })
    sent.on('error', reject).end()
  })
}

test('are reached from the start, after a reload, and after somebody removes the file', limit, async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'app.sock')
  const { service: server, rewrite } = await service(t, program('one', path))
  for (let i = 0; i < 4; i++) assert.equal(await textOf(path), 'one')
  rewrite(program('two', path))
  await server.reload()
  for (let i = 0; i < 4; i++) assert.equal(await textOf(path), 'two')
  rmSync(path)
  assert.equal(
    await askUntil(
      () => textOf(path).catch(() => null),
      (text) => text !== null,
    ),
    'two',
  )
  await server.stop()
  assert.deepEqual([existsSync(path), readdirSync(folder)], [false, []])
})

test('an abstract socket has no file, and is served as any other', onLinux, async (t) => {
  const name = `threadwise-${process.pid}`
  const text = `
    import { createServer } from 'node:http'
    createServer((_, response) => response.end('abstract')).listen('\\0${name}')`
  const { service: server, seen } = await service(t, text)
  assert.deepEqual(server.status().ports, [`@${name}`])
  assert.equal(await textOf(`\0${name}`), 'abstract')
  await server.reload()
  assert.equal(await textOf(`\0${name}`), 'abstract')
  const ready = seen(({ type }) => type === 'ready')
  process.kill(server.status().instances[0].pid, 'SIGKILL')
  await ready
  assert.equal(await textOf(`\0${name}`), 'abstract')
})
