// What a load run counts, on servers that behave in all the ways that servers do.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { load } from '../../../../build/measure/load/load.js'
import { temporaryFolder } from '../../../helpers/files.js'
import { freePort } from '../../../helpers/free-port.js'
import { httpServer, listen, rawServer } from '../../../helpers/http-servers.js'
import { undisturbed } from '../../../helpers/undisturbed.js'

/** Most of each run is waiting. */
const atOnce = { concurrency: true }
const short = { duration: 0.5, warmup: 0, timeout: 5 }
/** How many requests a run sends at least. A closed loop starts with one in each place; what follows is up to the machine. */
const fewest = ({ rate, connections, pipelining = 1 }) => (rate ? 20 : connections * pipelining)
const plain = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'

/** A server that ends a connection when the request behind the last answer has come: the client cannot have seen the end before it sent that. */
function endsAfter(every, answer) {
  const requests = new WeakMap()
  return (socket) => {
    const count = (requests.get(socket) ?? 0) + 1
    requests.set(socket, count)
    if (count <= every) socket.write(answer)
    else if (count === every + 1) socket.end()
  }
}

describe('the counts are exact', atOnce, () => {
  for (const [title, options] of Object.entries({
    'closed loop': { connections: 4 },
    'closed loop with pipelining': { connections: 2, pipelining: 5 },
    'open loop': { rate: 200 },
    'open loop at random times': { rate: 200, poisson: true },
  })) {
    test(`${title}: the server has counted as many as were sent`, async (t) => {
      const { url, count } = await httpServer(t)
      const result = await load(url, { ...short, ...options })
      assert.ok(result.requests >= fewest(options))
      assert.deepEqual([result.requests, result.sent, result.errors], [count(), count(), 0])
      assert.deepEqual(result.statuses, { 200: count() })
    })

    test(`${title}: the warm-up does not count`, async (t) => {
      const { url, count } = await httpServer(t)
      const duration = options.rate ? 0.5 : 3 // so that a closed loop comes to its end, on a machine that stalls
      const { requests, sent } = await load(url, { ...short, duration, warmup: 0.5, ...options })
      assert.equal(sent, count())
      assert.ok(requests > 0 && requests < count(), `${requests} of ${count()}`)
      if (title === 'open loop') assert.deepEqual([requests, sent], [100, 200])
    })
  }

  test('each status has its count, and refusals are answers, not errors', async (t) => {
    const { url } = await httpServer(t, (_, response, number) => {
      response.statusCode = [200, 404, 503][number % 3]
      response.end()
    })
    const { requests, errors, statuses } = await load(url, { ...short, rate: 60 })
    assert.deepEqual([requests, errors, statuses], [30, 0, { 200: 10, 404: 10, 503: 10 }])
  })
})

