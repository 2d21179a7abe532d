// How a worker shares its thread between calls from the queue, messages, and its event loop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REPLY_RESULT } from '../../../../../build/runtime/wire/messages.js'
import {
  CPUS,
  FUNCTION_SHIFT,
  NEXT_POLL_AT,
  MAIN_ASLEEP,
  MAIN_STATE,
  SPIN_US,
  TASKS_PER_WORKER,
  WORKERS,
} from '../../../../../build/runtime/shared-memory/layout/queue-layout.js'
import {
  createQueueMemory,
  queueViews,
} from '../../../../../build/runtime/shared-memory/layout/queue-memory.js'
import { QueueProducer } from '../../../../../build/runtime/shared-memory/main/queue-producer.js'
import { QueueConsumer } from '../../../../../build/runtime/shared-memory/worker/queue-consumer.js'
import { QueueServer } from '../../../../../build/runtime/shared-memory/worker/queue-server.js'
import * as own from '../../../../../build/runtime/shared-memory/layout/worker-layout.js'
import {
  createWorkerMemory,
  workerViews,
} from '../../../../../build/runtime/shared-memory/layout/worker-memory.js'
import { nanoseconds } from '../../../../helpers/nanoseconds.js'
import { nextTurn } from '../../../../helpers/waiting.js'

function serverWith(host, { workers = 1 } = {}) {
  const memory = createWorkerMemory()
  const { control } = workerViews(memory)
  const queue = createQueueMemory()
  const init = { queue, own: memory, index: 0, workers, buffers: [] }
  Atomics.store(queueViews(queue).control, TASKS_PER_WORKER, 8)
  const ring = () => Atomics.store(control, own.DOORBELL, 1)
  const server = new QueueServer(init, {
    load: { waiting: 0 },
    port: { postMessage() {} },
    run: () => assert.fail('nothing is in the queue'),
    post: () => assert.fail('nobody answers'),
    output: { sent: 0 },
    checkBuiltIns() {},
    bufferOf: () => assert.fail('no buffer is named'),
    ...host(ring, queue),
  })
  return { server, ring, control, state: () => Atomics.load(control, own.STATE) }
}

