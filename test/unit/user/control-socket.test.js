// What programs of one user talk by: a socket, or a pipe that is found by a file with secrets. A socket stands for the pipe where there are none.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { connectTo, listenAt } from '../../../build/user/control-socket.js'
import { temporaryFolder } from '../../helpers/files.js'

const limit = { timeout: 30_000 }
const isWindows = process.platform === 'win32'
let count = 0

const kinds = {
  pipe: (folder) => () => (isWindows ? `\\\\.\\pipe\\threadwise-test-${process.pid}-${++count}` : join(folder, `pipe${++count}`)), // prettier-ignore
  ...(!isWindows && { socket: () => undefined }),
}

for (const [kind, makePipe] of Object.entries(kinds))
  describe(`a ${kind}`, () => {
    const place = (t) => {
      const folder = temporaryFolder(t)
      return { path: join(folder, 'control.sock'), pipe: makePipe(folder) }
    }
    const isPipe = kind === 'pipe'
    const ask = (path) =>
      new Promise((resolve, reject) => {
        const socket = connectTo(path, () => resolve(textOf(socket.end('question'))), isPipe)
        socket.on('error', reject)
      })

    test('carries what is said, and nothing of the greeting', limit, async (t) => {
      const { path, pipe } = place(t)
      const control = await listening(t, { path, pipe }, echo)
      assert.equal(await ask(path), 'question')
      assert.equal(await ask(path), 'question')
      control.close()
      assert.ok(!existsSync(path))
    })

    test('that nobody listens on any more refuses at once', limit, async (t) => {
      const { path, pipe } = place(t)
      const control = await listening(t, { path, pipe }, echo)
      const left = isPipe ? readFileSync(path) : undefined
      control.close()
      if (left) writeFileSync(path, left) // as after a kill
      await assert.rejects(ask(path), { code: /^(ENOENT|ECONNREFUSED)$/ })
    })

    test('is for its own user alone', { ...limit, skip: isWindows }, async (t) => {
      const { path, pipe } = place(t)
      await listening(t, { path, pipe }, echo)
      assert.equal(statSync(path).mode & 0o777, 0o600)
    })

    test('that cannot be made says why', limit, async (t) => {
      const { path, pipe } = place(t)
      const missing = join(path, 'no-folder', 'control.sock')
      const error = await new Promise((resolve) => {
        const { server } = listenAt(missing, echo, resolve, pipe)
        t.after(() => server.close())
      })
      assert.ok(error instanceof Error)
    })
  })

test('who does not know the first secret of a pipe is not heard', limit, async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'control.sock')
  const welcomed = []
  await listening(t, { path, pipe: kinds.pipe(folder) }, (socket) => welcomed.push(socket))
  for (const word of ['x'.repeat(64), 'x'.repeat(1000), '{"command":"stop"}\n']) {
    const socket = connect(JSON.parse(readFileSync(path, 'utf8')).pipe)
    socket.on('error', () => {})
    socket.end(word)
    assert.equal(await textOf(socket), '')
  }
  assert.deepEqual(welcomed, [])
})

test('who does not know the second secret of a pipe is not asked', limit, async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'control.sock')
  const pipe = kinds.pipe(folder)()
  const heard = []
  const stranger = createServer((socket) => socket.on('error', () => {}).on('data', (data) => {
    heard.push(data.length)
    socket.write('y'.repeat(64))
  })) // prettier-ignore
  t.after(() => stranger.close())
  await new Promise((resolve) => stranger.listen(pipe, resolve))
  writeFileSync(path, JSON.stringify({ pipe, question: 'q'.repeat(64), answer: 'a'.repeat(64) }))
  const [error] = await once(
    connectTo(path, () => assert.fail('it is asked'), true),
    'error',
  )
  assert.match(error.message, /not the one that was expected/)
  assert.deepEqual(heard, [64])
})

test('a file that names no pipe is as if nobody listened', limit, async (t) => {
  const path = join(temporaryFolder(t), 'control.sock')
  for (const text of ['', 'null', '[]', '{"pipe":1}', '{"pipe":"x","question":"y"}']) {
    writeFileSync(path, text)
    const [error] = await once(
      connectTo(path, () => assert.fail('it is asked'), true),
      'error',
    )
    assert.equal(error.code, 'ECONNREFUSED', text)
  }
})

function echo(socket) {
  socket.on('error', () => {})
  socket.pipe(socket)
}

function listening(t, { path, pipe }, welcome) {
  return new Promise((resolve, reject) => {
    const control = listenAt(path, welcome, (error) => (error ? reject(error) : resolve(control)), pipe)
    t.after(() => control.close())
  })
}

async function textOf(socket) {
  let text = ''
  socket.on('data', (data) => (text += data))
  await once(socket, 'close')
  return text
}
