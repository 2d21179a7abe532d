// Who gets something of the dashboard, and who may change something.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import { dashboardOf, fakeCollector, statusOf, TOKEN } from '../../../helpers/dashboard.js'

/** Gives { status, text, headers, json }. */
function ask(port, path, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (data) => (text += data))
      response.on('end', () => resolve({ status: response.statusCode, text, headers: response.headers, json: () => JSON.parse(text) })) // prettier-ignore
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

const two = () => [statusOf('web'), statusOf('api')]
const started = (t, options) => dashboardOf(t, fakeCollector({ services: two }).collector, options)
const own = `/${TOKEN}/`

describe('the address', () => {
  test('with the token gives the page, which loads nothing of others and runs no inline script', async (t) => {
    const { port } = await started(t)
    const { status, text, headers } = await ask(port, own)
    assert.equal(status, 200)
    assert.match(
      headers['content-security-policy'],
      /default-src 'none'; script-src 'self'; style-src 'self'/,
    )
    assert.match(headers['content-security-policy'], /require-trusted-types-for 'script'/)
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cache-control'], 'no-store')
    assert.doesNotMatch(text, /<script(?![^>]* src="app\.js")|style=|https?:/)
    for (const name of ['app.js', 'app.css']) assert.equal((await ask(port, own + name)).status, 200)
  })

  for (const path of [
    '/',
    '/metrics',
    '/x/',
    `/${TOKEN}`,
    `/${TOKEN}x/`,
    `/${TOKEN.slice(1)}/`,
    '//',
    '/%2e%2e/',
    `/${TOKEN}/../../etc/passwd`,
    `/${TOKEN}/none`,
  ])
    // prettier-ignore
    test(`gives nothing at ${path.replaceAll(TOKEN, 'TOKEN')}`, async (t) => {
      const { port } = await started(t)
      const { status, text } = await ask(port, path)
      assert.equal(status, 404)
      assert.doesNotMatch(text, /web|api/)
    })

  test('may hold the token as a header in its place', async (t) => {
    const { port } = await started(t)
    const { status, text } = await ask(port, '/metrics', { headers: { authorization: `Bearer ${TOKEN}` } })
    assert.equal(status, 200)
    assert.match(text, /threadwise_service_wanted\{service="web"\} 2\n/)
    assert.match(text, /threadwise_service_cpu_budget\{service="api"\} [\d.]+\n/)
    const wrong = await ask(port, '/metrics', { headers: { authorization: `Bearer ${TOKEN}x` } })
    assert.equal(wrong.status, 404)
  })
})

describe('other pages', () => {
  const cases = {
    'by a name of their own that leads here': [{ host: 'evil.example' }, 421],
    'by such a name with our port': [{ host: 'evil.example:80' }, 421],
    'by a name that begins like ours': [{ host: 'localhost.evil.example' }, 421],
    'by the address of this machine': [{ host: '192.168.0.1:3000' }, 421],
    'with their origin': [{ origin: 'http://evil.example' }, 403],
    'with the origin of another port': [{ origin: 'http://127.0.0.1:1' }, 403],
    'with no origin that can be told': [{ origin: 'null' }, 403],
    'of another site, as the browser says': [{ 'sec-fetch-site': 'cross-site' }, 403],
    'of another port of this host, as the browser says': [{ 'sec-fetch-site': 'same-site' }, 403],
  }
  for (const [title, [headers, code]] of Object.entries(cases))
    test(`get nothing ${title}`, async (t) => {
      const { port } = await started(t)
      assert.equal((await ask(port, own, { headers })).status, code)
    })

  test('a tunnel has a port of its own', async (t) => {
    const { port } = await started(t)
    const headers = { host: 'localhost:9090', origin: 'http://localhost:9090' }
    assert.equal((await ask(port, own, { headers })).status, 200)
  })
})

