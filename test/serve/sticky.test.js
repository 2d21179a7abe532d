// Connections of one address go to the same instance.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { blockade, blocks } from '../helpers/blocking.js'
import { loadThatRuns, program, service } from '../helpers/services.js'

const limit = { timeout: 90_000, skip: process.platform !== 'linux' } // where all of 127.0.0.0/8 is this machine
const addresses = Array.from({ length: 12 }, (_, i) => `127.0.1.${i + 1}`)

/** Upgrades at /, answers its process id on it, and echoes; /block stops its thread. */
const sockets = program(
  'hello',
  `${blocks}
  server.on('upgrade', (request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n')
    socket.write(process.pid + '\\n')
    socket.pipe(socket)
  })`,
)

/** The process that answers an address. */
function processOf(url, localAddress, path = 'pid') {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), { localAddress, agent: false }, (response) => {
      response.setEncoding('utf8').once('data', (text) => resolve(Number(text)))
    })
    asked.on('error', reject)
    asked.end()
  })
}

/** A handshake as of a WebSocket: { pid, socket, echo }. */
function upgrade(t, url, localAddress) {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' } // prettier-ignore
    const asked = request(url, { localAddress, agent: false, headers })
    asked.on('error', reject)
    asked.on('upgrade', async (_, socket, head) => {
      t.after(() => socket.destroy())
      socket.on('error', () => {})
      socket.setEncoding('utf8')
      const line = () => new Promise((resolve) => socket.once('data', resolve))
      const pid = Number(head.length > 0 ? head.toString() : await line())
      const closed = new Promise((resolve) => socket.once('close', resolve))
      const echo = async (text) => {
        const back = line()
        socket.write(text)
        return back
      }
      resolve({ pid, echo, closed })
    })
    asked.end()
  })
}

const allOf = (url, ask = processOf) => Promise.all(addresses.map((address) => ask(url, address)))
const pidsOf = (server) => server.status().instances.map(({ pid }) => pid).sort() // prettier-ignore

for (const health of [undefined, '/']) {
  test(`each address has its instance${health ? ', also behind a health check' : ''}`, limit, async (t) => {
    const { service: server, url } = await service(t, sockets, { sticky: 'address', instances: 3, health })
    const first = await allOf(url)
    assert.deepEqual([...new Set(first)].sort(), pidsOf(server)) // each has some of the twelve
    for (let i = 0; i < 5; i++) assert.deepEqual(await allOf(url), first)
    assert.deepEqual((await Promise.all(addresses.map((address) => upgrade(t, url, address)))).map(({ pid }) => pid), first) // prettier-ignore
  })
}

test('without the option they go to each in turn', limit, async (t) => {
  const { url } = await service(t, sockets)
  const all = new Set()
  for (let i = 0; i < 10; i++) all.add(await processOf(url, addresses[0]))
  assert.equal(all.size, 2)
})

test('when an instance dies only its clients move; they come back to its replacement', limit, async (t) => {
  const options = { sticky: 'address', instances: 3 }
  const { service: server, url, seen } = await service(t, sockets, options)
  const first = await allOf(url)
  const [victim] = first
  const open = await upgrade(t, url, addresses[0])
  assert.equal(open.pid, victim)
  assert.equal(await open.echo('are you there?'), 'are you there?')
  const ready = seen(({ type }) => type === 'ready')
  const gone = seen(({ type }) => type === 'gone')
  process.kill(victim, 'SIGKILL')
  await gone
  await open.closed
  const meanwhile = await allOf(url)
  const { pid: next } = await ready
  const later = await allOf(url)
  for (const [i, pid] of first.entries()) {
    if (pid !== victim) assert.deepEqual([meanwhile[i], later[i]], [pid, pid])
    else assert.deepEqual([meanwhile[i] === victim, later[i]], [false, next])
  }
  assert.equal(server.status().state, 'serving')
})

test('a reload moves each address once, and all of an instance together', limit, async (t) => {
  const { service: server, url } = await service(t, sockets, { sticky: 'address', instances: 3, grace: 1000 })
  const before = await allOf(url)
  const open = await upgrade(t, url, addresses[0])
  const reloaded = server.reload()
  await open.closed // cut at the end of the grace, like all connections that last
  await reloaded
  const after = await allOf(url)
  const moves = new Map(before.map((pid, i) => [pid, after[i]]))
  assert.deepEqual(before.map((pid) => moves.get(pid)), after) // prettier-ignore
  assert.equal(new Set(moves.values()).size, 3)
  assert.ok(after.every((pid) => !before.includes(pid)))
})

test(
  'a reload, more and fewer instances lose no request where every request opens a connection',
  limit,
  async (t) => {
    const { service: server, url } = await service(t, sockets, { sticky: 'address', instances: 3 })
    const load = await loadThatRuns(url, { connections: 16, headers: { connection: 'close' } })
    await server.reload()
    await server.scale(1)
    await server.scale(3)
    await server.reload()
    const { errors, messages } = await load.stop()
    assert.equal(errors, 0, JSON.stringify(messages))
  },
)

test('an instance that is blocked holds up its own clients only', limit, async (t) => {
  const { env, blocked, release } = blockade(t)
  const { url } = await service(t, sockets, { sticky: 'address', env })
  const pids = await allOf(url)
  const own = addresses.filter((_, i) => pids[i] === pids[0])
  const others = addresses.filter((_, i) => pids[i] !== pids[0])
  assert.ok(own.length > 0 && others.length > 0)
  const first = processOf(url, addresses[0], 'block')
  await blocked()
  // More of them than there are instances: with node:cluster alone they would stand in the way of all.
  const waiting = Promise.all([...own, ...own].map((address) => processOf(url, address)))
  await new Promise((resolve) => setTimeout(resolve, 100))
  for (const address of [...others, ...others]) assert.notEqual(await processOf(url, address), pids[0])
  release()
  await first
  assert.deepEqual(new Set(await waiting), new Set([pids[0]]))
})

test('connections that a blocked instance had not taken go to another one when it dies', limit, async (t) => {
  const { env, blocked } = blockade(t)
  const { url } = await service(t, sockets, { sticky: 'address', env })
  const victim = await processOf(url, addresses[0])
  const lost = processOf(url, addresses[0], 'block').catch(() => 'failed')
  await blocked()
  const waiting = Array.from({ length: 5 }, () => processOf(url, addresses[0]))
  await new Promise((resolve) => setTimeout(resolve, 200))
  process.kill(victim, 'SIGKILL')
  assert.equal(await lost, 'failed')
  assert.ok((await Promise.all(waiting)).every((pid) => pid !== victim))
})