describe('a server that ends connections', atOnce, () => {
  test('after each answer, and says so: every request is answered, on a connection of its own', async (t) => {
    const { url, count, connections } = await rawServer(t, (socket) => {
      socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi')
    })
    const options = { connections: 3 }
    const { requests, errors } = await load(url, { ...short, ...options })
    assert.ok(requests >= fewest(options))
    assert.deepEqual([requests, errors, connections()], [count(), 0, count()])
  })

  test('to end a body without a length', async (t) => {
    const { url, count } = await rawServer(t, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'))
    const { requests, errors } = await load(url, { ...short, rate: 40 })
    assert.deepEqual([requests, errors, count()], [20, 0, 20])
  })

  test('with requests behind the last answer: they are sent again', async (t) => {
    const answered = new WeakMap()
    const { url } = await rawServer(t, (socket) => {
      const number = (answered.get(socket) ?? 0) + 1
      answered.set(socket, number)
      if (number < 3) socket.write(plain)
      if (number === 3) socket.end(plain.replace('\r\n', '\r\nConnection: close\r\n'))
    })
    const { requests, errors } = await load(url, { ...short, connections: 1, pipelining: 8 })
    assert.ok(requests >= 8) // on one connection there are no more than 3
    assert.equal(errors, 0)
  })

  for (const [title, options] of Object.entries({
    'closed loop': { connections: 4 },
    'closed loop with pipelining': { connections: 2, pipelining: 5 },
    'open loop': { rate: 200 },
    HEAD: { connections: 2, method: 'HEAD' },
  })) {
    for (const every of [1, 3]) {
      test(`after ${every === 1 ? 'each answer' : 'every third answer'}, without a word: what is sent again is counted (${title})`, async (t) => {
        const { url } = await rawServer(t, endsAfter(every, options.method ? plain.slice(0, -2) : plain))
        const { requests, errors, sent, resent } = await load(url, { ...short, ...options })
        assert.ok(requests >= fewest(options))
        assert.equal(errors, 0)
        assert.equal(sent - resent, requests)
        // A crowded machine may have answered too few for a connection to end.
        if (requests > every * options.connections) assert.ok(resent > 0)
      })
    }
  }

  test('without a word: a POST is not sent again', async (t) => {
    const { url } = await rawServer(t, endsAfter(1, plain))
    const { errors, errorsByKind, resent } = await load(url, { ...short, connections: 2, method: 'POST' })
    assert.deepEqual([resent, errors > 0, errorsByKind.reset], [0, true, errors])
  })

  test('in place of an answer: each request is an error of its own', async (t) => {
    const { url, count } = await rawServer(t, (socket) => socket.resetAndDestroy())
    const result = await load(url, { ...short, rate: 40 })
    assert.deepEqual([result.requests, result.errors, result.errorsByKind.reset, count()], [0, 20, 20, 20])
    assert.match(result.messages.reset, /ECONNRESET/)
    assert.deepEqual(result.latency, { p50: null, p90: null, p99: null, p999: null, max: null })
  })

  test('in the middle of an answer', async (t) => {
    const { url } = await rawServer(t, (socket) => socket.end(plain.slice(0, -1)))
    const { requests, errorsByKind, messages } = await load(url, { ...short, rate: 40 })
    assert.deepEqual([requests, errorsByKind.reset], [0, 20])
    assert.match(messages.reset, /closed the connection before its answer was whole/)
  })

  test('while they are idle: the next request opens a new one', async (t) => {
    const start = () =>
      rawServer(t, (socket) => {
        socket.write(plain)
        // By the second turn the answer is read, and the next request is not due, unless the machine stalls for 500 ms.
        const goodbye = () => socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
        setImmediate(() => setImmediate(goodbye))
      })
    const counts = await undisturbed(async () => {
      const { url, count } = await start()
      const { requests, errors } = await load(url, { ...short, rate: 2, duration: 2 })
      return [requests, errors, count()]
    })
    assert.deepEqual(counts, [4, 0, 4])
  })
})

test('where nobody listens a second of refusals is enough', async () => {
  for (const how of [{}, { rate: 50 }]) {
    const { seconds, errors, requests, throughput } = await load('http://127.0.0.1:1/', { ...how, warmup: 0, duration: 20 }) // prettier-ignore
    assert.ok(seconds >= 1 && seconds < 10, String(seconds))
    assert.deepEqual([requests, throughput, errors > 0], [0, 0, true])
  }
})

test('where nobody listens every request is a connect error', async () => {
  const url = `http://127.0.0.1:${await freePort()}/`
  for (const options of [{ rate: 40 }, { connections: 2 }]) {
    const { requests, errors, errorsByKind, messages, sent } = await load(url, { ...short, ...options })
    assert.ok(errors >= 2 && errors <= 20, `${errors} errors`)
    assert.deepEqual([requests, sent, errorsByKind.connect], [0, 0, errors])
    assert.match(messages.connect, /ECONNREFUSED/)
  }
})

test('what is not HTTP is an error of its own kind', async (t) => {
  const { url } = await rawServer(t, (socket) => socket.write('220 mail.example ESMTP\r\n'))
  const { errors, errorsByKind, messages } = await load(url, { ...short, rate: 40 })
  assert.deepEqual([errors, errorsByKind.protocol], [20, 20])
  assert.match(messages.protocol, /HTTP\/1/)
})

describe('answers of every form', atOnce, () => {
  const forms = {
    'chunks with trailers': ['GET', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nDigest: x\r\n\r\n'], // prettier-ignore
    'a head only, to HEAD': ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n'],
    'status 204': ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
    'status 100 first': ['GET', `HTTP/1.1 100 Continue\r\n\r\n${plain}`],
  }
  for (const [title, [method, text]] of Object.entries(forms)) {
    test(`${title}, in two packets`, async (t) => {
      let onHalf = 0
      const { url, count } = await rawServer(t, (socket, number) => {
        const cut = 1 + (number % (text.length - 1))
        socket.setNoDelay(true).write(text.slice(0, cut))
        onHalf++
        setImmediate(() => socket.write(text.slice(cut)))
      })
      const { requests, errors } = await load(url, { ...short, method, rate: 200 })
      assert.ok(text.length <= 100, 'cut at each place')
      assert.deepEqual([requests, errors, onHalf, count()], [100, 0, 100, 100])
    })
  }

  test('pipelined answers belong to the requests in their order', async (t) => {
    let open = 0
    let most = 0
    const { url, count } = await rawServer(t, (socket, number) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        socket.write(plain.replace('200', String(200 + (number % 3))))
      }, 5)
    })
    const result = await load(url, { ...short, connections: 1, pipelining: 6 })
    assert.equal(most, 6)
    assert.deepEqual([result.requests, result.errors], [count(), 0])
    const counts = Object.values(result.statuses)
    assert.ok(counts.length === 3 && Math.max(...counts) - Math.min(...counts) <= 1, String(counts))
  })

  test('a large one', async (t) => {
    const body = Buffer.alloc(3_000_000, 'x')
    const { url, count } = await httpServer(t, (_, response) => response.end(body))
    const { requests, errors } = await load(url, { ...short, connections: 2 })
    assert.ok(requests >= 2)
    assert.deepEqual([requests, errors], [count(), 0])
  })
})

