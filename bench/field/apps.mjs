// The apps of bench/field/serve.mjs. `packages` come from npm, `files` are written, `build` is run. Each has its words for `threadwise serve`
// and for `pm2 start` (null: PM2 does not run it). `speaks`: how it is asked; without it the app has no port. `lasting`: clients that stay.
import { fileURLToPath } from 'node:url'

const certificate = (name) => fileURLToPath(new URL(`../../test/fixtures/load/${name}.pem`, import.meta.url))

/** What the documentation of most servers advises: told to end, it closes, then ends. SIGTERM is ours, SIGINT is that of PM2. */
const closing = (close) =>
  `for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => { ${close} })\n`
const httpServer = `import { createServer } from 'node:http'
const server = createServer((_, response) => response.end('hello'))
server.listen(process.env.PORT)
`
const hello = `(_, response) => response.end('hello')`
/** Something that must not outlive it. */
const child = `import { spawn } from 'node:child_process'\nspawn('sleep', ['1000'])\n`

/** Several instances that share a port. */
const shared = { serve: ['-i', '2', 'app.mjs'], pm2: ['app.mjs', '-i', '2'], speaks: 'http' }
const nextPages = {
  'app/layout.js': `export default function Layout({ children }) { return <html><body>{children}</body></html> }`,
  'app/page.js': `export default function Page() { return <p>hello</p> }`,
}
const next = { packages: ['next@16', 'react@19', 'react-dom@19'], build: ['next', 'build'], speaks: 'http' }
const nextStart = 'node_modules/next/dist/bin/next'

export const APPS = {
  express: {
    ...shared,
    packages: ['express@5'],
    files: {
      'app.mjs': `import express from 'express'
express().get('/', (_, response) => response.send('hello')).listen(process.env.PORT)`,
    },
  },
  fastify: {
    ...shared,
    packages: ['fastify@5'],
    files: {
      'app.mjs': `import fastify from 'fastify'
const app = fastify()
app.get('/', async () => 'hello')
await app.listen({ port: Number(process.env.PORT) })
${closing('void app.close().then(() => process.exit(0))')}`,
    },
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
    serve: ['-i', '2', 'app.cjs'],
    pm2: ['app.cjs', '-i', '2'],
    speaks: 'http',
  },
  next: {
    ...next,
    files: nextPages,
    serve: ['-i', '2', nextStart, '--', 'start'],
    pm2: [nextStart, '-i', '2', '--', 'start'],
  },
  'next alone': {
    ...next,
    files: { ...nextPages, 'next.config.mjs': `export default { output: 'standalone' }` },
    serve: ['-i', '2', '.next/standalone/server.js'],
    pm2: ['.next/standalone/server.js', '-i', '2'],
  },
  sveltekit: {
    packages: ['@sveltejs/kit@2', '@sveltejs/adapter-node@5', '@sveltejs/vite-plugin-svelte@6', 'svelte@5', 'vite@7'],
    files: {
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node'\nexport default { kit: { adapter: adapter() } }`,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite'\nexport default { plugins: [sveltekit()] }`,
      'src/app.html': '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/routes/+page.svelte': '<p>hello</p>',
    },
    build: ['vite', 'build'],
    serve: ['-i', '2', 'build/index.js'],
    pm2: ['build/index.js', '-i', '2'],
    speaks: 'http',
    /** It listens on a Unix socket, of which a new instance removes the file. */
    socketVariable: 'SOCKET_PATH',
  },
  ws: {
    ...shared,
    packages: ['ws@8'],
    files: {
      'app.mjs': `import { WebSocketServer } from 'ws'
${httpServer}const sockets = new WebSocketServer({ server })
${closing(`server.close(() => process.exit(0)); for (const client of sockets.clients) client.close(1001)`)}`,
    },
    lasting: 'ws',
  },
  'socket.io': {
    ...shared,
    packages: ['socket.io@4', 'socket.io-client@4'],
    files: {
      'app.mjs': `import { Server } from 'socket.io'
${httpServer}const io = new Server(server)
${closing('void io.close(() => process.exit(0))')}`,
    },
    lasting: 'socket.io',
  },
  h2c: {
    packages: [],
    files: { 'app.mjs': `import { createServer } from 'node:http2'\ncreateServer(${hello}).listen(process.env.PORT)` },
    serve: ['-i', '2', '--health', '/', 'app.mjs'],
    pm2: ['app.mjs', '-i', '2'],
    speaks: 'h2c',
  },
  h2: {
    packages: [],
    files: {
      'app.mjs': `import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
const [key, cert] = ${JSON.stringify([certificate('key'), certificate('cert')])}.map((path) => readFileSync(path))
createSecureServer({ key, cert, allowHTTP1: true }, ${hello}).listen(process.env.PORT)`,
    },
    serve: ['-i', '2', '--health', '/', 'app.mjs'],
    pm2: ['app.mjs', '-i', '2'],
    speaks: 'h2',
  },
  worker: {
    packages: [],
    files: { 'app.mjs': `${child}setInterval(() => {}, 1000)` },
    serve: ['--portless', 'app.mjs'],
    pm2: ['app.mjs'],
  },
  'npm script': {
    packages: [],
    files: { 'app.mjs': `${child}setInterval(() => {}, 1000)` },
    scripts: { start: 'node app.mjs' },
    serve: ['--', 'npm', 'start'],
    pm2: ['npm', '--', 'start'],
  },
  python: {
    packages: [],
    files: { 'app.py': 'import subprocess, time\nsubprocess.Popen(["sleep", "1000"])\nwhile True: time.sleep(1)' },
    serve: ['--interpreter', 'python3', 'app.py'],
    pm2: ['app.py', '--interpreter', 'python3'],
  },
  job: {
    packages: [],
    files: { 'job.sh': 'date >> ran\nsleep 1000' },
    serve: ['--restart', 'never', '--cron', '* * * * *', '--', 'sh', 'job.sh'],
    pm2: ['job.sh', '--interpreter', 'sh', '--cron-restart', '* * * * *', '--no-autorestart'],
    /** It writes there when it runs. */
    leaves: 'ran',
  },
} // prettier-ignore
