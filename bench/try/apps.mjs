// Apps of known answer for `doctor --try`: each has one slow function, `work`, and a light page /health.
//
//   patch     a senior engineer would move it: a patch is right, and one that is offered has to hold
//   refused   a trap: no patch, and a refusal that says these words
//   loses     it can move, and moving gains nothing: no patch

/** About 25 ms of computing. */
const WORK = `export function work(seed) {
  let sum = seed
  for (let i = 0; i < 6e6; i++) sum = (sum * 31 + i) % 1000003
  return 'sum ' + sum
}
`
const WORK_CJS = `'use strict';\n\n${WORK.replace('export function', 'function')
  .replaceAll(/(?<=[^{}\n])\n/g, ';\n')
  .replace('{;', '{')
  .replaceAll('};', '}')}\nmodule.exports = { work };\n`

const express = (body, more = '') => `import express from 'express'
import { work } from './work.js'
${more}
const app = express()
${body}
app.get('/health', (req, res) => res.send('ok'))
app.listen(process.env.PORT)
`
const esm = (body, more) => ({ 'work.js': WORK, 'server.js': express(body, more) })
const ofExpress = (body, more) => ({ files: esm(body, more), packages: ['express'] })
const page = (expression) => `app.get('/report', (req, res) => res.send(${expression}))`

const right = {
  'express-5': ofExpress(page('work(1)')),
  'express-4': {
    packages: ['express@4'],
    files: {
      'package.json': '{"private":true}',
      'work.js': WORK_CJS,
      'server.js': `'use strict';
const express = require('express');
const { work } = require('./work');

const app = express();
app.get('/report', function (req, res) {
  res.send(work(1));
});
app.get('/health', (req, res) => res.send('ok'));
app.listen(process.env.PORT);
`,
    },
  },
  fastify: {
    packages: ['fastify'],
    files: {
      'work.js': WORK,
      'server.js': `import Fastify from 'fastify'
import { work } from './work.js'

const app = Fastify()
app.get('/report', () => work(1))
app.get('/sent', (request, reply) => {
  reply.send(work(2))
})
app.get('/health', () => 'ok')
await app.listen({ port: Number(process.env.PORT) })
`,
    },
  },
  koa: {
    packages: ['koa'],
    files: {
      'work.js': WORK,
      'server.js': `import Koa from 'koa'
import { work } from './work.js'

const app = new Koa()
app.use((ctx) => {
  ctx.body = ctx.path === '/health' ? 'ok' : work(1)
})
app.listen(process.env.PORT)
`,
    },
  },
  hono: {
    packages: ['hono', '@hono/node-server'],
    files: {
      'work.js': WORK,
      'server.js': `import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { work } from './work.js'

const app = new Hono()
app.get('/report', (c) => c.text(work(1)))
app.get('/health', (c) => c.text('ok'))
serve({ fetch: app.fetch, port: Number(process.env.PORT) })
`,
    },
  },
  'node-http': {
    packages: [],
    files: {
      'server.js': `import { createServer } from 'node:http'

const LIMIT = 6e6

// Computes.
function work(seed) {
  let sum = seed
  for (let i = 0; i < LIMIT; i++) sum = (sum * 31 + i) % 1000003
  return 'sum ' + sum
}

const server = createServer((req, res) => {
  if (req.url === '/health') return res.end('ok')
  res.end(work(1))
})
server.listen(process.env.PORT)
process.on('SIGTERM', () => server.close())
`,
    },
  },
  typescript: {
    packages: ['express', 'tsx'],
    command: ['npx', 'tsx', 'server.ts'],
    files: {
      'work.ts': WORK.replace('(seed)', '(seed: number): string'),
      'server.ts': express(page('page(1)'), 'const page = (seed: number): string => `<p>${work(seed)}</p>`'),
    },
  },
  'typescript-own-file': {
    packages: ['express', 'tsx'],
    command: ['npx', 'tsx', 'server.ts'],
    files: {
      'server.ts': `import express from 'express';

interface Job {
  seed: number;
}

const app = express();

/** Computes. */
function work({ seed }: Job): string {
  let sum = seed;
  for (let i = 0; i < 6e6; i++) sum = (sum * 31 + i) % 1000003;
  return 'sum ' + sum;
}

app.get('/report', (req, res) => {
  res.send(work({ seed: 1 }));
});
app.get('/health', (req, res) => {
  res.send('ok');
});
app.listen(process.env.PORT);
`,
    },
  },
  loop: ofExpress(`app.get('/report', (req, res) => {
  const all = []
  for (const seed of [1, 2]) all.push(work(seed))
  res.send(all.join())
})`),
  map: ofExpress(page(`[1, 2].map((seed) => work(seed)).join()`)),
  conditional: ofExpress(page(`req.query.no ? 'no' : work(1)`)),
  template: ofExpress(page('`<b>${work(1)}</b>`')),
  'optional-chaining': ofExpress(page('work(1)?.toUpperCase()')),
  'two-files': {
    packages: ['express'],
    files: {
      'work.js': WORK,
      'page.js': "import { work } from './work.js'\n\nexport const page = (seed) => `<p>${work(seed)}</p>`\n",
      'server.js': express(page('page(1)')).replace("{ work } from './work.js'", "{ page } from './page.js'"),
    },
  },
  'class-method': ofExpress(
    page('reports.page(1)'),
    `
class Reports {
  page(seed) {
    return '<p>' + work(seed) + '</p>'
  }
}
const reports = new Reports()`,
  ),
  state: ofExpress(`let count = 0
app.get('/report', (req, res) => {
  count += 1
  const html = work(1)
  count -= 1
  res.send(html)
})`),
}

const traps = {
  getter: [
    ofExpress(page('new Page().html'), 'class Page {\n  get html() {\n    return work(1)\n  }\n}'),
    /getter/,
  ],
  constructor: [ofExpress(page('new Page().html'), 'class Page {\n  constructor() {\n    this.html = work(1)\n  }\n}'), /constructor/], // prettier-ignore
  'sort-callback': [ofExpress(page('[3, 1].sort((a, b) => work(a).length - work(b).length).join()')), /sort/],
  iterator: [
    ofExpress(page('[...rows()].join()'), 'function* rows() {\n  yield work(1)\n}'),
    /generator|iterator/,
  ],
  'to-json': [ofExpress(`app.get('/report', (req, res) => res.json({ toJSON: () => work(1) }))`), /toJSON|language/], // prettier-ignore
  listener: [ofExpress(`app.get('/report', (req, res) => {\n  res.on('finish', () => work(1))\n  res.send('done')\n})`), /listener/], // prettier-ignore
  escapes: [ofExpress(page(`table[req.query.name ?? 'work'](1)`), 'const table = { work }'), /value/],
}

const loses = {
  'large-copies': {
    packages: ['express'],
    files: {
      'work.js': `export function work(rows) {\n  let sum = 0\n  for (const row of rows) sum += row.price\n  return 'sum ' + sum\n}\n`,
      'server.js': express(
        page('work(rows)'),
        `\nconst rows = Array.from({ length: 60000 }, (_, i) => ({ name: 'item ' + i, price: i }))`,
      ),
    },
  },
}

const named = (apps, expected) => Object.entries(apps).map(([name, app]) => ({ name, expected, ...app }))

export const apps = [
  ...named(right, 'patch'),
  ...Object.entries(traps).map(([name, [app, says]]) => ({ name, expected: 'refused', says, ...app })),
  ...named(loses, 'loses'),
]
