// Servers as people write them run unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../helpers/free-port.js'
import { serve } from '../../dist/cluster.js'
import { fixture } from '../helpers/program.js'
import { serveCommand } from '../helpers/serve-command.js'
import { loadThatRuns, program, service, textOf } from '../helpers/services.js'

const limit = { timeout: 60_000 }

for (const [name, answer] of [
  ['express.cjs', 'hello somebody'],
  ['fastify.js', '{"hello":"somebody"}'],
]) {
  for (const health of [undefined, '/health']) {
    test(`${name} is reloaded under load${health ? ', with a health check' : ''}`, limit, async (t) => {
      const port = await freePort()
      const options = { instances: 2, env: { PORT: String(port) }, ...(health && { health }) }
      const running = await serve(fixture(`servers/${name}`), options)
      t.after(() => running.stop())
      const url = `http://127.0.0.1:${port}/`
      assert.equal(await textOf(url), answer)
      const load = await loadThatRuns(url, { connections: 16 })
      await running.reload()
      const { errors, messages, statuses } = await load.stop()
      assert.deepEqual([errors, messages, Object.keys(statuses)], [0, {}, ['200']])
    })
  }
}

test("a server's own handler of SIGTERM runs, and the instance ends by itself", limit, async () => {
  const port = await freePort()
  const events = []
  const onEvent = (event) => events.push(event)
  const env = { PORT: String(port) }
  const running = await serve(fixture('servers/fastify.js'), { instances: 2, env, onEvent })
  await textOf(`http://127.0.0.1:${port}/`)
  await running.stop()
  const ends = events.filter(({ type }) => type === 'gone').map(({ how }) => how)
  assert.deepEqual(ends, ['with exit code 0', 'with exit code 0'])
})

test(
  'a program gets its arguments, an unchanged process.execArgv, and messages of its own only',
  limit,
  async (t) => {
    const text = `
    import { createServer } from 'node:http'
    import { Worker } from 'node:worker_threads'
    const seen = []
    process.on('message', (message) => seen.push(message))
    const facts = () => JSON.stringify({
      args: process.argv.slice(2), execArgv: process.execArgv, variable: process.env.THREADWISE_INSTANCE,
    })
    createServer((request, response) => {
      if (request.url === '/') return response.end(facts())
      const worker = new Worker("require('node:worker_threads').parentPort.postMessage('from a thread')", { eval: true })
      worker.once('message', (text) => response.end(text))
    }).listen(Number(process.env.PORT), '127.0.0.1')`
    const { url } = await serveCommand(t, { text, args: ['--', '--verbose', 'x'], instances: 1 })
    assert.deepEqual(JSON.parse(await textOf(url)), { args: ['--verbose', 'x'], execArgv: [] })
    assert.equal(await textOf(`${url}thread`), 'from a thread')
  },
)

test('an instance cannot have instances', limit, async (t) => {
  const more = `
    import { serve } from ${JSON.stringify(new URL('../../dist/cluster.js', import.meta.url).href)}
    const refused = await serve('server.mjs').catch(({ code }) => code)`
  const { url } = await service(t, `${more}${program('hello').replaceAll("end('hello')", 'end(refused)')}`)
  assert.equal(await textOf(url), 'TW_ERR_INVALID_CALL')
})

test('a Unix socket is shared and reloaded like a port', limit, async (t) => {
  const { request } = await import('node:http')
  const text = `
    import { createServer } from 'node:http'
    createServer((request, response) => response.end('by socket')).listen(process.env.SOCKET)`
  const socketPath = `/tmp/threadwise-test-${process.pid}.sock`
  const { service: running } = await service(t, text, { env: { SOCKET: socketPath } })
  const ask = () =>
    new Promise((resolve, reject) => {
      const asked = request({ socketPath, path: '/', agent: false }, (response) => response.once('data', (data) => resolve(String(data)))) // prettier-ignore
      asked.on('error', reject)
      asked.end()
    })
  assert.equal(await ask(), 'by socket')
  await running.reload()
  assert.equal(await ask(), 'by socket')
})

test('with TLS, and a health check behind it, a reload loses nothing', limit, async (t) => {
  const [key, cert] = ['key', 'cert'].map((name) => JSON.stringify(fixture(`load/${name}.pem`)))
  const text = `
    import { readFileSync } from 'node:fs'
    import { createServer } from 'node:https'
    const options = { key: readFileSync(${key}), cert: readFileSync(${cert}) }
    createServer(options, (request, response) => response.end('secret')).listen(Number(process.env.PORT), '127.0.0.1')`
  const { service: running, port } = await service(t, text, { health: '/' })
  const load = await loadThatRuns(`https://127.0.0.1:${port}/`, { connections: 8, insecure: true })
  await running.reload()
  const { errors, messages, statuses } = await load.stop()
  assert.deepEqual([errors, messages, Object.keys(statuses)], [0, {}, ['200']])
})

test(
  'HTTP/2: open streams are answered, and the client is asked to open another session',
  limit,
  async (t) => {
    const { connect } = await import('node:http2')
    const text = `
    import { createServer } from 'node:http2'
    createServer((request, response) => {
      response.flushHeaders()
      setTimeout(() => response.end('two'), 1500)
    }).listen(Number(process.env.PORT), '127.0.0.1')`
    const { service: running, url } = await service(t, text, { instances: 1 })
    const session = connect(url)
    t.after(() => session.destroy())
    const goaway = new Promise((resolve) => session.once('goaway', resolve))
    const answer = new Promise((resolve, reject) => {
      const stream = session.request({ ':path': '/' })
      stream.setEncoding('utf8').on('data', resolve).on('error', reject)
      stream.once('response', () => void running.reload().then(() => {}, reject))
    })
    assert.equal(await answer, 'two')
    assert.equal(await goaway, 0)
  },
)
