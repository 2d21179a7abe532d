// Instances that hang, hold too much memory or have answered enough requests are replaced: the new one first.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { freePort } from '../helpers/free-port.js'
import { serveCommand } from '../helpers/serve-command.js'
import { keptConnection, loadThatRuns, program, service, textOf } from '../helpers/services.js'
import { nextTurn } from '../helpers/waiting.js'

const limit = { timeout: 90_000 }
const isRenewing = ({ type }) => type === 'renewing'
const isGone = ({ type }) => type === 'gone'

const withPath = (path, code) =>
  program('hello').replace('if (', `if (request.url === '/${path}') { ${code} } else if (`)
// Not without end: should the test fail, its process must not run on.
const endless =
  withPath('loop', 'spin()') +
  '\nfunction spin() { const end = Date.now() + 20_000; while (Date.now() < end); }'

test(
  'an endless loop: another instance serves first, then the one that hangs is killed',
  limit,
  async (t) => {
    const {
      service: server,
      url,
      seen,
      events,
    } = await service(t, endless, { hangTimeout: 2000, instances: 1 })
    const [victim] = server.status().instances
    const [renewing, gone] = [seen(isRenewing), seen(isGone)]
    const lost = fetch(`${url}loop`).catch(() => 'lost')
    const { pid, limit: reached, found } = await renewing
    assert.deepEqual([pid, reached, found], [victim.pid, 'hangTimeout', 'no answer within 2000 ms'])
    assert.deepEqual(await gone.then(({ how, wasWanted }) => [how, wasWanted]), ['by SIGKILL', true])
    assert.equal(await lost, 'lost')
    const order = events.map(({ type }) => type)
    assert.ok(order.lastIndexOf('ready') < order.indexOf('gone'), order.join())
    assert.equal(await textOf(url), 'hello')
    const { crashes, renewals, instances } = server.status()
    assert.deepEqual([crashes, renewals, instances.length], [0, 1, 1])
  },
)

test('the stack of the loop is written', limit, async (t) => {
  const { said, url, path } = await serveCommand(t, {
    text: endless,
    args: ['--hang-timeout', '2500'],
    instances: 1,
  })
  // Without a new instance the old one is not killed, however long it takes to write.
  writeFileSync(path, 'await new Promise((resolve) => setTimeout(resolve, 20_000))')
  void fetch(`${url}loop`).catch(() => {})
  // Two processes write, in whatever order.
  await said(/is to be replaced: no answer within 2500 ms \(hangTimeout\)/)
  await said(/process \d+ does not answer; it is in\n {4}at spin \(file:\S+server\.mjs:\d+:\d+\)\n {4}at /)
})

test('idle and busy instances that answer are left alone', limit, async (t) => {
  const { service: server, url, events } = await service(t, withPath('block', 'const end = Date.now() + 300; while (Date.now() < end); response.end()'), { hangTimeout: 4000 }) // prettier-ignore
  for (let i = 0; i < 4; i++) await textOf(`${url}block`)
  await new Promise((resolve) => setTimeout(resolve, 6500))
  assert.deepEqual(events.filter(isRenewing), [])
  assert.equal(server.status().renewals, 0)
})

/** Its first instance blocks for longer than the limit when asked for /block; the next one listens when that one runs again. */
const recovering = (block) => `
  import { existsSync, writeFileSync } from 'node:fs'
  const mark = (name) => new URL(name, import.meta.url)
  while (existsSync(mark('blocked')) && !existsSync(mark('recovered')))
    await new Promise((resolve) => setTimeout(resolve, 20))
  ${withPath(
    'block',
    `writeFileSync(mark('blocked'), '')
    ${block}
    // By then it has answered the primary, too.
    setTimeout(() => writeFileSync(mark('recovered'), ''), 300)
    response.end('late')`,
  )}`

for (const [where, block] of [
  ['in a loop', 'const end = Date.now() + 3000; while (Date.now() < end);'],
  ['in native code', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000)'],
]) {
  test(`one that hangs ${where}, and recovers, is let end as in a reload`, limit, async (t) => {
    const { url, seen } = await service(t, recovering(block), { hangTimeout: 600, instances: 1 })
    const gone = seen(isGone)
    assert.equal(await textOf(`${url}block`), 'late')
    assert.equal((await gone).how, 'by SIGTERM')
  })
}

