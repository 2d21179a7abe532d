// What a change writes, where it may, and what is refused with its place.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeOf } from './change-of.js'

const RENDER = `export function render(n) {
  return 'x'.repeat(n)
}
`
const EXPRESS = { 'node_modules/express/package.json': '{"version":"5.1.0"}' }
const server = (body) => `import express from 'express'
import { render } from './render.js'

const app = express()
${body}
app.listen(process.env.PORT)
`

/** Of an app of Express 5 whose server has these lines. */
function linesAfter(body, more = {}) {
  const found = changeOf({ ...EXPRESS, 'render.js': RENDER, 'server.js': server(body), ...more }, 'render.js render') // prettier-ignore
  assert.equal(found.refused, undefined, found.refused)
  const text = found.files['server.js']
  return { ...found, lines: text.slice(text.indexOf('express()') + 10, text.indexOf('\napp.listen')) }
}

const written = {
  'a handler': [
    `app.get('/', (req, res) => res.send(render(1)))`,
    `app.get('/', async (req, res) => res.send(await pool.tasks.render(1)))`,
  ],
  'an asynchronous handler': [
    `app.get('/', async (req, res) => res.send(render(1)))`,
    `app.get('/', async (req, res) => res.send(await pool.tasks.render(1)))`,
  ],
  'a loop': [
    `app.get('/', function (req, res) { let all = ''; for (const n of [1, 2]) all += render(n); res.send(all) })`,
    `app.get('/', async function (req, res) { let all = ''; for (const n of [1, 2]) all += await pool.tasks.render(n); res.send(all) })`,
  ],
  'a conditional expression': [
    `app.get('/', (req, res) => res.send(req.query.n ? render(1) : 'no'))`,
    `app.get('/', async (req, res) => res.send(req.query.n ? await pool.tasks.render(1) : 'no'))`,
  ],
  'a template literal': [
    'app.get("/", (req, res) => res.send(`<b>${render(1)}</b>`))',
    'app.get("/", async (req, res) => res.send(`<b>${await pool.tasks.render(1)}</b>`))',
  ],
  'optional chaining behind it': [
    `app.get('/', (req, res) => res.send(render(1)?.trim()))`,
    `app.get('/', async (req, res) => res.send((await pool.tasks.render(1))?.trim()))`,
  ],
  'a power': [
    `app.get('/', (req, res) => res.json(render(1) ** 2))`,
    `app.get('/', async (req, res) => res.json((await pool.tasks.render(1)) ** 2))`,
  ],
  'a callback of map': [
    `app.get('/', (req, res) => res.send([1, 2].map((n) => render(n)).join()))`,
    `app.get('/', async (req, res) => res.send((await Promise.all([1, 2].map((n) => pool.tasks.render(n)))).join()))`,
  ],
  'a callback of map with more': [
    `app.get('/', (req, res) => res.send([1, 2].map((n) => render(n).trim())))`,
    `app.get('/', async (req, res) => res.send(await Promise.all([1, 2].map(async (n) => (await pool.tasks.render(n)).trim()))))`,
  ],
  'map of the function itself': [
    `app.get('/', (req, res) => res.send([1, 2].map(render)))`,
    `app.get('/', async (req, res) => res.send(await Promise.all([1, 2].map((n) => pool.tasks.render(n)))))`,
  ],
  'a function in between': [
    `const page = (n) => render(n) + '!'\napp.get('/', (req, res) => res.send(page(1)))`,
    `const page = async (n) => await pool.tasks.render(n) + '!'\napp.get('/', async (req, res) => res.send(await page(1)))`,
  ],
  'a handler with a name': [
    `function home(req, res) { res.send(render(1)) }\napp.get('/', home)`,
    `async function home(req, res) { res.send(await pool.tasks.render(1)) }\napp.get('/', home)`,
  ],
  'a method': [
    `class Pages { page(n) { return render(n) + '!' } }\nconst pages = new Pages()\napp.get('/', (req, res) => res.send(pages.page(1)))`,
    `class Pages { async page(n) { return await pool.tasks.render(n) + '!' } }\nconst pages = new Pages()\napp.get('/', async (req, res) => res.send(await pages.page(1)))`,
  ],
  'a callback of then': [
    `app.get('/', (req, res) => fetch('x').then((r) => res.send(render(r.status))))`,
    `app.get('/', (req, res) => fetch('x').then(async (r) => res.send(await pool.tasks.render(r.status))))`,
  ],
  'Promise.all around it': [
    `app.get('/', async (req, res) => res.send(await Promise.all([render(1), 2])))`,
    `app.get('/', async (req, res) => res.send(await Promise.all([pool.tasks.render(1), 2])))`,
  ],
}

