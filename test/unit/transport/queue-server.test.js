// How a worker shares its thread between calls from the queue, messages, and its event loop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQueueMemory } from '../../../dist/transport/queue-layout.js'
import { QueueServer } from '../../../dist/transport/queue-server.js'
import * as own from '../../../dist/transport/worker-memory.js'

function serverWith(host) {
  const memory = own.createWorkerMemory()
  const { control } = own.workerViews(memory)
  const seat = {
    queue: createQueueMemory(),
    own: memory,
    index: 0,
    workers: 1,
    tasksPerWorker: 8,
    buffers: [],
  }
  const ring = () => Atomics.store(control, own.DOORBELL, 1)
  const server = new QueueServer(seat, {
    load: { waiting: 0 },
    port: { postMessage() {} },
    run: () => assert.fail('nothing is in the queue'),
    post: () => assert.fail('nobody answers'),
    bufferOf: () => assert.fail('no buffer is named'),
    ...host(ring),
  })
  return { server, ring, state: () => Atomics.load(control, own.STATE) }
}

function pass(ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('all messages that wait are read, in their order, and then it sleeps', () => {
  const waiting = [1, 2, 3]
  const read = []
  const { server, ring, state } = serverWith(() => ({
    take: () => waiting.shift(),
    onMessage: (message) => read.push(message),
  }))
  ring()
  server.serve()
  assert.deepEqual(read, [1, 2, 3])
  assert.equal(state(), own.IN_LOOP)
})

test('one that comes while another is handled is read too', () => {
  const waiting = [1]
  const read = []
  const { server, ring } = serverWith((ring) => ({
    take: () => waiting.shift(),
    onMessage(message) {
      read.push(message)
      if (message < 5) waiting.push(message + 1)
      ring()
    },
  }))
  ring()
  server.serve()
  assert.deepEqual(read, [1, 2, 3, 4, 5])
})

test('messages without end leave turns to its event loop', { timeout: 20_000 }, async () => {
  let count = 0
  let isEnding = false
  const { server, ring } = serverWith((ring) => ({
    take: () => (isEnding ? undefined : 'message'),
    onMessage() {
      count++
      pass(0.2)
      ring()
    },
  }))
  ring()
  server.serve() // would not return
  const first = count
  await turn()
  assert.ok(count > first, 'it goes on in the next turn')
  isEnding = true
  await turn()
})
