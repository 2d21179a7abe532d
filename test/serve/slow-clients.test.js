// Clients that keep their connection and ask now and then lose no request in a reload, whatever the framework does when it is told to end.
import assert from 'node:assert/strict'
import { get, Agent } from 'node:http'
import { connect } from 'node:http2'
import { test } from 'node:test'
import { service } from '../helpers/services.js'

const limit = { timeout: 120_000, skip: process.platform === 'win32' }
const CLIENTS = 20
const packageOf = (name) => JSON.stringify(import.meta.resolve(name))
const listen = `{ port: Number(process.env.PORT), host: '127.0.0.1' }`
const onSignal = (code) => `process.on('SIGTERM', () => { ${code} })`

/** Each with the close() of its guide. */
const apps = {
  'node:http that refuses when it is told': `
    import { createServer } from 'node:http'
    let isEnding = false
    const server = createServer((_, response) => response.writeHead(isEnding ? 503 : 200).end()).listen(${listen})
    ${onSignal('isEnding = true; server.close(() => process.exit())')}`,
  Fastify: `
    import Fastify from ${packageOf('fastify')}
    const app = Fastify()
    app.get('/', async () => 'ok')
    ${onSignal('app.close().then(() => process.exit())')}
    await app.listen(${listen})`,
  'Fastify over HTTP/2': `
    import Fastify from ${packageOf('fastify')}
    const app = Fastify({ http2: true })
    app.get('/', async () => 'ok')
    ${onSignal('app.close().then(() => process.exit())')}
    await app.listen(${listen})`,
  Express: `
    import express from ${packageOf('express')}
    const app = express()
    app.get('/', (_, response) => response.send('ok'))
    const server = app.listen(Number(process.env.PORT), '127.0.0.1')
    ${onSignal('server.close(() => process.exit())')}`,
  Koa: `
    import Koa from ${packageOf('koa')}
    const app = new Koa()
    app.use((context) => { context.body = 'ok' })
    const server = app.listen(Number(process.env.PORT), '127.0.0.1')
    ${onSignal('server.close(() => process.exit()); server.closeIdleConnections()')}`,
  'a server that closes all idle connections itself': `
    import { createServer } from 'node:http'
    const idle = new Set()
    const server = createServer((request, response) => {
      idle.delete(request.socket)
      response.on('finish', () => idle.add(request.socket))
      response.end()
    }).listen(${listen})
    server.on('connection', (socket) => idle.add(socket))
    ${onSignal('server.close(() => process.exit()); for (const socket of idle) socket.destroy()')}`,
}

function askOnce(url, agent) {
  return new Promise((resolve) => {
    const asked = get(url, { agent }, (response) =>
      response.resume().on('end', () => resolve(response.statusCode)),
    )
    asked.on('error', ({ code }) => resolve(code))
  })
}

function askSession(session) {
  return new Promise((resolve) => {
    const asked = session.request({ ':path': '/' })
    let status
    asked.on('response', (headers) => (status = headers[':status']))
    asked.on('error', ({ message }) => resolve(message))
    asked.resume().on('end', () => resolve(status))
  })
}

/** Gives what came, with how often. */
function slowClients(url, isHttp2) {
  const counts = {}
  let isOver = false
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let session
    while (!isOver) {
      if (isHttp2 && (!session || session.closed || session.destroyed))
        session = connect(url).on('error', () => {})
      const came = await (isHttp2 ? askSession(session) : askOnce(url, agent))
      counts[came] = (counts[came] ?? 0) + 1
      await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 1000))
    }
    agent.destroy()
    session?.close()
  }
  const all = Promise.all(Array.from({ length: CLIENTS }, client))
  return {
    counts,
    async stop() {
      isOver = true
      await all
      return counts
    },
  }
}

for (const [what, text] of Object.entries(apps)) {
  test(
    `reloads and scaling of ${what}: each request of slow clients is answered with 200`,
    limit,
    async (t) => {
      const { service: running, url } = await service(t, text)
      const clients = slowClients(url, what.includes('HTTP/2'))
      for (let reloads = 0; reloads < 3; reloads++) await running.reload()
      await running.scale(1)
      await running.scale(2)
      const counts = await clients.stop()
      assert.deepEqual(Object.keys(counts), ['200'], JSON.stringify(counts))
    },
  )
}
