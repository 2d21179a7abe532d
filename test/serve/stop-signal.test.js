// An app learns that it is to end when its connections begin to end: by the signal that it listens to, or by a message.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { keptConnection, loadThatRuns, program, service } from '../helpers/services.js'
import { undisturbed } from '../helpers/undisturbed.js'

const limit = { timeout: 60_000, skip: process.platform === 'win32' }

/** What the app does when it is told; its answer to a request ends with that. */
const telling = (listen) =>
  program(
    'hello',
    `let waits
    const tell = (what) => { waits.end(what); server.close() }
    ${listen}
    server.removeAllListeners('request')
    server.on('request', (_, response) => {
      response.writeHead(200).flushHeaders()
      waits = response
    })`,
  )

for (const [stopSignal, listen] of [
  [undefined, `process.on('SIGTERM', tell)`],
  ['SIGINT', `process.on('SIGINT', tell)`],
  ['SIGUSR2', `process.once('SIGUSR2', tell)`],
  ['message', `process.on('message', (text) => tell(text === 'shutdown' ? 'message' : 'odd'))`],
]) {
  test(
    `${stopSignal ?? 'SIGTERM'} comes while a request is answered, and the process ends by itself`,
    limit,
    async (t) => {
      const options = { instances: 1, ...(stopSignal && { stopSignal }) }
      const { service: server, url, seen } = await service(t, telling(listen), options)
      const gone = seen(({ type }) => type === 'gone')
      const answer = await fetch(url)
      const stopped = server.stop()
      assert.equal(await answer.text(), stopSignal ?? 'SIGTERM')
      await stopped
      assert.equal((await gone).how, 'with exit code 0')
    },
  )
}

test('a signal that the app does not listen to does not end it before its connections', limit, async (t) => {
  for (const stopSignal of ['SIGTERM', 'SIGQUIT']) {
    const { service: server, url } = await service(t, program('hello'), { instances: 1, stopSignal })
    const late = await fetch(`${url}late`)
    const stopped = server.stop()
    assert.equal(await late.text(), 'hello')
    await stopped
  }
})

/** Connections that are upgraded, as a WebSocket server holds them. */
const sockets = (more) =>
  program(
    'hello',
    `const open = new Set()
    server.on('upgrade', (_, socket) => {
      open.add(socket)
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: test\\r\\n\\r\\n')
    })
    ${more}`,
  )

async function upgraded(url) {
  const asked = request(url, { headers: { connection: 'Upgrade', upgrade: 'test' } })
  asked.end()
  const [, socket] = await once(asked, 'upgrade')
  socket.on('error', () => {}).resume()
  return socket
}

test('a server of WebSockets that closes them ends by itself, long before the grace', limit, async (t) => {
  const text = sockets(
    `process.on('SIGTERM', () => { server.close(); for (const socket of open) socket.end() })`,
  )
  const { service: server, url, seen } = await service(t, text, { instances: 1, grace: 10 * limit.timeout })
  const all = await Promise.all(Array.from({ length: 5 }, () => upgraded(url)))
  const gone = seen(({ type }) => type === 'gone')
  await server.stop()
  assert.equal((await gone).how, 'with exit code 0')
  for (const socket of all) socket.destroy()
})

test('the grace counts from the begin, also for one that never ends', limit, async (t) => {
  const text = sockets(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`)
  const ms = await undisturbed(async () => {
    const { service: server, url, seen } = await service(t, text, { instances: 1, grace: 1500 })
    const socket = await upgraded(url)
    const gone = seen(({ type }) => type === 'gone')
    const start = performance.now()
    await server.stop()
    const took = performance.now() - start
    assert.equal((await gone).how, 'by SIGKILL')
    socket.destroy()
    return took
  })
  assert.ok(ms >= 1400 && ms < 4500, `${ms} ms`)
})

test('an app that closes its server when it is told loses no request of a busy client', limit, async (t) => {
  const text = program('hello', `process.on('SIGTERM', () => server.close())`)
  const { service: server, url } = await service(t, text)
  const load = await loadThatRuns(url, { connections: 16 })
  await server.reload()
  const { errorsByKind, messages, statuses } = await load.stop()
  assert.deepEqual(errorsByKind, { connect: 0, timeout: 0, reset: 0, protocol: 0 }, JSON.stringify(messages))
  assert.deepEqual(Object.keys(statuses), ['200'])
})

test('nor one of a client that was silent for a moment', limit, async (t) => {
  const text = program('hello', `process.on('SIGTERM', () => server.close())`)
  const { service: server, url } = await service(t, text, { instances: 1 })
  const connection = keptConnection(t, url)
  await connection.get()
  const reloaded = server.reload()
  await new Promise((resolve) => setTimeout(resolve, 1000)) // the app was told by then, unless the machine is slow
  assert.equal((await connection.get()).body, 'hello')
  await reloaded
})
