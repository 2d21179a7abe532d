// Connections that a dead instance had not taken are given back, on a worker that is a fake.
import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { EventEmitter } from 'node:events'
import { afterEach, test } from 'node:test'
import { InFlightConnections } from '../../../../build/serve/primary/in-flight-connections.js'

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
