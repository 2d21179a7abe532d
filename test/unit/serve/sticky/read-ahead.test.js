// The first bytes of real connections are read, and no byte after them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, Socket } from 'node:net'
import { test } from 'node:test'
import { createReadAhead } from '../../../../build/serve/sticky/read-ahead.js'
import { nextTurn } from '../../../helpers/waiting.js'

const limit = { timeout: 20_000, skip: process.platform === 'win32' }
const head = 'POST / HTTP/1.1\r\nCookie: sid=abc\r\n\r\n'

/** Connections as node:cluster has them: { client, handle }. */
async function connections(t) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const waiting = []
  server._handle.onconnection = (_, handle) => waiting.shift()(handle)
  return async () => {
    const taken = new Promise((resolve) => waiting.push(resolve))
    const client = connect(server.address().port, '127.0.0.1').on('error', () => {})
    t.after(() => client.destroy())
    const handle = await taken
    t.after(() => handle.close())
    return { client, handle }
  }
}

const read = (ahead, handle) => new Promise((resolve) => ahead.read(handle, resolve))
const bytesOf = (ahead, handle) => Buffer.from(ahead.bytesOf(handle) ?? '', 'base64').toString()

/** What comes on it after what was read. */
async function restOf(handle) {
  let text = ''
  for await (const chunk of new Socket({ handle }).setEncoding('latin1')) text += chunk
  return text
}

test('what follows is left in the kernel, however much it is', limit, async (t) => {
  const open = await connections(t)
  for (let i = 0; i < 5; i++) {
    const ahead = createReadAhead('sid')
    const { client, handle } = await open()
    const body = 'x'.repeat(1_000_000)
    client.end(head + body)
    await read(ahead, handle)
    assert.equal(ahead.cookieOf(handle), 'abc')
    const before = handle.bytesRead
    assert.equal(bytesOf(ahead, handle).length, before)
    // More arrives meanwhile, and nothing takes it.
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(handle.bytesRead, before)
    assert.equal(bytesOf(ahead, handle) + (await restOf(handle)), head + body)
  }
})

test('one that is silent goes on when its time is over, and so does half a head', limit, async (t) => {
  const open = await connections(t)
  for (const text of ['', head.slice(0, 20)]) {
    const ahead = createReadAhead('sid', { waitMs: 500 })
    const { client, handle } = await open()
    client.write(text)
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const goesOn = read(ahead, handle)
    while (handle.bytesRead < text.length) await nextTurn()
    t.mock.timers.tick(500)
    t.mock.timers.reset()
    await goesOn
    assert.deepEqual([ahead.cookieOf(handle), bytesOf(ahead, handle)], [undefined, text])
    client.end('later')
    assert.equal(await restOf(handle), 'later')
  }
})

test('one that ends goes on with what it has sent', limit, async (t) => {
  const open = await connections(t)
  for (const text of ['', head.slice(0, 20)]) {
    const ahead = createReadAhead('sid')
    const { client, handle } = await open()
    client.end(text)
    await read(ahead, handle)
    assert.equal(bytesOf(ahead, handle), text)
    assert.equal(await restOf(handle), '')
  }
})

test('one that is cut goes on too', limit, async (t) => {
  const open = await connections(t)
  const ahead = createReadAhead('sid')
  const { client, handle } = await open()
  client.resetAndDestroy()
  await read(ahead, handle)
  assert.equal(ahead.cookieOf(handle), undefined)
})

test('when too many wait, the one that has waited longest goes on', limit, async (t) => {
  const open = await connections(t)
  const ahead = createReadAhead('sid', { maxWaiting: 2 })
  const all = [await open(), await open(), await open()]
  const done = []
  for (const [i, { handle }] of all.entries()) ahead.read(handle, () => done.push(i))
  assert.deepEqual(done, [0])
  const last = read(ahead, (await open()).handle)
  assert.deepEqual(done, [0, 1])
  ahead.stop()
  await last
  assert.deepEqual(done, [0, 1, 2])
})

test('after the stop none is read', limit, async (t) => {
  const open = await connections(t)
  const ahead = createReadAhead('sid')
  const { handle } = await open()
  assert.equal(ahead.wants(handle), true)
  const waits = read(ahead, handle)
  ahead.stop()
  await waits
  assert.equal(ahead.wants(handle), false)
  assert.equal(ahead.wants((await open()).handle), false)
})

test('what is not read like a socket of this Node is left alone', () => {
  assert.equal(createReadAhead('sid').wants({ close() {} }), false)
})

test('a connection of which a version of Node shows no inside, or another one, is left alone', () => {
  const ahead = createReadAhead('sid')
  const whole = { bytesRead: 0, readStart() {}, readStop() {} }
  assert.equal(ahead.wants(whole), true)
  for (const name of Object.keys(whole)) assert.equal(ahead.wants({ ...whole, [name]: undefined }), false)
})
