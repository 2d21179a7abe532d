// Connections whose first request has the same cookie go to the same instance, and no byte of them is lost.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { blockade, blocks } from '../helpers/blocking.js'
import { serveCommand } from '../helpers/serve-command.js'
import { loadsOf, loadThatRuns, program, service } from '../helpers/services.js'

const limit = { timeout: 90_000, skip: process.platform === 'win32' }
const sticky = 'cookie=sid'
const users = Array.from({ length: 12 }, (_, i) => `user-${i + 1}`)

/** Besides what program() does: /block stops its thread, /hash answers the process and what came, and it upgrades. */
const server = program(
  'hello',
  `${blocks}
  const { createHash } = await import('node:crypto')
  server.prependListener('request', (request, response) => {
    if (request.url !== '/hash') return
    const hash = createHash('sha256')
    const { end } = response
    response.end = () => {}
    request.on('data', (chunk) => hash.update(chunk))
    request.on('end', () => end.call(response, process.pid + ' ' + hash.digest('hex')))
  })
  server.on('upgrade', (request, socket, head) => {
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n')
    socket.write(process.pid + '\\n')
    socket.write(head)
    socket.pipe(socket)
  })`,
)

const headOf = (user, path = '/pid', more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}${user ? `Cookie: a=1; sid=${user}; b=2\r\n` : ''}\r\n`
const last = 'Connection: close\r\n'

/** Sends all pieces on one connection; resolves with all that comes until it is closed. */
async function exchange(port, pieces, { pauseMs = 0 } = {}) {
  const socket = connect(typeof port === 'number' ? { port, host: '127.0.0.1' } : { path: port })
  let answer = ''
  const closed = new Promise((resolve, reject) => socket.on('error', reject).on('close', resolve))
  socket.setNoDelay(true).setEncoding('latin1').on('data', (text) => (answer += text)) // prettier-ignore
  for (const piece of pieces) {
    socket.write(piece, 'latin1')
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  await closed
  return answer
}

/** The process that answers a user, on a connection of its own. */
async function processOf(port, user, path = '/pid') {
  const answer = await exchange(port, [headOf(user, path, last)])
  assert.match(answer, /^HTTP\/1.1 200 /)
  return Number(/\r\n\r\n(?:\d+\r\n)?(\d+)/.exec(answer)?.[1])
}

const allOf = (port) => Promise.all(users.map((user) => processOf(port, user)))
const pidsOf = (running) => running.status().instances.map(({ pid }) => pid).sort() // prettier-ignore

for (const health of [undefined, '/']) {
  test(`each cookie has its instance${health ? ', also behind a health check' : ''}`, limit, async (t) => {
    const { service: running, port, url } = await service(t, server, { sticky, instances: 3, health })
    const first = await allOf(port)
    assert.deepEqual([...new Set(first)].sort(), pidsOf(running)) // each has some of the twelve
    for (let i = 0; i < 5; i++) assert.deepEqual(await allOf(port), first)
    const upgraded = await Promise.all(users.map((user) => upgrade(t, port, user)))
    assert.deepEqual(upgraded, first)
    for (const [i, user] of users.entries()) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (let j = 0; j < 3; j++) assert.equal(await kept(url, agent, user), first[i])
      agent.destroy()
    }
  })
}

/** A handshake as of a WebSocket, with a first frame right behind it; resolves with the process. */
async function upgrade(t, port, user) {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  socket.write(`${headOf(user, '/', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')}first`)
  let answer = ''
  for await (const text of socket.iterator({ destroyOnReturn: false })) {
    answer += text
    if (answer.endsWith('\nfirst')) break
  }
  socket.write('more')
  const [echo] = await once(socket, 'data')
  assert.equal(echo, 'more')
  return Number(/\r\n\r\n(\d+)/.exec(answer)[1])
}

function kept(url, agent, user) {
  return new Promise((resolve, reject) => {
    const asked = request(new URL('pid', url), { agent, headers: { cookie: `sid=${user}` } }, (response) => {
      response.setEncoding('utf8').once('data', (text) => resolve(Number(text)))
    })
    asked.on('error', reject).end()
  })
}

test('without the cookie they go in turn', limit, async (t) => {
  const { port } = await service(t, server, { sticky, instances: 3 })
  const counts = new Map()
  for (let i = 0; i < 12; i++) {
    const pid = await processOf(port)
    counts.set(pid, (counts.get(pid) ?? 0) + 1)
  }
  assert.deepEqual([...counts.values()], [4, 4, 4])
})

test(
  'no byte is lost: heads in pieces, large heads, what follows at once, and large bodies',
  limit,
  async (t) => {
    const { port } = await service(t, server, { sticky })
    const body = Buffer.alloc(1_000_000, 'threadwise ').toString()
    const digest = createHash('sha256').update(body).digest('hex')
    for (const user of users.slice(0, 4)) {
      const pid = await processOf(port, user)
      const isRight = (answer) => assert.match(answer, new RegExp(`\r\n\r\n(\\w+\r\n)?${pid}`))
      isRight(await exchange(port, headOf(user, '/pid', last), { pauseMs: 1 })) // byte by byte
      isRight(await exchange(port, [headOf(user, '/pid', `X-Y: ${'z'.repeat(12_000)}\r\n${last}`)]))
      const pipelined = await exchange(port, [headOf(user).repeat(20) + headOf(user, '/pid', last)])
      assert.equal(pipelined.split(`\r\n\r\n${pid}`).length, 22)
      const post = headOf(user, '/hash', `Content-Length: ${body.length}\r\n${last}`).replace('GET', 'POST')
      for (const pieces of [[post + body], [post, body], [post.slice(0, 30), post.slice(30) + body]]) {
        const answer = await exchange(port, pieces, { pauseMs: pieces.length > 1 ? 5 : 0 })
        assert.match(answer, new RegExp(`${pid} ${digest}`))
      }
    }
    // More than Node takes: its answer comes from an instance.
    assert.match(
      await exchange(port, [headOf('a', '/pid', `X-Y: ${'z'.repeat(40_000)}\r\n`)]),
      /^HTTP\/1.1 431 /,
    )
  },
)

test('silent clients hold up nobody, and go with the service', limit, async (t) => {
  const { service: running, port } = await service(t, server, { sticky, grace: 500 })
  const silent = ['', '', 'GET /pid HT', headOf('a').slice(0, -2)].map((text) => exchange(port, [text]))
  const first = await allOf(port)
  assert.deepEqual(await allOf(port), first)
  await running.stop()
  // Half a request is answered or cut, as by one process that ends.
  for (const answer of await Promise.all(silent.slice(0, 2))) assert.equal(answer, '')
  await Promise.all(silent)
})

test('half a head in the primary when the service stops: its request is answered', limit, async (t) => {
  const { service: running, port } = await service(t, server, { sticky, grace: 20_000 })
  const head = headOf('a', '/pid', last)
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  await new Promise((resolve) => socket.write(head.slice(0, 20), resolve))
  await processOf(port, 'a') // by now the primary has the other one too
  const stopped = running.stop()
  await new Promise((resolve) => setTimeout(resolve, 300))
  socket.write(head.slice(20))
  const [answer] = await once(socket, 'data')
  assert.match(answer, /^HTTP\/1.1 200 /)
  await stopped
})

test('when an instance dies only its clients move; they come back to its replacement', limit, async (t) => {
  const { port, seen } = await service(t, server, { sticky, instances: 3 })
  const first = await allOf(port)
  const [victim] = first
  const ready = seen(({ type }) => type === 'ready')
  const gone = seen(({ type }) => type === 'gone')
  process.kill(victim, 'SIGKILL')
  await gone
  const meanwhile = await allOf(port)
  const { pid: next } = await ready
  const later = await allOf(port)
  for (const [i, pid] of first.entries()) {
    if (pid !== victim) assert.deepEqual([meanwhile[i], later[i]], [pid, pid])
    else assert.deepEqual([meanwhile[i] === victim, later[i]], [false, next])
  }
})

test(
  'what a blocked instance had not taken goes to another one when it dies, with its bytes',
  limit,
  async (t) => {
    const { env, blocked } = blockade(t)
    const { port } = await service(t, server, { sticky, env })
    const victim = await processOf(port, users[0])
    const lost = exchange(port, [headOf(users[0], '/block')]).catch(() => '')
    await blocked()
    const body = 'x'.repeat(100_000)
    const digest = createHash('sha256').update(body).digest('hex')
    const post = headOf(users[0], '/hash', `Content-Length: ${body.length}\r\n${last}`).replace('GET', 'POST')
    const waiting = Array.from({ length: 5 }, () => exchange(port, [post + body]))
    await new Promise((resolve) => setTimeout(resolve, 300))
    process.kill(victim, 'SIGKILL')
    assert.equal(await lost, '')
    for (const answer of await Promise.all(waiting)) {
      assert.match(answer, new RegExp(`\\d+ ${digest}`))
      assert.doesNotMatch(answer, new RegExp(`\n${victim} `)) // it may be a number of a head, such as the year
    }
  },
)

test(
  'an instance that is blocked holds up its own clients, and one without a cookie at most',
  limit,
  async (t) => {
    const { env, blocked, release } = blockade(t)
    const { port } = await service(t, server, { sticky, env })
    const pids = await allOf(port)
    const others = users.filter((_, i) => pids[i] !== pids[0])
    assert.ok(others.length > 0 && others.length < users.length)
    const first = exchange(port, [headOf(users[0], '/block', last)])
    await blocked()
    const waiting = Promise.all([users[0], users[0], undefined].map((user) => processOf(port, user)))
    await new Promise((resolve) => setTimeout(resolve, 100))
    for (const user of [...others, ...others, undefined, undefined]) {
      assert.notEqual(await processOf(port, user), pids[0])
    }
    release()
    assert.match(await first, /^HTTP\/1.1 200 /)
    await waiting
  },
)

for (const connection of ['close', 'keep-alive']) {
  test(`a reload, more and fewer instances lose no request (${connection})`, limit, async (t) => {
    const { service: running, url } = await service(t, server, { sticky, instances: 2 })
    const headers = { connection, cookie: 'sid=abc' }
    const loads = [
      await loadThatRuns(url, { connections: 8, headers }),
      await loadThatRuns(url, { connections: 8, headers: { connection } }),
    ]
    await running.reload()
    await running.scale(1)
    await running.scale(3)
    for (const running of loads) {
      const { errors, messages } = await running.stop()
      assert.equal(errors, 0, JSON.stringify(messages))
    }
  })
}

test('requests are counted', limit, async (t) => {
  const { service: running, port } = await service(t, server, { sticky })
  for (const user of users) await processOf(port, user)
  const loads = await loadsOf(running)
  assert.equal(loads.reduce((sum, { requests }) => sum + requests, 0), users.length) // prettier-ignore
})

test('as an option of the command', limit, async (t) => {
  const { port, child, ended } = await serveCommand(t, { text: server, args: ['--sticky', sticky] })
  const first = await allOf(port)
  assert.equal(new Set(first).size, 2)
  assert.deepEqual(await allOf(port), first)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  const wrong = await serveCommand(t, { args: ['--sticky', 'cookie'] })
  const { code, stderr } = await wrong.ended
  assert.notEqual(code, 0)
  assert.match(stderr, /sticky must be "address", or "cookie=NAME".*, got "cookie"/)
})
