// Reloads of real frameworks, each with the close() that its guide has for the signal to end, beside 30 clients that keep their connection and ask
// about once a second: how many requests got another answer than 200. PM2 beside it. Linux.
//
//   node bench/field/reload.mjs [--reloads 20] [--only fastify,koa] [--without-pm2]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort, install, livingWith, printTable } from './install.mjs'
import { createPm2, createThreadwise } from './runners.mjs'
import { slowClients } from './slow-clients.mjs'

/** SIGTERM is that of threadwise, SIGINT that of PM2. */
const closing = (close) =>
  `for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => { ${close} })\n`
const listen = `{ port: Number(process.env.PORT), host: '127.0.0.1' }`

const express = `import express from 'express'
const app = express()
app.get('/', (_, response) => response.send('hello'))
const server = app.listen(Number(process.env.PORT), '127.0.0.1')
${closing('server.close(() => process.exit(0))')}`

const APPS = {
  fastify: {
    packages: ['fastify@5'],
    text: `import fastify from 'fastify'
const app = fastify()
app.get('/', async () => 'hello')
await app.listen(${listen})
${closing('void app.close().then(() => process.exit(0))')}`,
  },
  'fastify h2': {
    packages: ['fastify@5'],
    text: `import fastify from 'fastify'
const app = fastify({ http2: true })
app.get('/', async () => 'hello')
await app.listen(${listen})
${closing('void app.close().then(() => process.exit(0))')}`,
    isHttp2: true,
  },
  'express 4': { packages: ['express@4'], text: express },
  'express 5': { packages: ['express@5'], text: express },
  koa: {
    packages: ['koa@3'],
    text: `import Koa from 'koa'
const app = new Koa()
app.use((context) => { context.body = 'hello' })
const server = app.listen(Number(process.env.PORT), '127.0.0.1')
${closing('server.close(() => process.exit(0)); server.closeIdleConnections()')}`,
  },
  hapi: {
    packages: ['@hapi/hapi@21'],
    text: `import Hapi from '@hapi/hapi'
const server = Hapi.server(${listen})
server.route({ method: 'GET', path: '/', handler: () => 'hello' })
await server.start()
${closing('void server.stop({ timeout: 8000 }).then(() => process.exit(0))')}`,
  },
  nest: {
    packages: ['@nestjs/core@11', '@nestjs/common@11', '@nestjs/platform-express@11', 'reflect-metadata', 'rxjs'],
    text: `import 'reflect-metadata'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
class Hello { hello() { return 'hello' } }
Reflect.decorate([Get('/')], Hello.prototype, 'hello', Object.getOwnPropertyDescriptor(Hello.prototype, 'hello'))
Reflect.decorate([Controller()], Hello)
class App {}
Reflect.decorate([Module({ controllers: [Hello] })], App)
const app = await NestFactory.create(App, { logger: false })
app.enableShutdownHooks()
await app.listen(process.env.PORT, '127.0.0.1')`,
  },
  'node h2': {
    packages: [],
    text: `import { createServer } from 'node:http2'
const server = createServer((_, response) => response.end('hello')).listen(${listen})
${closing('server.close(() => process.exit(0))')}`,
    isHttp2: true,
  },
} // prettier-ignore

const { values } = parseArgs({
  options: {
    reloads: { type: 'string', default: '20' },
    only: { type: 'string' },
    'without-pm2': { type: 'boolean' },
  },
})
const names = values.only?.split(',') ?? Object.keys(APPS)
const unknown = names.filter((name) => !(name in APPS))
if (unknown.length > 0) {
  console.error(`no such app: ${unknown}; there are ${Object.keys(APPS)}`)
  process.exit(2)
}

const root = mkdtempSync(join(tmpdir(), 'threadwise-reload-'))
const rows = [['app', 'by', 'requests', 'not 200', 'a reload takes']]
try {
  const pm2 = values['without-pm2'] ? null : install(root, 'pm2', { packages: ['pm2@7'], files: {} })
  for (const name of names) {
    const { packages, text, isHttp2 } = APPS[name]
    const folder = install(root, name, { packages, files: { 'app.mjs': text } })
    const app = { serve: ['-i', '2', 'app.mjs'], pm2: ['app.mjs', '-i', '2'] }
    const failed = await tryRunner('threadwise', { name, app, folder, isHttp2, create: createThreadwise })
    if (failed) process.exitCode = 1
    const create = (given, place) => createPm2(given, { ...place, pm2, home: join(folder, 'pm2-home') })
    if (pm2) await tryRunner('PM2', { name, app, folder, isHttp2, create })
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}
printTable(rows)

/** Whether a request has failed. */
async function tryRunner(runner, { name, app, folder, isHttp2, create }) {
  const mark = `FIELD_APP=${name.replaceAll(/\W/g, '-')}-${runner}-${process.pid}`
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), FIELD_APP: mark.split('=')[1] }
  const service = await create(app, { folder, env })
  try {
    await service.start()
    const clients = slowClients(`http://127.0.0.1:${port}/`, { isHttp2 })
    const start = performance.now()
    for (let reload = 0; reload < Number(values.reloads); reload++) await service.reload()
    const seconds = (performance.now() - start) / 1000 / Number(values.reloads)
    const { 200: well = 0, ...others } = await clients.stop()
    const failed = Object.values(others).reduce((sum, count) => sum + count, 0)
    const row = [name, runner, well + failed, failed === 0 ? '0' : JSON.stringify(others), `${seconds.toFixed(1)} s`]
    rows.push(row)
    console.error(row.join(', '))
    await service.stop()
    return failed > 0
  } finally {
    await service.close()
    for (const pid of livingWith(mark)) process.kill(pid, 'SIGKILL')
  }
} // prettier-ignore
