// Changes of a service that meet each other: stop, reload and scale while something else is under way.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { freePort } from '../helpers/free-port.js'
import { serve } from '../../dist/cluster.js'
import { resolveServeOptions } from '../../build/serve/contract/resolve-options.js'
import { Service } from '../../build/serve/service/service.js'
import { collectGarbage } from '../helpers/collect-garbage.js'
import { temporaryFolder } from '../helpers/files.js'
import { program, service, textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 90_000 }

test('stop while a reload drains the last instance leaves none behind', limit, async (t) => {
  const { service: server, url, seen } = await service(t, program('v'), { instances: 1, grace: 3000 })
  const late = await fetch(`${url}late`)
  const draining = seen(({ type }) => type === 'draining')
  const reload = assert.rejects(server.reload(), { code: 'TW_ERR_SERVICE_STOPPED' })
  await draining
  await server.stop()
  await reload
  assert.equal(await late.text(), 'v')
  await sleep(500) // longer than an instance takes to start
  assert.deepEqual(server.status().instances, [])
  await assert.rejects(textOf(url))
})

const slowStart = `await new Promise((resolve) => setTimeout(resolve, 700));${program('slow')}`

/** A service that is starting. */
async function startingService(t, instances, text = slowStart) {
  const file = join(temporaryFolder(t), 'slow.mjs')
  writeFileSync(file, text)
  const env = { PORT: String(await freePort()) }
  const server = new Service(resolveServeOptions(file, { instances, env, grace: 1000 }))
  t.after(() => server.kill())
  return { server, started: server.start() }
}

test('scale and reload while it starts come after the start', limit, async (t) => {
  const { server, started } = await startingService(t, 3)
  await sleep(200)
  const changes = [server.reload(), server.scale(1)]
  await Promise.all([started, ...changes])
  const { wanted, reloads, instances } = server.status()
  assert.deepEqual([wanted, reloads, instances.length], [1, 1, 1])
  assert.ok(instances[0].id > 3, 'it is a new one')
})

test('stop while it starts leaves none behind', limit, async (t) => {
  const { server, started } = await startingService(t, 2, 'setInterval(() => {}, 1000)')
  const rejected = assert.rejects(started, { code: 'TW_ERR_SERVICE_STOPPED' })
  await sleep(200)
  await server.stop()
  await rejected
  assert.deepEqual(server.status().instances, [])
})

test('the figures of an instance leave nothing behind in the primary', limit, async (t) => {
  const { service: server } = await service(t, program('v'), { instances: 1 })
  const heapAfter = async (count) => {
    for (let i = 0; i < count; i++) await server.inspect()
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = await heapAfter(500)
  const after = await heapAfter(3000)
  assert.ok(after - before < 3000 * 300, `${(after - before) / 3000} bytes each`)
})

/** One server at once, the other later. */
const twoServers = (word, ports) => `
  import { createServer } from 'node:http'
  createServer((request, response) => response.end('metrics')).listen(${ports[0]}, '127.0.0.1')
  const answer = (request, response) => response.setHeader('instance', process.pid).end('${word}')
  setTimeout(() => createServer(answer).listen(${ports[1]}, '127.0.0.1'), 700)`

test(
  'reload waits for all servers of a file, and refuses a version that does not have them',
  limit,
  async (t) => {
    const ports = [await freePort(), await freePort()]
    const file = join(temporaryFolder(t), 'two.mjs')
    writeFileSync(file, twoServers('one', ports))
    const server = await serve(file, { instances: 2, grace: 1000, readyTimeout: 10_000 })
    t.after(() => server.kill())
    const url = `http://127.0.0.1:${ports[1]}/`
    const serving = new Set()
    await waitUntil(async () => {
      const answer = await fetch(url, { headers: { connection: 'close' } }).catch(() => null)
      if (answer?.ok) serving.add(answer.headers.get('instance'))
      return serving.size === 2
    }, 'both listen on both')
    const seen = new Set()
    let isOver = false
    const asking = (async () => {
      while (!isOver) seen.add(await textOf(url).catch(({ code }) => code))
    })()
    writeFileSync(file, twoServers('two', ports))
    await server.reload()
    isOver = true
    await asking
    assert.deepEqual([...seen].sort(), ['one', 'two'])
    writeFileSync(file, twoServers('three', [ports[0], await freePort()]))
    await assert.rejects(server.reload(), {
      code: 'TW_ERR_INSTANCE_FAILED',
      message: new RegExp(`does not listen on 127\\.0\\.0\\.1, port ${ports[1]}, as the one before it does`),
    })
    assert.equal(await textOf(url), 'two')
  },
)

test('reload fails when a new instance ends soon after it is ready', limit, async (t) => {
  const { service: server, rewrite } = await service(t, program('good'), { grace: 1000 })
  // The first is gone long before the second one is ready.
  const slowly = 'await new Promise((resolve) => setTimeout(resolve, 1500))'
  const ends = "server.on('listening', () => setTimeout(() => process.exit(1), 50))"
  rewrite(program('bad', `${slowly}\n${ends}`))
  await assert.rejects(server.reload(), {
    code: 'TW_ERR_INSTANCE_FAILED',
    message: /it ended with exit code 1, soon after it was ready/,
  })
})
