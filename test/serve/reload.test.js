// Reloading loses no request: under load, with silent connections, and with requests that take long.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { keptConnection, loadThatRuns, program, service, textOf } from '../helpers/services.js'

const limit = { timeout: 100_000 }

test('under 64 keep-alive connections at full load no request fails', limit, async (t) => {
  const { service: server, url, rewrite } = await service(t, program('old'))
  const load = await loadThatRuns(url)
  rewrite(program('new'))
  for (let i = 0; i < 3; i++) await server.reload()
  const { errorsByKind, messages, statuses, requests } = await load.stop()
  assert.deepEqual(errorsByKind, { connect: 0, timeout: 0, reset: 0, protocol: 0 }, JSON.stringify(messages))
  assert.deepEqual(Object.keys(statuses), ['200'])
  assert.ok(requests > 100)
  assert.equal(await textOf(url), 'new')
  assert.equal(server.status().reloads, 3)
})

test('the same where every request opens a connection', limit, async (t) => {
  const { service: server, url } = await service(t, program('hello'))
  const load = await loadThatRuns(url, { connections: 16, headers: { connection: 'close' } })
  for (let i = 0; i < 2; i++) await server.reload()
  const { errorsByKind, messages } = await load.stop()
  assert.deepEqual(errorsByKind, { connect: 0, timeout: 0, reset: 0, protocol: 0 }, JSON.stringify(messages))
})

test('a silent connection may still ask, and that answer ends it', limit, async (t) => {
  const { service: server, url, seen } = await service(t, program('hello'), { instances: 1 })
  const connection = keptConnection(t, url)
  const first = await connection.get()
  assert.equal(first.connection, 'keep-alive')
  const draining = seen(({ type }) => type === 'draining')
  const reloaded = server.reload()
  await draining
  // The new instance knows nothing of this; the old one must answer, since the connection is its own.
  let answer
  do {
    answer = await connection.get() // as often as it takes until the news has arrived there: it goes there and back and there
    assert.deepEqual([answer.body, answer.isReused], ['hello', true])
  } while (answer.connection === 'keep-alive')
  assert.equal(answer.connection, 'close')
  await connection.closed
  await reloaded
})

test('a connection that stays silent is closed when its server would have closed it', limit, async (t) => {
  const text = program('hello', 'server.keepAliveTimeout = 300')
  const { service: server, url } = await service(t, text, { instances: 1 })
  const connection = keptConnection(t, url)
  await connection.get()
  await Promise.all([server.reload(), connection.closed])
})

test('a request that runs is answered, and tells the client that the connection ends', limit, async (t) => {
  const { service: server, url, seen, rewrite } = await service(t, program('old'), { instances: 1 })
  const connection = keptConnection(t, url)
  rewrite(program('new'))
  const served = seen(({ type }) => type === 'ready')
  const reloaded = server.reload()
  await served
  const answer = await connection.get('/slow')
  await reloaded
  assert.ok(
    answer.body === 'new' || (answer.body === 'old' && answer.connection === 'close'),
    JSON.stringify(answer),
  )
  assert.equal(await textOf(url), 'new')
})

test('a request that takes longer than the grace is cut off, and the reload goes on', limit, async (t) => {
  const text = program('hello').replace('400', '60_000')
  const { service: server, url, events } = await service(t, text, { instances: 1, grace: 300 })
  const connection = keptConnection(t, url)
  await connection.get('/')
  const cut = assert.rejects(connection.get('/slow'), { code: 'ECONNRESET' })
  await server.reload()
  await cut
  assert.equal(events.filter(({ type }) => type === 'reloaded').length, 1)
})

test('an instance that does not end by SIGTERM is killed after the grace', limit, async (t) => {
  const text = program('hello', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)")
  const { service: server, seen } = await service(t, text, { instances: 1, grace: 200 })
  const gone = seen(({ type }) => type === 'gone')
  await server.reload()
  assert.equal((await gone).how, process.platform === 'win32' ? 'with exit code 1' : 'by SIGKILL')
})

test('reloads at the same time: one runs, the others share the next', limit, async (t) => {
  const { service: server, events } = await service(t, program('hello'), { instances: 1 })
  await Promise.all([server.reload(), server.reload(), server.reload()])
  await Promise.all([server.reload()])
  assert.ok(server.status().reloads <= 3)
  assert.equal(events.filter(({ type }) => type === 'reloaded').length, server.status().reloads)
})

test('several at a time: idle clients that stay hold up a reload once', limit, async (t) => {
  const { service: server, url, events } = await service(t, program('hello'), { instances: 4, parallel: 4 })
  const clients = Array.from({ length: 8 }, () => keptConnection(t, url))
  for (const client of clients) await client.get()
  await server.reload()
  for (const client of clients) assert.equal((await client.get()).body, 'hello')
  // All old ones drain before the first of them is gone.
  const order = events.map(({ type }) => type).filter((type) => type === 'draining' || type === 'gone')
  assert.deepEqual(order.slice(0, 4), ['draining', 'draining', 'draining', 'draining'])
})

test('scaling up and down loses no request', limit, async (t) => {
  const { service: server, url } = await service(t, program('hello'), { instances: 1 })
  const load = await loadThatRuns(url, { connections: 16 })
  await server.scale(3)
  assert.equal(server.status().instances.filter(({ state }) => state === 'serving').length, 3)
  await server.scale(1)
  assert.equal(server.status().instances.length, 1)
  const { errorsByKind, messages } = await load.stop()
  assert.deepEqual(errorsByKind, { connect: 0, timeout: 0, reset: 0, protocol: 0 }, JSON.stringify(messages))
  await assert.rejects(server.scale(0), { code: 'TW_ERR_INVALID_OPTION' })
})

/** All that a client sends which only waits, and does not even answer a goodbye: preface, SETTINGS, HEADERS of GET /. */
const http2Request = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from('000000040000000000' + '000006010500000001828684410161', 'hex'),
])

test('a stream of HTTP/2 whose client only waits is answered', limit, async (t) => {
  const text = `import { createServer } from 'node:http2'
    const server = createServer((request, response) => {
      response.write('soon')
      setTimeout(() => response.end('late'), 3000)
    })
    server.keepAliveTimeout = 500 // after which a silent connection of HTTP/1 is closed
    server.listen(process.env.PORT)`
  const { service: server, port } = await service(t, text, { instances: 1, grace: 15_000 })
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  t.after(() => socket.destroy())
  socket.write(http2Request)
  let received = ''
  const says = async (word) => {
    for await (const data of socket.iterator({ destroyOnReturn: false }))
      if ((received += data).includes(word)) return true
    return false
  }
  assert.ok(await says('soon'))
  const reloaded = server.reload()
  assert.ok(await says('late'), 'it was cut')
  socket.destroy()
  await reloaded
})

test(
  'a WebSocket on which only the server sends is cut when the grace is over, not before',
  limit,
  async (t) => {
    const text = `import { createServer } from 'node:http'
    createServer().on('upgrade', (request, socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: x\\r\\nConnection: Upgrade\\r\\n\\r\\n')
      setInterval(() => socket.writable && socket.write('tick'), 50)
    }).listen(process.env.PORT)`
    const { service: server, url, seen } = await service(t, text, { instances: 1, grace: 3000 })
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    await new Promise((resolve) => socket.once('data', resolve))
    socket.resume()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const draining = seen(({ type }) => type === 'draining')
    const reloaded = server.reload()
    await draining
    const start = performance.now()
    await closed
    assert.ok(performance.now() - start > 2500, `${performance.now() - start} ms`)
    await reloaded
  },
)
