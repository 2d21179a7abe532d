// Connections to services that stay open: what is asked on them, and what becomes of the question when the other side does not answer well.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { KeptConnections } from '../../../../build/serve/control/kept-connections.js'
import { statusOf } from '../../../helpers/dashboard.js'
import { temporaryFolder } from '../../../helpers/files.js'

const skip = process.platform === 'win32' && 'sockets are no files there'
const good = () => `${JSON.stringify({ ok: true, status: statusOf('web') })}\n`

/** `answers`: what is written for each question in turn; a function gets the socket. */
async function listening(t, answers) {
  const path = join(temporaryFolder(t), 'web.sock')
  const sockets = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', () => {
      const answer = answers.shift() ?? good()
      if (typeof answer === 'function') answer(socket)
      else socket.write(answer)
    })
  })
  await new Promise((resolve) => server.listen(path, resolve))
  t.after(() => {
    sockets.forEach((socket) => socket.destroy())
    server.close()
  })
  const kept = new KeptConnections()
  t.after(() => kept.close())
  return { sockets, path, ask: (limitMs) => kept.ask(path, { command: 'status' }, limitMs), kept }
}

test('two questions go over one connection', { skip }, async (t) => {
  const { ask, sockets } = await listening(t, [])
  for (let count = 0; count < 3; count++) assert.equal((await ask()).status.name, 'web')
  assert.equal(sockets.length, 1)
})

test('an answer may come in pieces', { skip }, async (t) => {
  const text = good()
  const { ask } = await listening(t, [
    (socket) => {
      socket.write(text.slice(0, 10))
      setImmediate(() => socket.write(text.slice(10)))
    },
  ])
  assert.equal((await ask()).ok, true)
})

for (const [title, answer, code] of [
  ['ends without an answer', (socket) => socket.destroy(), 'ENDED'],
  ['answers no JSON', 'hello\n', 'ODD'],
  ['answers no status', '{"ok":true,"status":{}}\n', 'ODD'],
  ['answers without end', (socket) => socket.write('x'.repeat(5_000_000)), 'ODD'],
  ['does not answer in time', () => {}, 'SILENT'],
])
  test(
    `one that ${title} is told by its code, and the next question has a new connection`,
    { skip },
    async (t) => {
      // prettier-ignore
      const { ask, sockets } = await listening(t, [answer])
      await assert.rejects(ask(code === 'SILENT' ? 20 : undefined), { code })
      assert.equal((await ask()).ok, true)
      assert.equal(sockets.length, 2)
    },
  )

test('where nobody listens that is told', { skip }, async (t) => {
  const { kept } = await listening(t, [])
  await assert.rejects(kept.ask('/no/such.sock', { command: 'status' }), { code: 'ENOENT' })
})

test('what was closed while it waited rejects, and can be asked again', { skip }, async (t) => {
  let arrived
  const isAsked = new Promise((resolve) => (arrived = resolve))
  const { ask, kept } = await listening(t, [() => arrived()])
  const asked = ask()
  asked.catch(() => {}) // it is looked at below
  await isAsked
  kept.close()
  await assert.rejects(asked, { code: 'ENDED' })
  assert.equal((await ask()).ok, true)
})
