// What the instances measure of themselves: inspect(), status and --prometheus.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { test } from 'node:test'
import { blockade, blocks } from '../helpers/blocking.js'
import { serveCommand } from '../helpers/serve-command.js'
import { loadsOf, program, service, textOf } from '../helpers/services.js'
import { askUntil } from '../helpers/waiting.js'

const limit = { timeout: 60_000 }
/** No request to /slow ends by itself within a test. */
const busy = program('hello')
  .replace(
    'if (',
    `if (request.url === '/fail') { response.statusCode = 500; response.end() }
     else if (request.url === '/spin') { const end = Date.now() + 300; while (Date.now() < end); response.end() }
     else if (`,
  )
  .replace('400', '60_000')

test('requests, errors, latency, the delay of the event loop, CPU and memory', limit, async (t) => {
  const { service: server, url } = await service(t, busy, { instances: 1 })
  assert.equal(server.status().instances[0].load, null)
  const [before] = await loadsOf(server)
  assert.deepEqual([before.requests, before.errors, before.open, before.p50, before.loopDelay], [0, 0, 0, null, null]) // prettier-ignore
  for (let i = 0; i < 20; i++) await textOf(url)
  await textOf(`${url}fail`)
  await textOf(`${url}spin`)
  void textOf(`${url}slow`).catch(() => {})
  const [load] = await loadsOf(server, ([{ open }]) => open === 1)
  assert.deepEqual([load.requests, load.errors, load.open], [22, 1, 1])
  assert.ok(load.p50 < 100 && load.p99 >= 290 && load.p99 < 3000, JSON.stringify(load))
  assert.ok(load.loopDelay >= 200 && load.loopDelay < 3000, JSON.stringify(load))
  assert.ok(load.perSecond > 0.5 && load.cpu > 0 && load.cpuMs > 20, JSON.stringify(load))
  assert.ok(load.rss > load.heapUsed && load.heapUsed > 1e6 && load.totalMs >= 300)
  assert.equal(load.within[10_000], 22)
  assert.ok(load.within[250] <= 21)
})

test('a request that is broken off is an error; the health check is no request', limit, async (t) => {
  const { service: server, url } = await service(t, busy, { instances: 1, health: '/' })
  const end = new AbortController()
  const broken = fetch(`${url}slow`, { signal: end.signal }).catch(() => 'broken')
  await loadsOf(server, ([{ open }]) => open === 1)
  end.abort()
  assert.equal(await broken, 'broken')
  const [load] = await loadsOf(server, ([{ requests }]) => requests > 0)
  assert.deepEqual([load.requests, load.errors, load.open], [1, 1, 0])
})

test('requests of HTTP/2 count, each once', limit, async (t) => {
  const text = `
    import { createServer } from 'node:http2'
    createServer((request, response) => response.end('two')).listen(Number(process.env.PORT), '127.0.0.1')`
  const { service: server, url } = await service(t, text, { instances: 1 })
  const session = connect(url)
  for (let i = 0; i < 3; i++) {
    const stream = session.request({ ':path': '/' }).resume()
    await once(stream, 'close')
  }
  session.close()
  const [load] = await loadsOf(server, ([{ open }]) => open === 0)
  assert.deepEqual([load.requests, load.errors, load.open], [3, 0, 0])
})

test('an instance that is blocked does not answer, and holds up nothing', limit, async (t) => {
  const { env, blocked, release } = blockade(t)
  const { service: server, url } = await service(t, program('hello', blocks), { env })
  const answer = textOf(`${url}block`)
  await blocked()
  const isFree = ({ load }) => load !== null
  const { instances } = await askUntil(() => server.inspect(), ({ instances }) => instances.some(isFree)) // prettier-ignore
  assert.equal(instances.filter(isFree).length, 1)
  release()
  assert.equal(await answer, 'hello')
  assert.equal((await loadsOf(server)).length, 2)
})

test(
  'status shows it; --prometheus is text for a scraper',
  { ...limit, skip: process.platform === 'win32' },
  async (t) => {
    // prettier-ignore
    const { run, url } = await serveCommand(t, { args: ['--name', 'web'] })
    for (let i = 0; i < 4; i++) await textOf(url)
    // An instance that is held up for a second reports no load.
    const shown = (isWhole, ...flags) =>
      askUntil(async () => (await run('status', 'web', ...flags)).stdout, isWhole)
    const row = /serving +\d+ s +\d+\.\d +\S+ ms +\S+ ms +0 +2 +0 +\S+ ms +\d+ % +\d+ MB\n/
    const table = await shown((text) => row.test(text))
    assert.match(
      table,
      /INSTANCE +PID +STATE +UP +REQ\/S +P50 +P99 +OPEN +REQUESTS +ERRORS +LOOP +CPU +MEMORY/,
    )
    const loadsIn = (json) => JSON.parse(json).instances.map(({ load }) => load)
    const json = await shown((json) => !loadsIn(json).includes(null), '--json')
    assert.deepEqual(loadsIn(json).map(({ requests }) => requests), [2, 2]) // prettier-ignore
    const bucket =
      /^threadwise_instance_request_duration_seconds_bucket\{service="web",instance_id="\d",le="\+Inf"\} 2$/m
    const text = await shown((text) => bucket.test(text), '--prometheus')
    assert.match(text, /^threadwise_service_serving\{service="web"\} 2$/m)
    const both = await run('status', 'web', '--prometheus', '--json')
    assert.equal(both.code, 2)
  },
)