describe('is written', () => {
  for (const [title, [before, after]] of Object.entries(written))
    test(title, () => assert.equal(linesAfter(before).lines, after))
})

const refused = {
  'a getter': [`class Page { get html() { return render(1) } }`, 'the getter html'],
  'a constructor': [`class Page { constructor() { this.html = render(1) } }`, 'a constructor'],
  'a generator': [`function* rows() { yield render(1) }`, 'the iterator rows'],
  toJSON: [`app.get('/', (req, res) => res.json({ toJSON() { return render(1) } }))`, 'toJSON'],
  'a sort callback': [`app.get('/', (req, res) => res.json([1, 2].sort((a, b) => render(a).length - b)))`, 'a sort callback'], // prettier-ignore
  'a callback of filter': [`app.get('/', (req, res) => res.json([1].filter((n) => render(n))))`, 'a callback of filter'], // prettier-ignore
  'a callback of forEach': [`app.get('/', (req, res) => { [1].forEach((n) => render(n)); res.end() })`, 'a callback of forEach'], // prettier-ignore
  'a listener': [
    `app.post('/', (req, res) => req.on('end', () => res.send(render(1))))`,
    'an event listener',
  ],
  'a value': [`const table = { render }\napp.get('/', (req, res) => res.send(table.render(1)))`, 'handed on as a value'], // prettier-ignore
  'a call with a function': [`app.get('/', (req, res) => res.send(render(() => 1)))`, 'is given a function'],
  'a call with a request': [`app.get('/', (req, res) => res.send(render(req)))`, 'is given req'],
  'a default of a parameter': [`app.get('/', (req, res, x = render(1)) => res.json(x))`, 'the parameters'],
  'a field of a class': [`class Page { html = render(1) }`, 'while a class or an object of it is made'],
  'a callback of map that changes something': [`let total = 0\napp.get('/', (req, res) => res.json([1].map((n) => { total += n; return render(n) })))`, 'changes `total`'], // prettier-ignore
  'a shared sum': [`let total = 0\napp.get('/', (req, res) => { total += render(1).length; res.json(total) })`, 'something that others may change meanwhile'], // prettier-ignore
  'a method of an object that may be any': [`class Pages { page(n) { return render(n) } }\nconst all = JSON.parse('[]')\napp.get('/', (req, res) => res.send(all[0].page(1)))`, 'something that may be its object'], // prettier-ignore
  'what a function unknown to us calls': [`setInterval(() => render(1), 1000)`, 'given to setInterval'],
  'the middle of optional chaining': [`const pages = { render }\napp.get('/', (req, res) => res.send(pages?.render(1).trim()))`, 'value'], // prettier-ignore
}

describe('is refused', () => {
  for (const [title, [body, reason]] of Object.entries(refused))
    test(title, () => {
      const found = changeOf(
        { ...EXPRESS, 'render.js': RENDER, 'server.js': server(body) },
        'render.js render',
      )
      assert.ok(found.refused?.includes(reason), `${found.refused ?? 'it is written'}`)
      assert.match(found.place, /^server\.js:[5-9]$/)
    })
})

test('a file that a compiler has written is refused, with what to do', () => {
  const compiled = `"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.render = (n) => 'x'.repeat(n);
`
  const main = `const { render } = require('./render.js')\nrequire('node:http').createServer((req, res) => res.end(render(1))).listen(0)\n`
  const { refused } = changeOf({ 'package.json': '{}', 'render.js': compiled, 'server.js': main }, 'render.js render') // prettier-ignore
  assert.match(refused, /^a compiler has written its file: build with source maps \(tsc: "sourceMap": true\)/)
})