function pass(ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** The clock of the worker. The returned function lets milliseconds pass; each look at it takes a microsecond. */
function fakeClock(t) {
  let now = 1000
  t.mock.method(process.hrtime, 'bigint', () => nanoseconds((now += 0.001)))
  return (ms) => (now += ms)
}

test('all messages that wait are read, in their order, and then it sleeps', (t) => {
  fakeClock(t) // held up for 5 ms, it would leave a turn to its event loop first
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

test('one that comes while another is handled is read too', (t) => {
  fakeClock(t)
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
  await nextTurn()
  assert.ok(count > first, 'it goes on in the next turn')
  isEnding = true
  await nextTurn()
})

test('calls that come one by one, each while it looks for the next, leave turns to its event loop', async (t) => {
  const passTime = fakeClock(t)
  const MAX_CALLS = 3000
  let calls = 0
  const { server } = serverWith((_, queue) => {
    const views = queueViews(queue)
    const producer = new QueueProducer(views)
    views.control[SPIN_US] = 1000
    let looks = 0
    const put = () => {
      producer.put(calls, producer.write([]))
      looks = 0
    }
    put()
    producer.publish()
    return {
      load: {
        /** Asked for before it takes a call and before it rests: only then the next one is there. */
        get waiting() {
          if (++looks === 2) producer.publish()
          return 0
        },
      },
      run() {
        passTime(0.02)
        if (++calls < MAX_CALLS) put()
      },
      take: () => undefined,
    }
  })
  server.serve() // would run all of them
  assert.ok(calls > 10 && calls < MAX_CALLS, `${calls} calls before the turn`)
  while (calls < MAX_CALLS) await nextTurn()
})

test('what it has left to a worker that takes some of it and then keeps its thread, it takes in the end', async (t) => {
  const keepAlive = setInterval(() => {}, 60_000) // the timers of a worker hold no program
  t.after(() => clearInterval(keepAlive))
  let views
  const taken = new Promise((resolve) => {
    const { server } = serverWith((_, queue) => {
      views = queueViews(queue)
      const producer = new QueueProducer(views)
      for (const id of [7, 8]) producer.put(id, producer.write([]))
      producer.publish()
      views.control[WORKERS] = 2
      views.loads[1] = 2 // one call waits there
      return { load: { waiting: 3 }, run: ({ id }) => resolve(id), take: () => undefined }
    })
    server.serve()
  })
  const other = new QueueConsumer(views, 1, { setCurrent() {}, bufferOf: assert.fail })
  assert.ok(other.take(), 'it has its share')
  views.loads[1] = 3
  assert.equal(await taken, 8)
})

test('in its event loop it is with no call: a timer there may end it', async () => {
  const current = []
  const { server, control } = serverWith((_, queue) => {
    const producer = new QueueProducer(queueViews(queue))
    for (const id of [7, 8]) producer.put(id, producer.write([]))
    producer.publish()
    return {
      run(call) {
        current.push(Atomics.load(control, own.CURRENT))
        if (call.id === 7) setImmediate(() => current.push(Atomics.load(control, own.CURRENT)))
        if (call.id === 7) pass(10)
      },
      take: () => undefined,
    }
  })
  server.serve()
  while (current.length < 3) await nextTurn()
  assert.deepEqual(current, [7, -1, 8])
})

test('after a short call of a hot exchange it sleeps in the futex first, after a long one in its event loop at once', (t) => {
  const passTime = fakeClock(t)
  let ms = 0
  let put
  const { server, state } = serverWith((_, queue) => {
    const producer = new QueueProducer(queueViews(queue))
    put = (functionIndex) => {
      producer.put(7, (functionIndex << FUNCTION_SHIFT) | producer.write([]))
      producer.publish()
    }
    return { run: () => passTime(ms), take: () => undefined }
  })
  const sleptMsAfter = (length) => {
    ms = length
    put(length) // functions by themselves: calls of one that was short are timed only now and then
    server.serve()
    assert.equal(state(), own.IN_LOOP)
    return server.sleptMs
  }
  sleptMsAfter(0) // nothing is hot yet
  const sleptMs = sleptMsAfter(0)
  assert.ok(sleptMs > 0)
  assert.equal(sleptMsAfter(2), sleptMs)
  assert.ok(sleptMsAfter(0) > sleptMs)
})

/** After how many of that many calls of 0.15 ms main is woken, if it has brought them all at once and then sleeps. */
function wakesOfMain(t, count, { workers, cpus = 0 }) {
  let now = 1000
  t.mock.method(process.hrtime, 'bigint', () => nanoseconds(now))
  let calls = 0
  const wokenAfter = []
  let put
  const host = (_, queue) => {
    const views = queueViews(queue)
    const producer = new QueueProducer(views)
    views.control[CPUS] = cpus
    put = (count) => {
      for (let id = 0; id < count; id++) producer.put(id, producer.write([]))
      producer.publish()
      views.control[MAIN_STATE] = MAIN_ASLEEP
      views.control[NEXT_POLL_AT] = now + 5
    }
    return {
      run({ id }) {
        now += 0.15
        calls++
        server.reply(REPLY_RESULT, id, 1)
      },
      port: { postMessage: () => wokenAfter.push(calls) },
      take: () => undefined,
    }
  }
  const { server } = serverWith(host, { workers })
  put(1) // what it takes is not known before
  server.serve()
  wokenAfter.length = 0
  calls = 0
  put(count)
  server.serve()
  return wokenAfter
}

test('main is woken while the last call that waits is still to run, and brings more in time', (t) => {
  assert.deepEqual(wakesOfMain(t, 4, { workers: 1 }), [3])
})

test('and earlier if others need work meanwhile; as many as there are CPUs for beside its own', (t) => {
  assert.deepEqual(wakesOfMain(t, 6, { workers: 2, cpus: 2 }), [5])
  assert.deepEqual(wakesOfMain(t, 6, { workers: 2, cpus: 3 }), [4])
  assert.deepEqual(wakesOfMain(t, 6, { workers: 4, cpus: 8 }), [3])
})
