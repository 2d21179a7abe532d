// The health check speaks what the server speaks: HTTP/2 with and without TLS, also where HTTP/1 is allowed beside it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixture } from '../helpers/program.js'
import { loadsOf, service } from '../helpers/services.js'

const limit = { timeout: 60_000 }
const tls = `{ key: readFileSync(${JSON.stringify(fixture('load/key.pem'))}), cert: readFileSync(${JSON.stringify(fixture('load/cert.pem'))})`

for (const [name, create] of [
  ['h2c', 'createServer()'],
  ['h2', `createSecureServer(${tls} })`],
  ['h2 with HTTP/1', `createSecureServer(${tls}, allowHTTP1: true })`],
]) {
  test(`${name}: ready when healthy, and not when it is not`, limit, async (t) => {
    const text = (status) => `import { createServer, createSecureServer } from 'node:http2'
      import { readFileSync } from 'node:fs'
      const server = ${create}
      server.on('request', (request, response) => {
        response.writeHead(request.url === '/health' ? ${status} : 404)
        response.end()
      })
      server.listen(Number(process.env.PORT), '127.0.0.1')`
    const options = { instances: 1, health: '/health' }
    const { service: server, rewrite } = await service(t, text(200), options)
    const [{ requests }] = await loadsOf(server)
    assert.equal(requests, 0, 'the check is not counted')
    await server.reload()
    rewrite(text(503))
    const late = await service(t, text(503), { ...options, readyTimeout: 10_000 }).catch((error) => error)
    assert.match(late.message, /its health check \/health did not succeed \(it answered with status 503\)/)
  })
}
