// What rests on the inside of Node says so where a version has it no more.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { reusePortProblem } from '../../build/serve/contract/reuse-port.js'
import { createDrain } from '../../build/serve/instance/drain.js'
import { program, service, textOf } from '../helpers/services.js'

const limit = { timeout: 60_000 }

test(
  'no place to hold back a server: an error for what needs it, and nothing for the rest',
  limit,
  async (t) => {
    // As if it had another name: node:net still finds it, and our code, which asks for it itself, does not.
    const fake = `import cluster from 'node:cluster'
    const hidden = cluster._getServer
    Object.defineProperty(cluster, '_getServer', { get: () => new Error().stack.split('\\n')[2].includes('threadwise:') ? undefined : hidden })`
    const env = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(fake)}"` }
    if (!reusePortProblem())
      await assert.rejects(service(t, program('hello'), { env, reusePort: true }), (error) => {
        assert.equal(error.code, 'TW_ERR_INSTANCE_FAILED')
        assert.match(error.message, /Node v\d+.* cannot hold back a server that listens, as reusePort needs/)
        return true
      })
    const { service: server, url } = await service(t, program('hello'), { env, health: '/' })
    await server.reload()
    assert.equal(await textOf(url), 'hello')
  },
)

test('a server whose handle has another name is closed as a whole', () => {
  let closed = 0
  const server = Object.assign(new EventEmitter(), { close: () => closed++ })
  createDrain({ all: () => [{ server }] }, 1000).leave()
  assert.equal(closed, 1)
})