test('so is one where tsc writes to, unless that is the whole folder', () => {
  const found = (outDir) =>
    changeOf(
      {
        ...EXPRESS,
        'tsconfig.json': `{ "compilerOptions": { "outDir": "${outDir}", }, } // as people write it`,
        'dist/render.js': RENDER,
        'dist/server.js': server(`app.get('/', (req, res) => res.send(render(1)))`),
      },
      'dist/render.js render',
    )
  assert.match(found('./dist').refused, /^a compiler has written its file/)
  for (const outDir of ['build', '.']) assert.equal(found(outDir).refused, undefined)
})

describe('the tasks', () => {
  test('are passed on from a file that does nothing but declare', () => {
    const { files } = linesAfter(`app.get('/', (req, res) => res.send(render(1)))`)
    assert.deepEqual(Object.keys(files).sort(), ['pool.js', 'render.tasks.js', 'server.js'])
    assert.equal(files['render.tasks.js'], `export { render } from './render.js'\n`)
    assert.match(
      files['pool.js'],
      /^export const pool = threads\(new URL\('\.\/render\.tasks\.js', import\.meta\.url\)\)$/m,
    )
  })

  test('move out of a file that does more, with what only they use', () => {
    const own = `import { createServer } from 'node:http'
import { money } from './money.js'

const TAX = 1.2

// Renders.
function render(n) {
  return money(n * TAX)
}

createServer((req, res) => {
  res.end(render(1))
}).listen(process.env.PORT)
`
    const { files } = changeOf({ 'server.js': own, 'money.js': 'export const money = (n) => `${n} EUR`\n' }, 'server.js render') // prettier-ignore
    assert.equal(
      files['server.tasks.js'],
      `import { money } from './money.js'

const TAX = 1.2

// Renders.
export function render(n) {
  return money(n * TAX)
}
`,
    )
    assert.equal(
      files['server.js'],
      `import { createServer } from 'node:http'
import { pool } from './pool.js'

createServer(async (req, res) => {
  res.end(await pool.tasks.render(1))
}).listen(process.env.PORT)
`,
    )
  })

  test('give back what both sides use', () => {
    const own = `import { createServer } from 'node:http'
const TAX = 1.2
const render = (n) => String(n * TAX)
createServer((req, res) => res.end(render(1) + TAX)).listen(1)
`
    const { files } = changeOf({ 'server.js': own }, 'server.js render')
    assert.match(files['server.tasks.js'], /^export const TAX = 1\.2$/m)
    assert.match(files['server.js'], /^import \{ TAX \} from '\.\/server\.tasks\.js'$/m)
  })

  test('do not move with what changes', () => {
    const own = `import { createServer } from 'node:http'
let rate = 1
const render = (n) => String(n * rate)
createServer((req, res) => { rate = 2; res.end(render(1)) }).listen(1)
`
    assert.match(changeOf({ 'server.js': own }, 'server.js render').refused, /rate/)
  })

  test('of two files are one module for the pool', () => {
    const body = `app.get('/', (req, res) => res.send(render(1) + other(2)))`
    const files = {
      ...{ ...EXPRESS, 'render.js': RENDER, 'other.js': 'export const other = (n) => n * 2\n' },
      'server.js': server(body).replace("'./render.js'", "'./render.js'\nimport { other } from './other.js'"),
    }
    const found = changeOf(files, 'render.js render', 'other.js other')
    assert.equal(found.files['tasks.js'], `export { render } from './render.tasks.js'\nexport { other } from './other.tasks.js'\n`) // prettier-ignore
    assert.match(found.files['server.js'], /await pool\.tasks\.render\(1\) \+ await pool\.tasks\.other\(2\)/)
  })
})

test('through imports each file has its await', () => {
  const { files } = changeOf(
    {
      ...EXPRESS,
      'render.js': RENDER,
      'page.js': `import { render } from './render.js'\nexport const page = (n) => \`<p>\${render(n)}</p>\`\n`,
      'server.js': `import express from 'express'\nimport { page } from './page.js'\nconst app = express()\napp.get('/', (req, res) => res.send(page(1)))\napp.listen(1)\n`,
    },
    'render.js render',
  )
  assert.match(
    files['page.js'],
    /export const page = async \(n\) => `<p>\$\{await pool\.tasks\.render\(n\)\}<\/p>`/,
  )
  assert.match(files['server.js'], /async \(req, res\) => res\.send\(await page\(1\)\)/)
})

