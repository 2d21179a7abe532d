// When the main thread sleeps, beside workers that do nothing by themselves.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  CPUS,
  NEXT_POLL_AT,
  MAIN_ASLEEP,
  MAIN_STATE,
} from '../../../../../build/runtime/shared-memory/layout/queue-layout.js'
import { queueViews } from '../../../../../build/runtime/shared-memory/layout/queue-memory.js'
import { SharedQueue } from '../../../../../build/runtime/shared-memory/main/shared-queue.js'
import { machineMs } from '../../../../../build/runtime/wire/machine-clock.js'
import { REPLY_RESULT } from '../../../../../build/runtime/wire/messages.js'
import { ReplyWriter } from '../../../../../build/runtime/shared-memory/layout/reply-ring.js'
import * as own from '../../../../../build/runtime/shared-memory/layout/worker-layout.js'
import { workerViews } from '../../../../../build/runtime/shared-memory/layout/worker-memory.js'
import { nextTurn } from '../../../../helpers/waiting.js'
import { replaceTimer } from '../../../../helpers/fake-timers.js'

const options = { announceStart: false, isEach: false, hasContext: false }
const call = () => ({ id: -1, position: -1, name: 'f', args: [1], options, isSettled: false })

/** A queue with workers that sleep in their event loops. */
function queueOf(count) {
  const queue = new SharedQueue(count, 1)
  const workers = Array.from({ length: count }, () => {
    const posted = []
    const events = { onReply() {}, holdsCalls: () => false, post: (message) => posted.push(message) }
    const endpoint = queue.createEndpoint(events)
    queue.addWorker(endpoint)
    endpoint.onUp()
    const { control } = workerViews(endpoint.memory)
    const fallAsleep = () => Atomics.store(control, own.STATE, own.IN_LOOP)
    fallAsleep()
    return { endpoint, posted, fallAsleep }
  })
  const { control } = queueViews(queue.initFor(workers[0].endpoint).queue)
  return { queue, workers, isMainAsleep: () => Atomics.load(control, MAIN_STATE) === MAIN_ASLEEP }
}

function pass(ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('it sleeps at once when a rare call went to a worker that was woken for it', async () => {
  const { queue, workers, isMainAsleep } = queueOf(2)
  assert.equal(queue.offer(call()), 'taken')
  assert.equal(isMainAsleep(), false)
  await null
  assert.deepEqual([workers[0].posted.length, workers[1].posted.length], [1, 0])
  assert.equal(isMainAsleep(), true)
})

test('also while another call is open', async () => {
  const { queue, workers, isMainAsleep } = queueOf(2)
  queue.offer(call())
  await nextTurn()
  await nextTurn()
  queue.wake()
  await nextTurn()
  await nextTurn()
  Atomics.store(queueViews(queue.initFor(workers[0].endpoint).queue).control, MAIN_STATE, 0)
  pass(1)
  workers[0].fallAsleep()
  workers[1].fallAsleep()
  queue.offer(call())
  await null
  assert.equal(isMainAsleep(), true)
})

test('it looks for replies first when calls follow each other, or go to a worker that is awake', async () => {
  const { queue, workers, isMainAsleep } = queueOf(1)
  const states = new Set()
  // More than once, since this process may be held up between two of them.
  for (let i = 0; i < 100; i++) {
    const { control } = queueViews(queue.initFor(workers[0].endpoint).queue)
    Atomics.store(control, MAIN_STATE, 0)
    workers[0].fallAsleep()
    const task = call()
    queue.offer(task)
    await null
    states.add(isMainAsleep())
    queue.withdraw(task)
    await nextTurn()
  }
  assert.ok(states.has(false))

  const awake = queueOf(1)
  awake.queue.offer(call())
  await nextTurn()
  await nextTurn()
  Atomics.store(queueViews(awake.queue.initFor(awake.workers[0].endpoint).queue).control, MAIN_STATE, 0)
  pass(1)
  awake.queue.offer(call())
  await null
  assert.equal(awake.isMainAsleep(), false)
})

describe('what a worker says of calls', () => {
  function starting() {
    const queue = new SharedQueue(1, 1)
    const results = []
    const onReply = (_task, _kind, value) => results.push(value)
    const endpoint = queue.createEndpoint({ onReply, holdsCalls: () => false, post() {} })
    queue.addWorker(endpoint)
    const task = call()
    assert.equal(queue.offer(task), 'taken')
    new ReplyWriter(workerViews(endpoint.memory)).write(REPLY_RESULT, task.id, 'early')
    return { queue, endpoint, results }
  }

  test('is read once it is known to be up', () => {
    const { queue, endpoint, results } = starting()
    queue.wake()
    assert.deepEqual(results, [])
    assert.equal(endpoint.isEmpty, true)
    endpoint.onUp()
    assert.deepEqual(results, ['early'])
  })

  test('or once it has ended', () => {
    const { queue, endpoint, results } = starting()
    assert.deepEqual(queue.removeWorker(endpoint), [])
    assert.deepEqual(results, ['early'])
  })
})

test('it plans no look of its own before a worker is up, which says so', async (t) => {
  const turns = async () => {
    for (let i = 0; i < 3; i++) await nextTurn()
  }
  await turns() // the queues of other tests fall asleep, too; further looks of theirs come later than after 5 ms
  const mock = replaceTimer(t)
  const firstLooks = () => mock.calls.filter((each) => each.arguments[1] === 5).length
  const queue = new SharedQueue(2, 1)
  const [endpoint] = [1, 2].map(() => {
    const endpoint = queue.createEndpoint({ onReply() {}, holdsCalls: () => false, post() {} })
    queue.addWorker(endpoint)
    return endpoint
  })
  queue.offer(call())
  await turns()
  assert.equal(firstLooks(), 0)
  endpoint.onUp() // the other one still starts
  queue.wake()
  await turns()
  assert.equal(firstLooks(), 1)
})

test('its workers know when it looks by itself', async () => {
  const { queue, workers, isMainAsleep } = queueOf(1)
  const { control } = queueViews(queue.initFor(workers[0].endpoint).queue)
  queue.offer(call())
  const before = machineMs()
  await null
  assert.equal(isMainAsleep(), true)
  const dueIn = (Atomics.load(control, NEXT_POLL_AT) - before) | 0
  assert.ok(dueIn >= 5 && dueIn <= 5 + ((machineMs() - before) | 0), `in ${dueIn} ms`)
})

test('its workers know how many CPUs there are, also for a part of one', () => {
  const queue = new SharedQueue(1, 1)
  const endpoint = queue.createEndpoint({ onReply() {}, holdsCalls: () => false, post() {} })
  const { control } = queueViews(queue.initFor(endpoint).queue)
  assert.equal(control[CPUS], 0)
  queue.setCpus(1.5)
  assert.equal(control[CPUS], 2)
})
