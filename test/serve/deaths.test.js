// Instances that die are replaced, and only what was under way on them fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockade, blocks } from '../helpers/blocking.js'
import { loadThatRuns, program, service, textOf } from '../helpers/services.js'

const limit = { timeout: 90_000 }
const isReady = ({ type }) => type === 'ready'

test(
  'kill -9 of an instance under load: its requests fail, all others succeed, another one serves',
  limit,
  async (t) => {
    const { service: server, url, seen } = await service(t, program('hello'))
    const load = await loadThatRuns(url, { connections: 32 })
    const victim = server.status().instances[0]
    const [gone, ready] = [seen(({ type }) => type === 'gone'), seen(isReady)]
    process.kill(victim.pid, 'SIGKILL')
    assert.deepEqual(await gone.then(({ pid, how, wasWanted }) => [pid, how, wasWanted]), [
      victim.pid,
      'by SIGKILL',
      false,
    ])
    await ready
    const { errorsByKind, errors, requests } = await load.stop()
    // A connection has one request under way, and at most all 32 were on the one that died.
    assert.ok(errors <= 32, String(errors))
    assert.deepEqual([errorsByKind.timeout, errorsByKind.protocol], [0, 0])
    assert.ok(requests > 100)
    const { state, crashes, lastProblem, instances } = server.status()
    assert.deepEqual([state, crashes, instances.length], ['serving', 1, 2])
    assert.match(lastProblem, /ended by SIGKILL/)
  },
)

test('connections on their way to an instance that dies get an answer from another one', limit, async (t) => {
  const { env, blocked } = blockade(t)
  const { url, seen } = await service(t, program('hello', blocks), { env })
  // It takes the connection, and does not come to the next one that is given to it.
  const lost = fetch(`${url}block`).catch(() => 'failed')
  const busy = await blocked()
  const waiting = []
  for (let i = 0; i < 6; i++) {
    await new Promise((resolve) => setTimeout(resolve, 30))
    waiting.push(textOf(url))
  }
  const ready = seen(isReady)
  process.kill(busy, 'SIGKILL')
  assert.equal(await lost, 'failed')
  assert.deepEqual(await Promise.all(waiting), Array(6).fill('hello'))
  await ready
})

test('a service whose instances keep dying gives up, and says so', limit, async (t) => {
  const { service: server, rewrite, events } = await service(t, program('hello'), { instances: 1 })
  rewrite(`process.exit(7)`)
  process.kill(server.status().instances[0].pid, 'SIGKILL')
  await assert.rejects(server.ended, (error) => {
    assert.equal(error.code, 'TW_ERR_SERVICE_FAILED')
    assert.match(error.message, /10 instances in a row .* exit code 7/)
    return true
  })
  assert.equal(server.status().state, 'failed')
  const delays = events.filter(({ type }) => type === 'replacing').map(({ delayMs }) => delayMs)
  assert.deepEqual(delays.slice(0, 4), [0, 100, 200, 400])
  await assert.rejects(server.reload(), { code: 'TW_ERR_SERVICE_STOPPED' })
})

test('while another one serves, it goes on trying', limit, async (t) => {
  const { service: server, url, rewrite, seen } = await service(t, program('hello'))
  rewrite(`process.exit(1)`)
  const third = seen(({ type, unstable }) => type === 'replacing' && unstable === 3)
  process.kill(server.status().instances[0].pid, 'SIGKILL')
  await third
  assert.equal(server.status().state, 'degraded')
  assert.equal(await textOf(url), 'hello')
  const served = seen(isReady)
  rewrite(program('hello'))
  await served
  assert.equal(server.status().state, 'serving')
})

test('an old instance that dies while its successor starts is not replaced twice', limit, async (t) => {
  const { service: server, url, rewrite, seen } = await service(t, program('old'), { instances: 1 })
  rewrite(`await new Promise((resolve) => setTimeout(resolve, 600))\n${program('new')}`)
  const [victim] = server.status().instances
  const reloaded = server.reload()
  const gone = seen(({ type }) => type === 'gone')
  process.kill(victim.pid, 'SIGKILL')
  await gone
  await reloaded
  assert.equal(await textOf(url), 'new')
  assert.deepEqual(server.status().instances.map(({ state }) => state), ['serving']) // prettier-ignore
})

test('a reload starts at once what waits to be replaced', limit, async (t) => {
  const { service: server, url, rewrite, seen } = await service(t, program('hello'), { instances: 1 })
  rewrite(`process.exit(1)`)
  process.kill(server.status().instances[0].pid, 'SIGKILL')
  await seen(({ type, unstable }) => type === 'replacing' && unstable === 6)
  await assert.rejects(server.reload(), { code: 'TW_ERR_INSTANCE_FAILED' })
  rewrite(program('better'))
  await server.reload()
  assert.equal(await textOf(url), 'better')
  assert.equal(server.status().instances.length, 1)
})