test('CommonJS stays CommonJS, and Express 4 gets what passes errors on', () => {
  const { files } = changeOf(
    {
      'package.json': '{}',
      'node_modules/express/package.json': '{"version":"4.21.0"}',
      'render.js': `'use strict';\nfunction render(n) { return 'x'.repeat(n); }\nmodule.exports = { render };\n`,
      'server.js': `const express = require('express');\nconst { render } = require('./render');\nconst app = express();\napp.get('/', (req, res) => res.send(render(1)));\napp.listen(1);\n`,
    },
    'render.js render',
  )
  assert.equal(files['render.tasks.js'], `exports.render = require('./render').render;\n`)
  assert.match(files['pool.js'], /exports\.pool = threads\(join\(__dirname, 'render\.tasks\.js'\)\);/)
  assert.match(
    files['server.js'],
    /passErrors\(async \(req, res\) => res\.send\(await pool\.tasks\.render\(1\)\)\)/,
  )
  assert.match(files['pass-errors.js'], /handler\(req, res, next\)\.catch\(next\);/)
})

test('a module of CommonJS may be the function itself', () => {
  const { files } = changeOf(
    {
      ...{ ...EXPRESS, 'package.json': '{}', 'render.js': `module.exports = (n) => 'x'.repeat(n)\n` },
      'server.js': `const express = require('express')\nconst render = require('./render')\nconst app = express()\napp.get('/', (req, res) => res.send(render(1)))\n`,
    },
    'render.js exports',
  )
  assert.equal(files['render.tasks.js'], `exports.render = require('./render')\n`)
  assert.match(files['server.js'], /await pool\.tasks\.render\(1\)/)
})

test('TypeScript keeps its types, and says Promise where a function gives one', () => {
  const { files } = changeOf(
    {
      ...EXPRESS,
      'server.ts': `import express from 'express'
interface Row { n: number }
const app = express()
function render(rows: Row[]): string {
  return rows.map((row) => row.n).join()
}
const page = (rows: Row[]): string => render(rows).trim()
app.get('/', (req, res): void => { res.send(page([])) })
app.listen(1)
`,
    },
    'server.ts render',
  )
  assert.match(files['server.tasks.ts'], /^import type \{ Row \} from '\.\/server\.ts'$/m)
  assert.match(files['server.ts'], /^export interface Row/m)
  assert.match(files['server.ts'], /async \(rows: Row\[\]\): Promise<string> => \(await pool\.tasks\.render\(rows\)\)\.trim\(\)/) // prettier-ignore
  assert.match(files['server.ts'], /async \(req, res\): Promise<void> =>/)
  assert.match(files['pool.ts'], /threads<typeof Tasks>/)
})

