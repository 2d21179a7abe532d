// Where curl gets an answer, load gets it too: servers that answer early or oddly, and requests as they were meant.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import dns from 'node:dns'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { load } from '../../../../build/measure/load/load.js'
import { createTarget } from '../../../../build/measure/load/target.js'
import { httpServer, listen, rawServer } from '../../../helpers/http-servers.js'

const limit = { timeout: 60_000 }
const some = { connections: 2, requests: 20, timeout: 5 }

test('a server that ends its lines without CR, or puts an empty one after a body', limit, async (t) => {
  for (const answer of [
    'HTTP/1.1 200 OK\nContent-Length: 2\n\nok',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\r\n',
  ]) {
    const { url } = await rawServer(t, (socket) => socket.write(answer))
    const { requests, errors, statuses } = await load(url, some)
    assert.deepEqual([requests, errors, statuses], [20, 0, { 200: 20 }])
  }
})

test('a server that answers 413 and closes before it has read the body', limit, async (t) => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.pause()
      socket.write('HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () => socket.destroy()) // prettier-ignore
    })
  })
  const url = await listen(t, server)
  const { statuses, errorsByKind } = await load(url, { ...some, requests: 10, body: Buffer.alloc(8e6) })
  assert.deepEqual([statuses, errorsByKind.reset], [{ 413: 10 }, 0])
})

test('answers that nobody asked for are not counted', limit, async (t) => {
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
  const { url } = await rawServer(t, (socket) => socket.write(answer.repeat(50)))
  const { requests, errorsByKind, messages } = await load(url, { ...some, connections: 1, requests: 10 })
  assert.ok(requests <= 10 && errorsByKind.protocol > 0, JSON.stringify({ requests, errorsByKind }))
  assert.match(messages.protocol, /an answer to a request that was not sent/)
})

test('so many requests and no more, in both loops', limit, async (t) => {
  for (const options of [{ connections: 3 }, { connections: 3, pipelining: 4 }, { rate: 500 }]) {
    const server = await httpServer(t)
    const { requests, settings, seconds } = await load(server.url, { ...options, requests: 25 })
    assert.deepEqual([requests, server.count(), settings.requests], [25, 25, 25])
    assert.ok(seconds > 0 && seconds < 30, `${seconds} s`)
  }
})

/** Its queue of connections is full, and it takes none for a while: the kernel drops the next one, which is sent again after a second. */
const busy = `
  const server = require('net').createServer((socket) => {
    socket.on('error', () => {}).on('data', () => socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n'))
  }).listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('fs').writeSync(1, String(server.address().port))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
  })`

test(
  'a slow address of a name with several is not given up before its time',
  { ...limit, skip: process.platform !== 'linux' && 'its queue is that of Linux' },
  async (t) => {
    const child = spawn(process.execPath, ['-e', busy], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    const [text] = await once(child.stdout, 'data')
    const port = Number(text)
    const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    t.after(() => waiting.forEach((socket) => socket.destroy()))
    await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, 'connect')))
    t.mock.method(dns, 'lookup', (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }])) // prettier-ignore
    const { requests, errors, messages, latency } = await load(`http://two.example:${port}/`, { connections: 1, requests: 1, timeout: 20 }) // prettier-ignore
    assert.deepEqual([requests, errors], [1, 0], JSON.stringify(messages))
    assert.ok(latency.max > 250, `${latency.max} ms: it was not slow`)
  },
)

const textOf = (url, options = {}) => createTarget(url, options).bytes.toString('latin1')
const basic = (pair) => `Authorization: Basic ${Buffer.from(pair).toString('base64')}\r\n`

test('credentials of the URL, whatever is in them, are sent and not told', () => {
  assert.ok(textOf('http://us%er:pw@a/').includes(basic('us%er:pw')))
  assert.ok(textOf('http://:token@a/').includes(basic(':token')))
  assert.ok(textOf('http://a%40b:p%3Aw@a/').includes(basic('a@b:p:w')))
  assert.equal(createTarget('http://bob:pw@a/x?y', {}).url, 'http://a/x?y')
})

test('all headers of one name are sent', () => {
  assert.ok(
    textOf('http://a/', { headers: { Cookie: ['a=1', 'b=2'] } }).includes('Cookie: a=1\r\nCookie: b=2\r\n'),
  )
})

test('without a scheme it is http', () => {
  const urls = ['localhost:3000', 'localhost:3000/a?b', 'example.org', '127.0.0.1:80/x', '[::1]:3000'].map((url) => createTarget(url, {}).url) // prettier-ignore
  assert.deepEqual(urls, ['http://localhost:3000/', 'http://localhost:3000/a?b', 'http://example.org/', 'http://127.0.0.1/x', 'http://[::1]:3000/']) // prettier-ignore
})

test('the name of the certificate is that of the Host header', () => {
  const nameOf = (url, host) => createTarget(url, host ? { headers: { host } } : {}).servername
  assert.equal(nameOf('https://127.0.0.1/', 'shop.example'), 'shop.example')
  assert.equal(nameOf('https://127.0.0.1/', 'shop.example:8443'), 'shop.example')
  assert.deepEqual([nameOf('https://127.0.0.1/'), nameOf('https://a.example/')], [undefined, 'a.example'])
})
