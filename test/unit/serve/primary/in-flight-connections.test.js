// Connections that a dead instance had not taken are given back, on a worker that is a fake.
import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { EventEmitter } from 'node:events'
import { afterEach, test } from 'node:test'
import { createEntrance } from '../../../../build/serve/sticky/entrance.js'
import { describeKey, InFlightConnections } from '../../../../build/serve/primary/in-flight-connections.js'

function fakeWorker() {
  const sent = []
  const child = Object.assign(new EventEmitter(), { send: (...args) => sent.push(args) })
  const connections = new InFlightConnections({ process: child })
  const refused = []
  const handle = (seq) => {
    const closed = { seq, isClosed: false, close: () => (closed.isClosed = true) }
    child.send({ cmd: 'NODE_CLUSTER', act: 'newconn', seq }, closed)
    return closed
  }
  const acknowledge = (ack) => child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: true })
  const die = () => {
    child.on('internalMessage', ({ ack, accepted }) => refused.push([ack, accepted]))
    child.emit('close')
  }
  return { connections, child, sent, refused, handle, acknowledge, die }
}

afterEach(() => delete cluster.workers.fake)

test('those without an answer are refused in its name, so that another one gets them', () => {
  cluster.workers.fake = { isConnected: () => true }
  const worker = fakeWorker()
  const handles = [1, 2, 3].map(worker.handle)
  worker.acknowledge(2)
  let disconnects = 0
  worker.child.on('disconnect', () => disconnects++)
  worker.die()
  assert.deepEqual(worker.refused, [[1, false], [3, false]]) // prettier-ignore
  assert.equal(disconnects, 1)
  assert.ok(handles.every(({ isClosed }) => !isClosed))
  assert.equal(worker.sent.length, 3)
})

test('where its answers cannot be read any more they are closed, and nobody gets them', () => {
  cluster.workers.fake = { isConnected: () => true }
  const worker = fakeWorker()
  const handle = worker.handle(1)
  worker.connections.closeAll()
  worker.die()
  assert.deepEqual([handle.isClosed, worker.refused], [true, []])
})

test('where there is no other one they are closed, so that the client knows', () => {
  const worker = fakeWorker()
  const handle = worker.handle(1)
  worker.child.emit('disconnect')
  assert.equal(handle.isClosed, false, 'it may still be running')
  worker.die()
  assert.deepEqual([handle.isClosed, worker.refused], [true, []])
})

test('messages of another form are sent on, and not remembered', () => {
  const worker = fakeWorker()
  for (const message of [undefined, 'ready', { threadwise: 'leave' }, { cmd: 'NODE_CLUSTER', ack: 5 }])
    worker.child.send(message)
  worker.die()
  assert.equal(worker.sent.length, 4)
  assert.deepEqual(worker.refused, [])
})

class FakeConnection {
  isClosed = false
  close() {
    this.isClosed = true
  }
}

/** Several instances of one service, each with what it was sent. */
function behindOneEntrance(...shut) {
  const entrance = createEntrance(null)
  return shut.map((isShut, index) => {
    const sent = []
    const child = Object.assign(new EventEmitter(), { connected: true, send: (...args) => sent.push(args) })
    const connections = new InFlightConnections({ process: child }, { entrance, isShut, place: index })
    child.send({ cmd: 'NODE_CLUSTER', ack: 1, key: 'port' }) // it may listen
    sent.splice(0)
    const replies = []
    child.on('internalMessage', (message) => replies.push(message))
    const handle = (seq) => {
      const made = new FakeConnection()
      child.send({ cmd: 'NODE_CLUSTER', act: 'newconn', seq, key: 'port' }, made)
      return made
    }
    return {
      connections,
      child,
      handle,
      replies,
      got: () => sent.map(([, connection]) => connection),
      messages: () => sent.map(([message]) => message),
    }
  })
}
const nextTicks = () => new Promise((resolve) => setImmediate(resolve))

test('what comes to one that is shut goes to one that is open, and node:cluster goes on', async () => {
  const [open, shut] = behindOneEntrance(false, true)
  const handles = [shut.handle(1), shut.handle(2)]
  await nextTicks()
  assert.deepEqual(open.got(), handles)
  assert.deepEqual(shut.replies.map(({ ack, accepted }) => [ack, accepted]), [[1, true], [2, true]]) // prettier-ignore
  assert.deepEqual([shut.got(), handles[0].isClosed], [[], false])
})

test('where all are shut it waits for the first that opens', async () => {
  const [first, second] = behindOneEntrance(true, true)
  const handle = first.handle(1)
  await nextTicks()
  assert.deepEqual([first.got(), second.got(), handle.isClosed], [[], [], false])
  second.connections.open()
  assert.deepEqual(second.got(), [handle])
  const later = second.handle(2)
  assert.deepEqual(second.got(), [handle, later])
})

test('it is closed when none is left that might open, by its end or since it listens no more', async () => {
  for (const end of [
    ({ child }) => child.emit('close'),
    ({ child }) => child.emit('internalMessage', { cmd: 'NODE_CLUSTER', act: 'close', key: 'port' }),
  ]) {
    const [first, second] = behindOneEntrance(true, true)
    const handle = first.handle(1)
    await nextTicks()
    end(first)
    assert.equal(handle.isClosed, false)
    end(second)
    assert.equal(handle.isClosed, true)
  }
})

test('one that the only open instance refuses waits for one that is shut', async () => {
  const [open, shut] = behindOneEntrance(false, true)
  const handle = shut.handle(1)
  await nextTicks()
  const [{ seq }] = open.messages()
  open.child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false })
  assert.equal(handle.isClosed, false)
  shut.connections.open()
  assert.deepEqual(shut.got(), [handle])
})

test('what is listened on is told for people', () => {
  const told = {
    'null:3000:4:undefined:0': 'port 3000',
    '127.0.0.1:3000:4:undefined:0': '127.0.0.1, port 3000',
    '/run/app.sock:-1:-1:undefined:0': '/run/app.sock',
    '/srv/app/\0name:-1:-1:undefined:0': '@name',
  }
  for (const [key, text] of Object.entries(told)) assert.equal(describeKey(key), text)
  assert.equal(describeKey('null:0:4:undefined:0', 40123), 'port 40123')
  assert.equal(describeKey('::1:0:6:undefined:0', 40123), '::1, port 40123')
  assert.equal(describeKey('null:0:udp4:undefined:0', undefined), 'null:0:udp4:undefined:0')
})