const frameworks = {
  fastify: `import Fastify from 'fastify'\nimport { render } from './render.js'\nconst app = Fastify()\napp.get('/', { schema: {} }, (request, reply) => render(1))\n`,
  koa: `import Koa from 'koa'\nimport { render } from './render.js'\nconst app = new Koa()\napp.use((ctx) => { ctx.body = render(1) })\n`,
  hono: `import { Hono } from 'hono'\nimport { render } from './render.js'\nconst app = new Hono()\napp.get('/', (c) => c.html(render(1)))\n`,
}
for (const [name, text] of Object.entries(frameworks))
  test(`a handler of ${name} may wait`, () => {
    const { files } = changeOf({ 'render.js': RENDER, 'server.js': text }, 'render.js render')
    assert.match(files['server.js'], /async \(.*await pool\.tasks\.render\(1\)/)
  })

test('a controller of Nest waits for the service that its constructor is given', () => {
  const { files, notes } = changeOf(
    {
      'test/app.test.ts': `import { AppController } from '../app.controller';
const made = { get: (of: unknown) => of as AppController };
made.get(AppController).report().trim();
({ report: () => 1 }).report;
`,
      'test/other.test.ts': `({ report: () => 1 }).report();\n`,
      'package.json': '{}',
      'render.ts': `export function render(n: number): string {\n  return 'x'.repeat(n);\n}\n`,
      'report.service.ts': `import { Injectable } from '@nestjs/common';
import { render } from './render';

@Injectable()
export class ReportService {
  report(): string {
    return render(3) + '!';
  }
}
`,
      'app.controller.ts': `import { Controller, Get } from '@nestjs/common';
import { ReportService } from './report.service';

@Controller()
export class AppController {
  constructor(private readonly reports: ReportService) {}

  @Get('/report')
  report(): string {
    return this.reports.report();
  }
}
`,
    },
    'render.ts render',
  )
  assert.deepEqual(notes, [{ file: 'test/app.test.ts', line: 3, text: 'report is called here, too, and gives a promise now' }]) // prettier-ignore
  assert.match(files['app.controller.ts'], /async report\(\): Promise<string> \{\n {4}return await this\.reports\.report\(\);/) // prettier-ignore
  assert.match(files['report.service.ts'], /async report\(\): Promise<string> \{\n {4}return await pool\.tasks\.render\(3\) \+ '!';/) // prettier-ignore
  assert.match(files['pool.ts'], /new URL\('\.\/render\.tasks\.js', import\.meta\.url\)|join\(__dirname, 'render\.tasks\.js'\)/) // prettier-ignore
})

test('state on both sides of an await is said, with its line', () => {
  const { notes } = linesAfter(`let count = 0\napp.get('/', (req, res) => {\n  count++\n  const html = render(1)\n  count++\n  res.send(html)\n})`) // prettier-ignore
  assert.deepEqual(
    notes.map(({ file, line }) => `${file}:${line}`),
    ['server.js:8'],
  )
  assert.match(notes[0].text, /`count` is used before this call and changed after it/)
})

test('so is what is changed before an await and read after it, and not what is only read', () => {
  const { notes } = linesAfter(`let user = ''\nconst names = []\napp.get('/', (req, res) => {\n  user = req.query.user\n  if (names.length > 9) return\n  const html = render(1)\n  res.send(html + user + names.length)\n})`) // prettier-ignore
  assert.deepEqual(
    notes.map(({ text }) => text.slice(0, 60)),
    ['`user` is changed before this call and read after it, and ot'],
  )
})

test('a call at the start of the app stays as it is', () => {
  const { lines } = linesAfter(
    `const first = render(3)\napp.get('/', (req, res) => res.send(render(1) + first))`,
  )
  assert.match(lines, /^const first = render\(3\)$/m)
})

test('programs beside the app stay as they are, and have what they import', () => {
  const { files } = linesAfter(`app.get('/', (req, res) => res.send(render(1)))`, {
    'render.js': `console.log('loaded')\n${RENDER}`,
    'test/render.test.js': `import { render } from '../render.js'\nrender(1)\n`,
  })
  assert.match(files['render.js'], /^export \{ render \} from '\.\/render\.tasks\.js'$/m)
  assert.equal(files['test/render.test.js'], undefined)
})

test('the pool ends with a server that the app ends', () => {
  const { files } = changeOf({ ...EXPRESS, 'render.js': RENDER, 'server.js': server(`app.get('/', (req, res) => res.send(render(1)))`).replace('app.listen(process.env.PORT)', "const server = app.listen(1)\nprocess.on('SIGTERM', () => server.close())") }, 'render.js render') // prettier-ignore
  assert.match(files['server.js'], /^server\.on\('close', \(\) => pool\.close\(\)\)$/m)
})

test('the pool ends with an app of Fastify, by its hook', () => {
  const text = `import Fastify from 'fastify'\nimport { render } from './render.js'\nconst app = Fastify()\napp.get('/', () => render(1))\nprocess.on('SIGTERM', () => app.close())\n`
  const { files } = changeOf({ 'render.js': RENDER, 'server.js': text }, 'render.js render')
  assert.match(files['server.js'], /^app\.addHook\('onClose', \(\) => pool\.close\(\)\)$/m)
})
