// A version that is not good never takes a request, and the one before it goes on serving.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, test } from 'node:test'
import { freePort } from '../helpers/free-port.js'
import { serve } from '../../dist/cluster.js'
import { loadThatRuns, program, service, textOf } from '../helpers/services.js'

const limit = { timeout: 120_000 }
const healthy = (status) =>
  program('bad')
    .replace("'/pid'", "'/health'")
    .replace('response.end(String', `response.writeHead(${status}).end(String`)

const bad = {
  'throws when it is loaded': [`throw new Error('broken')`, {}, /it ended with exit code 1/],
  'is not JavaScript': [`listen to me`, {}, /it ended with exit code 1/],
  'never listens': [`setInterval(() => {}, 1000)`, { readyTimeout: 6000 }, /did not listen within 6000 ms/],
  'ends by itself without listening': [`process.exit(0)`, {}, /it ended with exit code 0/],
  'never says that it is ready': [
    program('bad'),
    { waitReady: true, readyTimeout: 10_000 },
    /did not call process\.send/,
  ],
  'fails its health check': [healthy(503), { health: '/health', readyTimeout: 10_000 }, /status 503/],
  'does not answer its health check': [
    `import { createServer } from 'node:http'
     createServer(() => {}).listen(Number(process.env.PORT), '127.0.0.1')`,
    { health: '/health', readyTimeout: 4500 }, // after 5 s the health check itself says that it got none
    /health check \/health gave no answer/,
  ],
}

describe('a new version that', () => {
  for (const [title, [text, options, reason]] of Object.entries(bad)) {
    test(title, limit, async (t) => {
      const good = program(
        'good',
        options.waitReady ? "server.on('listening', () => process.send('ready'))" : '',
      )
      const { service: server, url, rewrite } = await service(t, good, options)
      const pids = server.status().instances.map(({ pid }) => pid)
      rewrite(text)
      const load = await loadThatRuns(url, { connections: 4, rate: 200 }) // more would take the CPU from the new version
      const seen = new Set()
      const looking = setInterval(() => void textOf(url).then((word) => seen.add(word)), 20)
      await assert.rejects(server.reload(), (error) => {
        assert.equal(error.code, 'TW_ERR_INSTANCE_FAILED')
        assert.match(error.message, reason)
        assert.match(error.message, /0 of 2 instances were replaced; the others go on serving/)
        return true
      })
      clearInterval(looking)
      const { errors, messages } = await load.stop()
      assert.deepEqual([errors, messages], [0, {}])
      seen.add(await textOf(url))
      assert.deepEqual([...seen], ['good'])
      assert.deepEqual(server.status().instances.map(({ pid }) => pid), pids) // prettier-ignore
      assert.equal(server.status().state, 'serving')
      assert.match(server.status().lastProblem, reason)
      rewrite(good)
      await server.reload()
    })
  }
})

test(
  'a first version that is not good is an error of serve(), and leaves nothing behind',
  limit,
  async (t) => {
    const { service: other, rewrite } = await service(t, program('good'), { instances: 1 })
    rewrite(`throw new Error('broken')`)
    await assert.rejects(serve(other.file, { instances: 2 }), { code: 'TW_ERR_INSTANCE_FAILED' })
    assert.equal(other.status().state, 'serving')
  },
)

test('an instance that gets healthy later takes requests from then on', limit, async (t) => {
  const text = `
    import { createServer } from 'node:http'
    let asked = 0
    let wasListening = false
    const server = createServer((request, response) => {
      if (request.url === '/health') response.writeHead(++asked > 2 && wasListening ? 204 : 503).end()
      else response.end(asked > 2 ? 'healthy' : 'too early')
    })
    server.listen(Number(process.env.PORT), '127.0.0.1', () => {
      wasListening = server.address().port === Number(process.env.PORT)
    })`
  const { url } = await service(t, text, { health: '/health' })
  assert.equal(await textOf(url), 'healthy')
})

test('a port that is taken is an error, whatever it waits for', limit, async (t) => {
  const port = await freePort()
  const taken = createServer().listen(port, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const env = { PORT: String(port) }
  // The app gets the error of its listen(), and says more on its standard error.
  const expected = { code: 'TW_ERR_INSTANCE_FAILED', message: /ended with exit code 1/ }
  for (const options of [{ health: '/' }, { waitReady: true }, {}])
    await assert.rejects(service(t, program('a'), { env, ...options }), expected)
})
