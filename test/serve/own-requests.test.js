// What an app sees of its own servers before it is ready: the same as without serve. Others wait, or reach an instance that is ready.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { reusePortProblem } from '../../build/serve/contract/reuse-port.js'
import { freePort } from '../helpers/free-port.js'
import { temporaryFolder } from '../helpers/files.js'
import { program, service, textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 60_000, skip: process.platform === 'win32' }

/** Asks itself in all ways, before it is ready, and answers with what came. */
const curious = `
  import { createServer, get } from 'node:http'
  import { connect as connect2, createServer as createServer2 } from 'node:http2'
  import { connect } from 'node:net'
  const port = Number(process.env.PORT)
  const found = {}
  const server = createServer((request, response) => {
    const { remoteAddress, localPort } = request.socket
    response.end(request.url === '/found' ? JSON.stringify(found) : [process.pid, localPort, remoteAddress].join(' '))
  }).listen(port, '127.0.0.1', async () => {
    const mine = process.pid + ' ' + port + ' 127.0.0.1'
    const isMine = (text) => text === mine || text
    found.address = server.address().port === port
    found.fetch = isMine(await (await fetch('http://127.0.0.1:' + port + '/')).text())
    found.name = isMine(await (await fetch('http://localhost:' + port + '/')).text())
    found.get = isMine(await new Promise((resolve, reject) => get({ port, host: '127.0.0.1' }, async (response) => {
      let text = ''
      for await (const part of response) text += part
      resolve(text)
    }).on('error', reject)))
    found.raw = isMine(await new Promise((resolve, reject) => {
      const socket = connect(String(port), '127.0.0.1', () => socket.write('GET / HTTP/1.0\\r\\n\\r\\n')).on('error', reject)
      let text = ''
      socket.on('data', (data) => (text += data)).on('end', () => resolve(text.split('\\r\\n\\r\\n')[1]))
    }))
    const second = createServer2((_, response) => response.end('2')).listen(Number(process.env.SECOND), async () => {
      const session = connect2('http://localhost:' + process.env.SECOND)
      const stream = session.request({ ':path': '/' })
      stream.setEncoding('utf8')
      found.http2 = ''
      for await (const part of stream) found.http2 += part
      session.close()
      process.send?.('ready')
    })
  })`

const ways = {
  'with waitReady': { waitReady: true },
  'with waitReady and health': { waitReady: true, health: '/found' },
  'with waitReady and reusePort': { waitReady: true, reusePort: true },
}

for (const [what, options] of Object.entries(ways)) {
  const skip = limit.skip || (options.reusePort && reusePortProblem()) || false
  test(`an app ${what} reaches itself by its own port before it is ready`, { ...limit, skip }, async (t) => {
    const SECOND = String(await freePort())
    const { service: running, url } = await service(t, curious, { ...options, env: { SECOND } })
    await running.reload()
    const found = JSON.parse(await textOf(`${url}found`))
    const right = { address: true, fetch: true, name: true, get: true, raw: true, http2: '2' }
    assert.deepEqual(found, right)
  })
}

test('the port that the system has chosen is known to the app at once, and leads to it', limit, async (t) => {
  const told = join(temporaryFolder(t), 'told')
  const text = `
    import { appendFileSync } from 'node:fs'
    import { createServer } from 'node:http'
    const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1', () => {
      appendFileSync(${JSON.stringify(told)}, server.address().port + ' ')
      process.send?.('ready')
    })`
  await service(t, text, { waitReady: true })
  const [port, ...others] = readFileSync(told, 'utf8').trim().split(' ')
  assert.deepEqual(others, [port], 'instances share it')
  assert.equal(await textOf(`http://127.0.0.1:${port}/`), 'hello')
})

test('the file of a socket is there for chmod, and its own requests come through it', limit, async (t) => {
  const path = join(temporaryFolder(t), 'app.sock')
  const text = `
    import { chmodSync, rmSync } from 'node:fs'
    import { createServer, get } from 'node:http'
    rmSync(${JSON.stringify(path)}, { force: true })
    const server = createServer((_, response) => response.end(String(process.pid))).listen(${JSON.stringify(path)}, () => {
      chmodSync(${JSON.stringify(path)}, 0o666)
      get({ socketPath: ${JSON.stringify(path)} }, async (response) => {
        let text = ''
        for await (const part of response) text += part
        if (text === String(process.pid)) process.send?.('ready')
      })
    })`
  const { service: running } = await service(t, text, { waitReady: true, readyTimeout: 20_000 })
  assert.equal(statSync(path).mode & 0o777, 0o666)
  await running.reload()
  assert.equal(existsSync(path), true)
})

/** Ready when the file of READY is there. */
const patient = `
  import { existsSync } from 'node:fs'
  ${program('hello')}
  server.on('listening', () => {
    const timer = setInterval(() => existsSync(process.env.READY) && (process.send?.('ready'), clearInterval(timer)), 10)
  })`

/** A client that has connected as soon as somebody listens; `isAnswered` tells whether it has its answer. */
async function earlyClient(port) {
  let answer
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isConnected = await new Promise((resolve) =>
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
    )
    if (!isConnected) continue
    socket.write('GET / HTTP/1.0\r\n\r\n')
    const closed = new Promise((resolve) => {
      let text = ''
      socket.on('data', (data) => (text += data)).on('error', () => {})
      socket.on('close', () => resolve((answer = text)))
    })
    return { closed, isAnswered: () => answer !== undefined }
  }
}

test('who comes while the first instance is not ready waits, and is answered then', limit, async (t) => {
  const READY = join(temporaryFolder(t), 'ready')
  const PORT = await freePort()
  const started = service(t, patient, { waitReady: true, env: { READY, PORT: String(PORT) } })
  const clients = await Promise.all(Array.from({ length: 10 }, () => earlyClient(PORT)))
  assert.deepEqual(clients.filter(({ isAnswered }) => isAnswered()), []) // prettier-ignore
  writeFileSync(READY, '')
  await started
  for (const { closed } of clients) assert.match(await closed, /^HTTP\/1.1 200 OK[^]*hello$/)
})

test('who waits for an instance that never gets ready is let go with it', limit, async (t) => {
  const PORT = await freePort()
  const env = { READY: '/no/such/file', PORT: String(PORT) }
  const failed = assert.rejects(service(t, patient, { waitReady: true, env, readyTimeout: 2000 }), {
    code: 'TW_ERR_INSTANCE_FAILED',
  })
  const { closed } = await earlyClient(PORT)
  assert.equal(await closed, '')
  await failed
})

for (const options of [{}, { sticky: 'address' }, { sticky: 'cookie=sid' }]) {
  test(
    `in a reload only those that are ready get connections ${JSON.stringify(options)}`,
    limit,
    async (t) => {
      const READY = join(temporaryFolder(t), 'ready')
      const text = `globalThis.isReady = false\n${patient.replace(`process.send?.('ready')`, `(globalThis.isReady = true, process.send?.('ready'))`)}`
      writeFileSync(READY, '')
      const word = text.replace(`else response.end('hello')`, 'else response.end(String(globalThis.isReady))')
      const { service: running, url } = await service(t, word, {
        waitReady: true,
        env: { READY },
        ...options,
      })
      rmSync(READY)
      const reload = running.reload()
      const isNew = ({ state }) => state === 'starting'
      await waitUntil(() => running.status().instances.some(isNew))
      const seen = new Set()
      for (let i = 0; i < 200; i++) seen.add(await textOf(url))
      writeFileSync(READY, '')
      await reload
      assert.deepEqual([...seen], ['true'])
      assert.equal(await textOf(url), 'true')
    },
  )
}