describe('a change', () => {
  const post = ({ port, admission }, path, value, more = {}) =>
    ask(port, own + path, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', origin: `http://127.0.0.1:${port}` },
        ...{ host: `127.0.0.1:${port}`, 'x-threadwise-page': String(admission.pageToken), ...more },
      },
      body: typeof value === 'string' ? value : JSON.stringify(value),
    })
  const stop = { type: 'stop', service: 'no-such-service' }

  test('is asked for first, and its permit is good once', async (t) => {
    const dashboard = await started(t)
    const { permit, question } = (await post(dashboard, 'permits', stop)).json()
    assert.match(question, /^Stop no-such-service\?/)
    const done = await post(dashboard, 'changes', { permit })
    assert.equal(done.status, 200)
    assert.match(done.json().text, /No service named "no-such-service" runs .*\[TW_ERR_SERVICE_NOT_FOUND\]/)
    assert.equal((await post(dashboard, 'changes', { permit })).status, 403)
  })

  test('is refused without a permit, with a wrong one, and with one that is no text', async (t) => {
    const dashboard = await started(t)
    for (const value of [{}, { permit: 'x' }, { permit: null }, { permit: ['x'] }, [], 'null', '5'])
      assert.equal((await post(dashboard, 'changes', value)).status, 403, JSON.stringify(value))
  })

  test('is refused without the second token, which is in no address', async (t) => {
    const dashboard = await started(t)
    for (const token of ['', 'x', TOKEN])
      assert.equal((await post(dashboard, 'permits', stop, { 'x-threadwise-page': token })).status, 403)
  })

  test('is refused from another origin, and from none', async (t) => {
    const dashboard = await started(t)
    assert.equal((await post(dashboard, 'permits', stop, { origin: 'http://evil.example' })).status, 403)
    const { port, admission } = dashboard
    const headers = { 'content-type': 'application/json', 'x-threadwise-page': admission.pageToken }
    const silent = await ask(port, `${own}permits`, { method: 'POST', headers, body: JSON.stringify(stop) })
    assert.equal(silent.status, 403)
  })

  test('is refused where it is not possible: its type, names and numbers are checked', async (t) => {
    const dashboard = await started(t)
    const wrong = [
      ...[{}, { type: 'eval' }, { type: '__proto__' }, { type: ['stop'], service: 'web' }, { type: 'stop' }],
      ...[
        { type: 'stop', service: '../web' },
        { type: 'stop', service: { length: 1 } },
      ],
      ...[
        { type: 'scale', service: 'web', instances: 1e9 },
        { type: 'scale', service: 'web', instances: '2' },
      ],
      { type: 'resize', pid: -1, pool: 'a', min: 1, max: 1 },
      { type: 'resize', pid: 1, pool: 'a', min: 1, max: Infinity },
    ]
    for (const value of wrong) {
      const { status, json } = await post(dashboard, 'permits', value)
      assert.equal(status, 400, JSON.stringify(value))
      assert.equal(json().ok, false)
    }
    for (const text of ['', '{', '1'.repeat(20_000)]) assert.equal((await post(dashboard, 'permits', text)).status, 400) // prettier-ignore
    assert.equal((await post(dashboard, 'permits', stop, { 'content-type': 'text/plain' })).status, 400)
  })

  test('is never made with --read-only', async (t) => {
    const dashboard = await started(t, { isReadOnly: true })
    assert.match((await ask(dashboard.port, own)).text, /name="page-token" content=""/)
    for (const token of ['', 'null']) {
      const { status, text } = await post(dashboard, 'permits', stop, { 'x-threadwise-page': token })
      assert.equal(status, 403)
      assert.match(text, /--read-only/)
    }
  })

  test('is made by POST alone', async (t) => {
    const { port } = await started(t)
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'HEAD'])
      assert.equal((await ask(port, `${own}changes`, { method })).status, 405)
    assert.equal((await ask(port, `${own}changes`)).status, 404)
  })
})

describe('streams', () => {
  const open = (port, path) =>
    new Promise((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', path, agent: false }, resolve)
      asked.on('error', reject)
      asked.end()
    })

  test('of which there may be 32; one that ends makes room for another', async (t) => {
    const { collector } = fakeCollector({ services: two })
    const { port } = await dashboardOf(t, collector)
    const all = await Promise.all(Array.from({ length: 40 }, () => open(port, `${own}stream`)))
    t.after(() => all.forEach((each) => each.destroy()))
    assert.equal(all.filter(({ statusCode }) => statusCode === 200).length, 32)
    assert.equal(all.filter(({ statusCode }) => statusCode === 503).length, 8)
    all.find(({ statusCode }) => statusCode === 200).destroy()
    let next
    do next = await open(port, `${own}stream`)
    while (next.statusCode === 503)
    assert.equal(next.statusCode, 200)
    next.destroy()
  })

  test('make the collector look; when the last one ends nothing is looked at any more', async (t) => {
    const { collector, asked } = fakeCollector({ services: two })
    const { port } = await dashboardOf(t, collector)
    await ask(port, own)
    assert.deepEqual(asked, [])
    const stream = await open(port, `${own}stream?service=web`)
    const text = await new Promise((resolve) => {
      let all = ''
      stream.setEncoding('utf8').on('data', (data) => {
        all += data
        if (/event: tick\n.*\n\n/.test(all)) resolve(all)
      })
    })
    const [, tick] = /event: tick\ndata: (.*)\n/.exec(text)
    const { services, chosen } = JSON.parse(tick)
    assert.deepEqual(services.map(({ name, serving }) => [name, serving]), [['web', 2], ['api', 2]]) // prettier-ignore
    assert.equal(chosen.name, 'web')
    assert.equal(chosen.log, null)
    assert.deepEqual(asked, ['inspect'])
    stream.destroy()
    while (collector.isWatched) await new Promise((resolve) => setImmediate(resolve))
  })
})