describe('the request', atOnce, () => {
  test('has the method, path, headers and body that were asked for', async (t) => {
    const seen = new Set()
    const { url } = await httpServer(t, async (request, response) => {
      let body = ''
      for await (const part of request.setEncoding('utf8')) body += part
      const { host, 'user-agent': agent, 'x-a': a, 'content-length': length } = request.headers
      seen.add(JSON.stringify([request.method, request.url, host, agent, a, length, body]))
      response.end()
    })
    const options = { headers: { 'X-A': 'b c', Host: 'example.test' }, body: 'Käse' }
    await load(`${url}a%20b?c=d#e`, { ...short, rate: 10, ...options })
    const expected = ['POST', '/a%20b?c=d', 'example.test', 'threadwise', 'b c', '5', 'Käse']
    assert.deepEqual([...seen].map((text) => JSON.parse(text)), [expected]) // prettier-ignore
  })

  test('carries the user of the URL', async (t) => {
    const seen = new Set()
    const { url } = await httpServer(t, (request, response) => {
      seen.add(request.headers.authorization)
      response.end()
    })
    await load(url.replace('//', '//ada:p%40ss@'), { ...short, rate: 10 })
    assert.deepEqual([...seen], [`Basic ${Buffer.from('ada:p@ss').toString('base64')}`])
  })
})

test('a Unix socket', { skip: process.platform === 'win32' && 'none there' }, async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'app.sock')
  const hosts = new Set()
  const server = createServer((request, response) => {
    hosts.add(request.headers.host)
    response.end()
  })
  t.after(() => server.close())
  await new Promise((resolve) => server.listen(path, resolve))
  const { requests, errors } = await load('http://app.test/', { ...short, socket: path, rate: 40 })
  assert.deepEqual([requests, errors, [...hosts]], [20, 0, ['app.test']])
})

