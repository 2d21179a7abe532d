// Where connections go by cookie, those that show none lose nothing either: TLS, HTTP/2, Unix sockets, and what is no HTTP.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connect2 } from 'node:http2'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../helpers/files.js'
import { fixture } from '../helpers/program.js'
import { service } from '../helpers/services.js'

const limit = { timeout: 60_000, skip: process.platform === 'win32' }
const sticky = 'cookie=sid'
const listen = `.listen(Number(process.env.PORT), '127.0.0.1')`
const [key, cert] = ['key', 'cert'].map((name) => JSON.stringify(fixture(`load/${name}.pem`)))
const withTls = `
  import { readFileSync } from 'node:fs'
  const options = { key: readFileSync(${key}), cert: readFileSync(${cert}) }`

/** Sends the text, and resolves with what comes. */
async function exchange(where, text) {
  const socket = connect(where).setEncoding('latin1')
  let answer = ''
  socket.on('data', (more) => (answer += more)).end(text)
  await once(socket, 'close')
  return answer
}

test('TLS goes in turn, with the first bytes of its handshake', limit, async (t) => {
  const text = `${withTls}
    import { createServer } from 'node:https'
    createServer(options, (request, response) => response.end(String(process.pid)))${listen}`
  const { port } = await service(t, text, { sticky })
  const pids = []
  for (let i = 0; i < 6; i++) {
    const asked = request({ port, agent: false, rejectUnauthorized: false, headers: { cookie: 'sid=a' } })
    const [response] = await once(asked.end(), 'response')
    pids.push(String((await once(response, 'data'))[0]))
  }
  assert.equal(new Set(pids).size, 2)
})

for (const isSecure of [false, true]) {
  test(`HTTP/2 goes in turn ${isSecure ? 'with' : 'without'} TLS`, limit, async (t) => {
    const answer = `(request, response) => response.end(request.headers.cookie))${listen}`
    const text = isSecure
      ? `${withTls}; import { createSecureServer } from 'node:http2'; createSecureServer(options, ${answer}`
      : `import { createServer } from 'node:http2'; createServer(${answer}`
    const { port } = await service(t, text, { sticky })
    for (let i = 0; i < 4; i++) {
      const session = connect2(`${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`, { rejectUnauthorized: false }) // prettier-ignore
      const [data] = await once(session.request({ cookie: 'sid=a' }), 'data')
      assert.equal(String(data), 'sid=a')
      await new Promise((resolve) => session.close(resolve))
    }
  })
}

for (const pauseOnConnect of [false, true]) {
  test(
    `a server of node:net gets all bytes${pauseOnConnect ? ', also when it begins to read later' : ''}`,
    limit,
    async (t) => {
      const text = `
      import { createServer } from 'node:net'
      createServer({ pauseOnConnect: ${pauseOnConnect}, allowHalfOpen: true }, (socket) => {
        if (${pauseOnConnect}) setTimeout(() => socket.pipe(socket), 50)
        else socket.pipe(socket)
      })${listen}`
      const { port } = await service(t, text, { sticky })
      const head = 'POST / HTTP/1.1\r\nCookie: sid=a\r\n\r\n'
      for (const sent of ['x', 'PING\r\n', '\x16\x03\x01', '', head, head + 'y'.repeat(500_000)]) {
        assert.equal((await exchange({ port, host: '127.0.0.1' }, Buffer.from(sent, 'latin1'))) === sent, true, sent.slice(0, 60)) // prettier-ignore
      }
    },
  )
}

test('a connection that one server of an instance hands to another one is read once', limit, async (t) => {
  const text = `
    import { createServer } from 'node:http'
    import { createServer as createGate } from 'node:net'
    const server = createServer((request, response) => response.end(request.url)).listen(0, '127.0.0.1')
    createGate((socket) => server.emit('connection', socket))${listen}`
  const { port } = await service(t, text, { sticky })
  const answer = await exchange({ port, host: '127.0.0.1' }, 'GET /a HTTP/1.1\r\nHost: a\r\nCookie: sid=a\r\nConnection: close\r\n\r\n') // prettier-ignore
  assert.equal(answer.split('HTTP/1.1').length, 2)
  assert.match(answer, /\/a/)
})

test('on a Unix socket a cookie chooses too', limit, async (t) => {
  const path = join(temporaryFolder(t), 'socket')
  const text = `
    import { createServer } from 'node:http'
    createServer((request, response) => response.end(String(process.pid))).listen(process.env.SOCKET)`
  await service(t, text, { sticky, instances: 3, env: { SOCKET: path } })
  const ask = (user) =>
    exchange({ path }, `GET / HTTP/1.1\r\nHost: a\r\nCookie: sid=${user}\r\nConnection: close\r\n\r\n`).then((answer) => answer.split('\r\n\r\n')[1]) // prettier-ignore
  const users = Array.from({ length: 12 }, (_, i) => `user-${i}`)
  const first = await Promise.all(users.map(ask))
  assert.equal(new Set(first).size, 3)
  assert.deepEqual(await Promise.all(users.map(ask)), first)
})