test('a primary that stalls does not make its idle instances hang', limit, async (t) => {
  const text = program('hello', 'server.keepAliveTimeout = 60_000') // longer than it is silent
  const { child, ended, url } = await serveCommand(t, {
    text,
    args: ['--hang-timeout', '3000'],
    instances: 1,
  })
  const connection = keptConnection(t, url)
  const { body: before } = await connection.get('/pid')
  await new Promise((resolve) => setTimeout(resolve, 500))
  child.kill('SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 4500)) // longer than the limit, which the instance watches by itself
  const answered = connection.get('/pid')
  const late = new Promise((resolve) => setTimeout(resolve, 3000, { body: 'no answer' }))
  const { body } = await Promise.race([answered, late])
  await new Promise((resolve) => setTimeout(resolve, 500)) // in which it would say that it hung
  child.kill('SIGCONT')
  assert.equal(body, before)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  child.kill('SIGTERM')
  assert.doesNotMatch((await ended).stderr, /does not answer|is to be replaced/)
})

test('a primary that was blocked asks again before it replaces an instance', limit, async (t) => {
  const { service: server, events } = await service(t, program('hello'), { hangTimeout: 3000, instances: 1 })
  const [{ pid }] = server.status().instances
  process.kill(pid, 'SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 1600)) // it is asked after half the limit at the latest
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000)
  await new Promise((resolve) => setTimeout(resolve, 200)) // by now the first question is given up
  assert.deepEqual(events.filter(isRenewing), [])
  process.kill(pid, 'SIGCONT')
  await new Promise((resolve) => setTimeout(resolve, 1000))
  assert.deepEqual(events.filter(isRenewing), [])
})

test('maxRequests: under load no request fails', limit, async (t) => {
  const { service: server, url, seen } = await service(t, program('hello'), { maxRequests: 1000 })
  const load = await loadThatRuns(url, { connections: 16 })
  const { limit: reached, found } = await seen(isRenewing)
  assert.equal(reached, 'maxRequests')
  assert.ok(parseInt(found) >= 1000 && parseInt(found) <= 1100, found)
  await seen(isGone)
  const { errorsByKind, messages } = await load.stop()
  assert.deepEqual(errorsByKind, { connect: 0, timeout: 0, reset: 0, protocol: 0 }, JSON.stringify(messages))
  while (server.status().renewals < 1) await nextTurn() // the event comes first
  assert.equal(server.status().crashes, 0)
})

test('maxMemory: replaced, once it is ten seconds old', limit, async (t) => {
  const text = withPath('grow', "globalThis.held = Buffer.alloc(200 * 1024 ** 2, 1); response.end('grown')")
  const { service: server, url, seen } = await service(t, text, { maxMemory: '180m', instances: 1 })
  const renewing = seen(isRenewing)
  const gone = seen(isGone)
  assert.equal(await textOf(`${url}grow`), 'grown')
  const { limit: reached, found } = await renewing
  assert.equal(reached, 'maxMemory')
  assert.match(found, /^2\d\d MB$/)
  assert.equal((await gone).how, 'by SIGTERM')
  assert.equal(await textOf(url), 'hello')
  assert.equal(server.status().instances.length, 1)
})

test('a new one that does not become ready: the old one goes on', limit, async (t) => {
  const {
    service: server,
    url,
    rewrite,
    seen,
  } = await service(t, program('hello'), { maxRequests: 3, instances: 1 })
  rewrite('process.exit(4)')
  const gone = seen(isGone)
  for (let i = 0; i < 5; i++) await textOf(url)
  await gone
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal(await textOf(url), 'hello')
  const { state, renewals, lastProblem } = server.status()
  assert.deepEqual([state, renewals], ['serving', 0])
  assert.match(lastProblem, /exit code 4/)
})

const isFailing = ({ instances }) => instances.some(({ state }) => state === 'failing')

test('an instance that closes its server and runs on is replaced', limit, async (t) => {
  const text = withPath('close', `response.end('closed'); server.close(); server.closeAllConnections()`)
  const { service: server, url, seen } = await service(t, `${text}\nsetInterval(() => {}, 1000)`)
  const [renewing, gone] = [seen(isRenewing), seen(isGone)]
  await fetch(`${url}close`).catch(() => {})
  assert.deepEqual(await renewing.then(({ limit: reached, found }) => [reached, found]), ['listening', 'it closed its server']) // prettier-ignore
  await gone
  for (let i = 0; i < 4; i++) assert.equal(await textOf(url), 'hello')
  const { renewals, crashes, lastProblem } = server.status()
  assert.deepEqual([renewals, crashes], [1, 0])
  assert.match(lastProblem, /is to be replaced: it closed its server \(listening\)/)
})

test('all instances close their servers: others serve', limit, async (t) => {
  const closing = `process.on('SIGUSR1', () => { server.close(); server.closeAllConnections() })`
  const { service: server, url, seen } = await service(t, program('hello', closing), { instances: 1 })
  const gone = seen(isGone)
  process.kill(server.status().instances[0].pid, 'SIGUSR1')
  await gone
  assert.equal(await textOf(url), 'hello')
})

test(
  'an instance that closes one of its servers is replaced, though another one listens',
  limit,
  async (t) => {
    const port = await freePort()
    const metrics = `
    const metrics = createServer((_, response) => response.end('metrics')).listen(${port}, '127.0.0.1')
    process.on('SIGUSR1', () => { server.close(); server.closeAllConnections() })`
    const { service: server, url, seen } = await service(t, program('hello', metrics), { instances: 1 })
    await new Promise((resolve) => setTimeout(resolve, 1100)) // it was there for more than a moment
    const [renewing, gone] = [seen(isRenewing), seen(isGone)]
    process.kill(server.status().instances[0].pid, 'SIGUSR1')
    const { limit: reached, found } = await renewing
    assert.deepEqual([reached, found], ['listening', `it closed its server on 127.0.0.1, port ${new URL(url).port}`]) // prettier-ignore
    await gone
    assert.deepEqual([await textOf(url), await textOf(`http://127.0.0.1:${port}/`)], ['hello', 'metrics'])
  },
)

test('a server that was only there to find a free port may go', limit, async (t) => {
  const probe = withPath('probe', `createServer().listen(0, function () { this.close(() => response.end('free')) })`) // prettier-ignore
  const { service: server, url, events } = await service(t, probe, { instances: 1 })
  assert.equal(await textOf(`${url}probe`), 'free')
  await new Promise((resolve) => setTimeout(resolve, 1500)) // longer than a closed server is waited for
  assert.deepEqual(events.filter(isRenewing), [])
  assert.equal(server.status().state, 'serving')
})

test('one that listens again at once is left alone', limit, async (t) => {
  const again = `response.end('again'); server.close(() => server.listen(Number(process.env.PORT), '127.0.0.1')); server.closeIdleConnections()`
  const { service: server, url, events } = await service(t, withPath('again', again), { instances: 1 })
  await fetch(`${url}again`, { headers: { connection: 'close' } })
  await new Promise((resolve) => setTimeout(resolve, 1500)) // longer than a closed server is waited for
  assert.deepEqual(events.filter(isRenewing), [])
  assert.equal(server.status().state, 'serving')
})

const withHealth = `
  let isHealthy = true
  process.on('SIGUSR1', () => (isHealthy = false))
  server.prependListener('request', (request, response) => {
    if (request.url !== '/health') return
    response.statusCode = isHealthy ? 200 : 503
  })`

test('an instance whose health turns bad is replaced when it has failed often enough', limit, async (t) => {
  const options = { health: '/health', healthInterval: 3000, healthThreshold: 2, instances: 2 }
  const { service: server, url, seen } = await service(t, program('hello', withHealth), options)
  const [renewing, gone] = [seen(isRenewing), seen(isGone)]
  const { pid } = server.status().instances[0]
  process.kill(pid, 'SIGUSR1')
  const { limit: reached, found } = await renewing
  assert.deepEqual([reached, found], ['health', '/health: it answered with status 503, 2 times in a row'])
  assert.equal((await gone).pid, pid)
  assert.equal(await textOf(url), 'hello')
  assert.equal(server.status().renewals, 1)
})

test(
  'where the new one is not healthy either the old one goes on, and the service says that it is degraded',
  limit,
  async (t) => {
    const options = {
      health: '/health',
      healthInterval: 500,
      healthThreshold: 1,
      instances: 1,
    }
    const { service: server, url, seen, rewrite } = await service(t, program('hello', withHealth), options)
    rewrite(program('hello', withHealth.replace('isHealthy = true', 'isHealthy = false')))
    const renewing = seen(isRenewing)
    process.kill(server.status().instances[0].pid, 'SIGUSR1')
    await renewing
    assert.equal(isFailing(server.status()), true)
    assert.equal(server.status().state, 'degraded')
    assert.equal(await textOf(url), 'hello')
  },
)
