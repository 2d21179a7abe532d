// Streams in the pool, on workers that the test controls: what is sent, and what a call counts for while it runs and pauses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ANNOUNCE_START,
  CREDIT_SHIFT,
  REPLY_ITEMS,
  REPLY_PAUSES,
  REPLY_RUNS,
  TIMED,
  WANTS_ITEMS,
} from '../../../../build/runtime/wire/messages.js'
import { streamsOf } from '../../../../build/runtime/core/call-stream.js'
import { fakePool, outcome } from '../../../helpers/fake-runtime.js'
import { askUntil, nextTurn } from '../../../helpers/waiting.js'

const end = { done: true, value: undefined }

/** A pool with one worker that is up, and streams on it. */
async function open(t, options, runtimeOptions) {
  const fake = fakePool(t, options, runtimeOptions)
  fake.up()
  await nextTurn()
  const stream = streamsOf((...args) => fake.pool.submit(...args))
  return { ...fake, stream, worker: fake.workers[0] }
}

const untilTerminated = (worker) => askUntil(() => worker.isTerminated, Boolean)
/** Lets a timer of 1 ms pass that was started before. */
const graceIsOver = () => new Promise((resolve) => setTimeout(resolve, 5))

test('the call carries its credit, and is announced', async (t) => {
  const { stream, worker } = await open(t)
  const first = stream('s', [], { highWaterMark: 5 }).next()
  await nextTurn()
  assert.equal(worker.open[0].flags, TIMED | ANNOUNCE_START | WANTS_ITEMS | (5 << CREDIT_SHIFT))
  worker.started('s')
  worker.part('s', REPLY_ITEMS, ['a'])
  assert.equal((await first).value, 'a')
})

test('a generator that pauses leaves its worker free, one that runs does not', async (t) => {
  const { stream, run, worker, pool } = await open(t)
  const items = stream('s', [], {})
  void items.next()
  await nextTurn()
  worker.started('s')
  worker.waits('s')
  worker.part('s', REPLY_PAUSES)
  worker.part('s', REPLY_RUNS)
  run('other')
  await nextTurn()
  assert.deepEqual(worker.log, [['s']])
  worker.part('s', REPLY_PAUSES)
  await nextTurn()
  assert.deepEqual(worker.log, [['s'], ['other']])
  worker.answer('other')
  worker.part('s', REPLY_RUNS)
  worker.answer('s')
  await nextTurn()
  assert.equal(pool.counts.completed, 2)
  run('next')
  await nextTurn()
  assert.deepEqual(worker.log.at(-1), ['next'])
})

test('return() before the call has started tells the worker, and does not end it', async (t) => {
  const { stream, worker, pool } = await open(t)
  const items = stream('s', [], { gracePeriod: 1 })
  const first = items.next()
  await nextTurn()
  assert.deepEqual(await items.return(), end)
  assert.deepEqual(await first, end)
  assert.ok(worker.log.includes('stop'))
  assert.equal(pool.counts.cancelled, 1)
  assert.equal(worker.isTerminated, false)
})

test('return() of a generator that waits gives its place away after gracePeriod, and keeps the worker', async (t) => {
  const { stream, run, worker } = await open(t, { tasksPerWorker: 1 })
  const items = stream('s', [], { gracePeriod: 1 })
  void items.next()
  await nextTurn()
  worker.started('s')
  worker.waits('s')
  assert.deepEqual(await items.return(), end)
  await untilTerminated(worker) // spent: its only place is lost
  run('other')
  const two = await open(t, { tasksPerWorker: 2 })
  const more = two.stream('s', [], { gracePeriod: 1 })
  void more.next()
  await nextTurn()
  two.worker.started('s')
  two.worker.waits('s')
  assert.deepEqual(await more.return(), end)
  await graceIsOver()
  await graceIsOver()
  assert.equal(two.worker.isTerminated, false)
  two.worker.answer('s')
  two.run('other')
  await nextTurn()
  assert.deepEqual(two.worker.log.at(-1), ['other'])
})

test('return() of a generator that runs ends the worker after gracePeriod', async (t) => {
  const { stream, worker, pool } = await open(t)
  const items = stream('s', [], { gracePeriod: 1 })
  void items.next()
  await nextTurn()
  worker.started('s')
  worker.waits('s')
  worker.part('s', REPLY_RUNS)
  assert.deepEqual(await items.return(), end)
  await untilTerminated(worker)
  assert.equal(pool.counts.cancelled, 1)
})

test('a stream that had not started goes to the next worker, with all of its credit', async (t) => {
  const { stream, worker, workers } = await open(t)
  const items = stream('s', [], { highWaterMark: 2 })
  const first = items.next()
  await nextTurn()
  worker.die()
  await nextTurn()
  workers[1].ready()
  await nextTurn()
  assert.equal(workers[1].open[0].flags >> CREDIT_SHIFT, 2)
  workers[1].started('s')
  workers[1].part('s', REPLY_ITEMS, ['a'])
  assert.equal((await first).value, 'a')
  assert.deepEqual(workers[1].log.at(-1), 'credit')
})

test('one that had started fails, after its items', async (t) => {
  const { stream, worker } = await open(t)
  const items = stream('s', [], {})
  const first = items.next()
  await nextTurn()
  worker.startedCalls = 1
  worker.started('s')
  worker.part('s', REPLY_ITEMS, ['a', 'b'])
  worker.die()
  await nextTurn()
  assert.equal((await first).value, 'a')
  assert.equal((await items.next()).value, 'b')
  assert.equal((await outcome(items.next())).error.code, 'TW_ERR_WORKER_EXITED')
})

test('items that come after the stream was given up are dropped', async (t) => {
  const { stream, worker } = await open(t)
  const controller = new AbortController()
  const items = stream('s', [], { signal: controller.signal })
  const first = outcome(items.next())
  await nextTurn()
  worker.started('s')
  worker.waits('s')
  controller.abort('why')
  assert.deepEqual(worker.log.slice(-2), ['cancel', 'stop'])
  worker.part('s', REPLY_ITEMS, ['late'])
  worker.answer('s')
  assert.deepEqual(await first, { error: 'why' })
  assert.deepEqual(await items.next(), end)
})
