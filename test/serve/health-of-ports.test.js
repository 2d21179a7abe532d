// Several servers in one instance: which of them is asked for its health, and which ports are told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../helpers/free-port.js'
import { service, textOf } from '../helpers/services.js'
import { serve } from '../../dist/cluster.js'

const limit = { timeout: 60_000 }

/** A side server listens first, and answers with this status. */
const withSide = (side, main = 200) => `
  import { createServer } from 'node:http'
  const answering = (status) => createServer((_, response) => response.writeHead(status).end(String(status)))
  answering(${side}).listen(Number(process.env.SIDE), '127.0.0.1', () => {
    setTimeout(() => answering(${main}).listen(Number(process.env.PORT), '127.0.0.1'), 300)
  })`

async function started(t, text, options) {
  const side = await freePort()
  return {
    side,
    ...(await service(t, text, {
      instances: 1,
      readyTimeout: 3000,
      ...options,
      env: { SIDE: String(side) },
    })),
  }
}

for (const status of [404, 301, 401]) {
  test(
    `a side server that answers ${status} first does not keep the main one from being ready`,
    limit,
    async (t) => {
      const { url } = await started(t, withSide(status), { health: '/health' })
      assert.equal(await textOf(url), '200')
    },
  )
}

test('one that answers 200 to all does not hide a main server that answers 500', limit, async (t) => {
  const { service: running, rewrite, url } = await started(t, withSide(404), { health: '/health' })
  rewrite(withSide(200, 500).replace('setTimeout(() =>', '(').replace(', 300)', ')'))
  await assert.rejects(running.reload(), /did not succeed \(port \d+: it answered with status 200; port \d+: it answered with status 500\)/) // prettier-ignore
  assert.equal(await textOf(url), '200', 'the old one serves')
})

test('a check with a port waits for the server there, and asks that alone', limit, async (t) => {
  const port = await freePort()
  const side = await freePort()
  const env = { PORT: String(port), SIDE: String(side) }
  const { url, rewrite, service: running } = await service(t, withSide(200), { instances: 1, health: `:${port}/health`, readyTimeout: 3000, env }) // prettier-ignore
  void url
  assert.equal(await textOf(`http://127.0.0.1:${port}/`), '200', 'it is up when it serves')
  rewrite(withSide(500))
  await running.reload()
  rewrite(withSide(200, 503))
  await assert.rejects(running.reload(), /status 503/)
})

test('of a list each must succeed; a port on which nothing listens is named', limit, async (t) => {
  const { side, port, service: running, rewrite } = await started(t, withSide(200))
  void running
  rewrite(withSide(200))
  const options = (health) => ({ instances: 1, readyTimeout: 1500, health, env: { PORT: String(port + 1000), SIDE: String(side + 1000) } }) // prettier-ignore
  await assert.rejects(
    serve(running.file, options([`:${side + 1000}/`, ':1/health'])),
    /it has no HTTP server on port 1/,
  )
  const both = await serve(running.file, options([`:${side + 1000}/`, `:${port + 1000}/`]))
  assert.equal(both.status().state, 'serving')
  assert.equal(both.status().ports.length, 2)
  await both.stop()
})

test('a port that comes after all serve is told', limit, async (t) => {
  const text = withSide(200).replace(', 300)', ', 1000)')
  const side = await freePort()
  const events = []
  const { service: running } = await service(t, text, { instances: 1, env: { SIDE: String(side) }, onEvent: (event) => events.push(event) }) // prettier-ignore
  assert.deepEqual(running.status().ports, [`127.0.0.1, port ${side}`])
  while (!events.some(({ text: said }) => /From now on it listens on 127\.0\.0\.1, port \d+ too/.test(said ?? ''))) await new Promise((resolve) => setTimeout(resolve, 50)) // prettier-ignore
  assert.equal(running.status().ports.length, 2)
})

for (const health of ['health', ':0/x', ':70000/x', ':3000', [], [5], '/a b', ':x/y']) {
  test(`health: ${JSON.stringify(health)} is refused`, async () => {
    await assert.rejects(serve(new URL(import.meta.url), { health }), { code: 'TW_ERR_INVALID_OPTION' })
  })
}

test(
  'a server that asks for any port is told with the one that it has got, also a new one',
  { timeout: 90_000 },
  async (t) => {
    const text = `import { createServer } from 'node:http'\ncreateServer((_, response) => response.end('any')).listen(0, '127.0.0.1')`
    const { service: running, seen } = await service(t, text, { instances: 2 })
    const [place, ...others] = running.status().ports
    const [, port] = /^127\.0\.0\.1, port ([1-9]\d*)$/.exec(place)
    assert.deepEqual(others, [])
    assert.equal(await textOf(`http://127.0.0.1:${port}/`), 'any')
    await running.reload()
    assert.deepEqual(running.status().ports, [place], 'it stays, as long as one listens')
    const moved = seen(({ text: said }) => /^From now on it listens on 127\.0\.0\.1, port \d+\.$/.test(said))
    for (const { pid } of running.status().instances) process.kill(pid, 'SIGKILL')
    await moved
    const [now] = running.status().ports
    assert.equal(await textOf(`http://127.0.0.1:${/\d+$/.exec(now)[0]}/`), 'any')
  },
)