describe('TLS', atOnce, () => {
  const pem = (name) => readFileSync(new URL(`../../../fixtures/load/${name}.pem`, import.meta.url))
  const start = (t) => listen(t, createTlsServer({ key: pem('key'), cert: pem('cert') }, (_, response) => response.end('hello'))) // prettier-ignore

  test('refuses a self-signed certificate', async (t) => {
    const url = (await start(t)).replace('http://127.0.0.1', 'https://localhost')
    const { requests, errorsByKind, messages, sent } = await load(url, { ...short, rate: 10 })
    assert.deepEqual([requests, errorsByKind.connect, sent], [0, 5, 0])
    assert.match(messages.connect, /self-signed/)
  })

  test('accepts it with `insecure`', async (t) => {
    const url = (await start(t)).replace('http:', 'https:')
    for (const options of [{ rate: 40 }, { connections: 2, pipelining: 3 }]) {
      const { requests, errors } = await load(url, { ...short, ...options, insecure: true })
      assert.ok(requests >= fewest(options))
      assert.equal(errors, 0)
    }
  })
})

describe('an interrupted run', () => {
  test('gives what there is, and counts what has no answer yet', async (t) => {
    const { url } = await httpServer(t, (_, response, number) => number <= 10 && response.end())
    const controller = new AbortController()
    const progress = []
    const running = load(url, {
      ...{ rate: 50, warmup: 0, duration: 30, connections: 4, signal: controller.signal },
      onProgress: (step) => {
        progress.push(step)
        if (progress.length === 3) controller.abort()
      },
    })
    const { complete, requests, errors, unfinished, seconds } = await running
    assert.deepEqual([complete, requests, errors], [false, 10, 0])
    assert.ok(seconds < 5)
    const due = Math.ceil(seconds * 50)
    assert.ok(Math.abs(requests + unfinished - due) <= 1, `${requests} + ${unfinished} of ${due}`)
    assert.deepEqual(Object.keys(progress[0]), ['elapsed', 'total', 'isWarmup', 'answers', 'failures'])
    assert.deepEqual([progress[2].answers, progress[2].total, progress[2].isWarmup], [10, 30, false])
  })

  test('before it began, gives nothing', async (t) => {
    const { url, count } = await httpServer(t)
    const { complete, requests, throughput } = await load(url, { signal: AbortSignal.abort() })
    assert.deepEqual([complete, requests, throughput, count()], [false, 0, 0, 0])
  })
})

describe('an option that is not valid is refused', () => {
  const wrong = {
    url: ['ftp://localhost/', 'localhost:port', '', undefined].map((url) => [url, {}]),
    rate: [0, -1, NaN, '10', 2e6].map((rate) => ['http://a/', { rate }]),
    poisson: [['http://a/', { poisson: true }], ['http://a/', { rate: 1, poisson: 'yes' }]], // prettier-ignore
    connections: [0, 1.5, '3', 20_000].map((connections) => ['http://a/', { connections }]),
    pipelining: [['http://a/', { pipelining: 0 }], ['http://a/', { rate: 5, pipelining: 2 }]], // prettier-ignore
    duration: [0, -1, Infinity, '1'].map((duration) => ['http://a/', { duration }]),
    warmup: [-1, NaN].map((warmup) => ['http://a/', { warmup }]),
    timeout: [0, '1'].map((timeout) => ['http://a/', { timeout }]),
    method: ['', 'GE T', 'connect', 5].map((method) => ['http://a/', { method }]),
    headers: [{ 'a b': 'c' }, { a: 'b\r\nc: d' }, { a: 5 }, { 'Content-Length': '3' }, ['a: b'], null].map((headers) => ['http://a/', { headers }]), // prettier-ignore
    body: [5, {}, null].map((body) => ['http://a/', { body }]),
    socket: ['', 5].map((socket) => ['http://a/', { socket }]),
    insecure: [['http://a/', { insecure: 'yes' }]],
    signal: [['http://a/', { signal: {} }]],
    onProgress: [['http://a/', { onProgress: true }]],
  }
  for (const [option, calls] of Object.entries(wrong)) {
    test(option, async () => {
      for (const [url, options] of calls) {
        const { code, message } = await load(url, options).catch((error) => error)
        assert.equal(code, 'TW_ERR_INVALID_OPTION', JSON.stringify(options))
        assert.ok(message.startsWith(option), message)
      }
    })
  }
})
