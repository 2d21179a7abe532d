// A handler of Fastify that becomes asynchronous gives its reply back where it has answered by it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf } from './change-of.js'

const files = (body) => ({
  'package.json': '{"type":"module","dependencies":{"fastify":"5"}}',
  'render.js': "export function render(n) {\n  return 'x'.repeat(n)\n}\n",
  'server.js': `import Fastify from 'fastify'
import { render } from './render.js'

const app = Fastify()
${body}
app.listen({ port: process.env.PORT })
`,
})
const linesAfter = (body) => {
  const { files: changed, refused } = changeOf(files(body), 'render.js render')
  assert.equal(refused, undefined)
  return /const app = Fastify\(\)\n(?:app\.addHook.*\n)?([^]*)\napp\.listen/.exec(changed['server.js'])[1]
}

const cases = {
  'that sends last': [
    `app.get('/', (request, reply) => {\n  const text = render(1)\n  reply.header('a', 'b')\n  reply.code(200).send(text)\n})`,
    `app.get('/', async (request, reply) => {\n  const text = await pool.tasks.render(1)\n  reply.header('a', 'b')\n  return reply.code(200).send(text)\n})`,
  ],
  'that sends, and goes on': [
    `app.get('/', (request, reply) => {\n  reply.send(render(1));\n  console.log('done');\n})`,
    `app.get('/', async (request, reply) => {\n  reply.send(await pool.tasks.render(1));\n  console.log('done');\n  return reply;\n})`,
  ],
  'that returns nothing in between': [
    `app.get('/', (request, reply) => {\n  if (!request.query.n) {\n    reply.code(400).send('n?')\n    return\n  }\n  reply.send(render(1))\n})`,
    `app.get('/', async (request, reply) => {\n  if (!request.query.n) {\n    reply.code(400).send('n?')\n    return reply\n  }\n  return reply.send(await pool.tasks.render(1))\n})`,
  ],
  'that returns what it gives': [
    `app.get('/', (request, reply) => {\n  reply.header('a', 'b')\n  return render(1)\n})`,
    `app.get('/', async (request, reply) => {\n  reply.header('a', 'b')\n  return await pool.tasks.render(1)\n})`,
  ],
  'that is an expression': [
    `app.get('/', (request, reply) => reply.send(render(1)))`,
    `app.get('/', async (request, reply) => reply.send(await pool.tasks.render(1)))`,
  ],
  'that has a name': [
    `function home(request, reply) {\n  reply.send(render(1))\n}\napp.get('/', home)`,
    `async function home(request, reply) {\n  return reply.send(await pool.tasks.render(1))\n}\napp.get('/', home)`,
  ],
  'that is given twice': [
    `function home(request, reply) {\n  reply.send(render(1))\n}\napp.get('/', home)\napp.get('/b', home)`,
    `async function home(request, reply) {\n  return reply.send(await pool.tasks.render(1))\n}\napp.get('/', home)\napp.get('/b', home)`,
  ],
  'that answers by a helper, later': [
    `app.get('/', (request, reply) => {\n  const text = render(1)\n  query((rows) => respond(reply, rows, text))\n})`,
    `app.get('/', async (request, reply) => {\n  const text = await pool.tasks.render(1)\n  query((rows) => respond(reply, rows, text))\n  return reply\n})`,
  ],
  'that is a hook, and passes': [
    `const hook = 'preHandler'\napp.addHook(hook, (request, reply) => {\n  reply.header('a', render(1))\n})`,
    `const hook = 'preHandler'\napp.addHook(hook, async (request, reply) => {\n  reply.header('a', await pool.tasks.render(1))\n})`,
  ],
  'of a route object': [
    `app.route({ method: 'GET', url: '/', handler(request, reply) {\n  reply.send(render(1))\n} })`,
    `app.route({ method: 'GET', url: '/', async handler(request, reply) {\n  return reply.send(await pool.tasks.render(1))\n} })`,
  ],
}

for (const [what, [before, after]] of Object.entries(cases))
  test(`a handler ${what}`, () => assert.equal(linesAfter(before), after))

test('a hook with a callback is refused, also by its name', () => {
  const body = `function check(request, reply, done) {\n  reply.header('a', render(1))\n  done()\n}\napp.addHook('preHandler', check)`
  assert.match(changeOf(files(body), 'render.js render').refused, /may take no promise|takes no promise/)
})
