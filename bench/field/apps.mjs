// The apps of bench/field/serve.mjs: what is installed for each, its files, and how it is served. `port`: it answers there.

const answering = (before, listen) => `${before}\n${listen}\n`

/** A server of `ws` or Socket.IO tells its clients at SIGTERM, as their documentation advises. */
const closing = (close) => `process.on('SIGTERM', () => { ${close} })`

export const APPS = {
  express: {
    packages: ['express@5'],
    files: { 'app.mjs': answering(`import express from 'express'`, `express().get('/', (_, response) => response.send('hello')).listen(process.env.PORT)`) },
    serve: ['app.mjs'],
    port: true,
  },
  fastify: {
    packages: ['fastify@5'],
    files: { 'app.mjs': answering(`import fastify from 'fastify'\nconst app = fastify()`, `app.get('/', async () => 'hello')\nawait app.listen({ port: Number(process.env.PORT) })\n${closing('void app.close()')}`) },
    serve: ['app.mjs'],
    port: true,
  },
  nest: {
    packages: ['@nestjs/core@11', '@nestjs/common@11', '@nestjs/platform-express@11', 'reflect-metadata', 'rxjs'],
    files: {
      'app.cjs': `require('reflect-metadata')
const { Controller, Get, Module } = require('@nestjs/common')
const { NestFactory } = require('@nestjs/core')
class Hello { hello() { return 'hello' } }
Reflect.decorate([Get('/')], Hello.prototype, 'hello', Object.getOwnPropertyDescriptor(Hello.prototype, 'hello'))
Reflect.decorate([Controller()], Hello)
class App {}
Reflect.decorate([Module({ controllers: [Hello] })], App)
NestFactory.create(App, { logger: false }).then((app) => { app.enableShutdownHooks(); return app.listen(process.env.PORT) })`,
    },
    serve: ['app.cjs'],
    port: true,
  },
  next: {
    packages: ['next@16', 'react@19', 'react-dom@19'],
    files: {
      'app/layout.js': `export default function Layout({ children }) { return <html><body>{children}</body></html> }`,
      'app/page.js': `export default function Page() { return <p>hello</p> }`,
    },
    build: ['node_modules/.bin/next', 'build'],
    serve: ['node_modules/next/dist/bin/next', '--', 'start'],
    port: true,
  },
  ws: {
    packages: ['ws@8'],
    files: { 'app.mjs': answering(`import { createServer } from 'node:http'\nimport { WebSocketServer } from 'ws'`, `const server = createServer((_, response) => response.end('hello'))\nconst sockets = new WebSocketServer({ server })\nserver.listen(process.env.PORT)\n${closing('server.close(); for (const client of sockets.clients) client.close(1001)')}`) },
    serve: ['app.mjs'],
    port: true,
    webSockets: 20,
  },
  'socket.io': {
    packages: ['socket.io@4'],
    files: { 'app.mjs': answering(`import { createServer } from 'node:http'\nimport { Server } from 'socket.io'`, `const server = createServer((_, response) => response.end('hello'))\nconst io = new Server(server)\nserver.listen(process.env.PORT)\n${closing('void io.close()')}`) },
    serve: ['app.mjs'],
    port: true,
  },
  h2: {
    packages: [],
    files: { 'app.mjs': answering(`import { createServer } from 'node:http2'`, `createServer((_, response) => response.end('hello')).listen(process.env.PORT)`) },
    serve: ['app.mjs', '--health', '/'],
  },
  worker: {
    packages: [],
    files: { 'app.mjs': `setInterval(() => {}, 1000)\nconsole.log('works')` },
    serve: ['app.mjs', '--portless'],
  },
  'npm script': {
    packages: [],
    files: { 'app.mjs': `setInterval(() => {}, 1000)` },
    scripts: { start: 'node app.mjs' },
    serve: ['--', 'npm', 'start'],
  },
  python: {
    packages: [],
    files: { 'app.py': 'import time\nwhile True: time.sleep(1)' },
    serve: ['app.py', '--interpreter', 'python3'],
  },
  job: {
    packages: [],
    files: { 'job.sh': 'date >> ran' },
    serve: ['--restart', 'never', '--cron', '* * * * *', '--', 'sh', 'job.sh'],
  },
} // prettier-ignore
