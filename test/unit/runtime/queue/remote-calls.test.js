// The caller's side of a queue, on a store that does as it is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failedReason } from '../../../../build/runtime/queue/failed-reason.js'
import { RemoteCalls } from '../../../../build/runtime/queue/remote-calls.js'
import { storeErrors } from '../../../../build/runtime/bullmq/store-errors.js'
import { Observer } from '../../../../build/runtime/core/observer.js'
import { writeText } from '../../../../build/runtime/wire/as-text.js'
import { fakeTimers } from '../../../helpers/fake-timers.js'
import { nextTurn, waitUntil } from '../../../helpers/waiting.js'

const result = (value) => ({ result: '', payload: writeText(value), ms: 1 })
const rejection = (promise) => promise.then(() => assert.fail('it has not failed'), (error) => error) // prettier-ignore

/** A store in memory: `jobs` by id, with the states that a test gives them. */
function createStore() {
  const listeners = new Map()
  const store = {
    jobs: new Map(),
    told: [],
    closed: 0,
    refusal: undefined,
    released: [],
    breaks: 0,
    now: () => 1,
    readClock: async () => {},
    write: async () => {},
    release: async (seen) => void store.released.push(...seen.map(({ id }) => id)),
    /** What the next adds give. */
    answers: [],
    async add(jobs) {
      if (store.refusal) throw store.refusal
      const answer = store.answers.shift() ?? 'added'
      if (answer !== 'added') return jobs.map(() => answer)
      for (const job of jobs)
        if (!store.jobs.has(job.id)) store.jobs.set(job.id, { ...job, state: { state: 'open' } })
      return jobs.map(() => 'added')
    },
    look: async (ids) => ids.map((id) => store.jobs.get(id)?.state ?? { state: 'missing' }),
    async ownerOf(id) {
      const job = store.jobs.get(id)
      return job && { task: job.task, of: job.of, isTaken: job.isTaken ?? false }
    },
    async withdraw(id) {
      const job = store.jobs.get(id)
      if (job?.isTaken) return { state: 'taken', made: job.made }
      return { state: job?.state.state === 'open' && store.jobs.delete(id) ? 'withdrawn' : 'over' }
    },
    async tell(name, message) {
      for (const listener of [...(listeners.get(name) ?? [])]) listener(message)
    },
    tellWorkers: async (message) => void store.told.push(message),
    async listen(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener])
      return {
        stop: () =>
          listeners.set(
            channel,
            listeners.get(channel).filter((one) => one !== listener),
          ),
      }
    },
    close: async () => void store.closed++,
    /** To the caller of a job. */
    answer: (job, message) => store.tell(job.data.reply, message),
  }
  return store
}

async function open(options = {}) {
  const store = createStore()
  let onUp
  const calls = new RemoteCalls({
    storeErrors,
    ...{ queue: 'q', name: 'n', startTimeout: 1000, closeTimeout: 1000, retries: 0, maxPayload: 10_000 },
    ...{ workerTimeout: 1e6, storeTimeout: 1e6, keepResults: 1000, ...options },
    observer: new Observer({ name: 'n', kind: 'bullmq' }),
    openStore: async ({ onUp: given }) => {
      onUp = given
      return store
    },
  })
  await calls.ready
  const firstJob = async () => {
    await waitUntil(() => store.jobs.size > 0)
    return [...store.jobs.values()][0]
  }
  return { calls, store, firstJob, comeUp: () => onUp() }
}

test('settles by what the worker tells, once', async () => {
  const { calls, store, firstJob } = await open()
  const call = calls.submit('task', [1], undefined)
  const job = await firstJob()
  store.answer(job, { type: 'done', id: job.id, result: result('first') })
  store.answer(job, { type: 'failed', id: job.id, reason: failedReason(new Error('late')) })
  assert.equal(await call, 'first')
  assert.deepEqual(calls.counts, { queued: 0, running: 0, completed: 1, failed: 0, cancelled: 0 })
})

test('finds by itself what a message that got lost has told', async () => {
  for (const state of [
    { state: 'completed', result: result(7) },
    { state: 'failed', reason: failedReason(new RangeError('no')) },
  ]) {
    const { calls, firstJob, comeUp } = await open()
    const call = calls.submit('task', [1], undefined)
    const job = await firstJob()
    await waitUntil(() => calls.counts.running === 1)
    job.state = state
    comeUp()
    if (state.state === 'completed') assert.equal(await call, 7)
    else assert.ok((await rejection(call)) instanceof RangeError)
  }
})

test('fetches what is too large for a message', async () => {
  const { calls, store, firstJob } = await open()
  const call = calls.submit('task', [1], undefined)
  const job = await firstJob()
  job.state = { state: 'completed', result: result('large') }
  store.answer(job, { type: 'ended', id: job.id })
  assert.equal(await call, 'large')
})

test('a job that is gone fails its call, or is added again as often as it may', async () => {
  const strict = await open()
  const lost = strict.calls.submit('task', [1], undefined)
  await strict.firstJob()
  await waitUntil(() => strict.calls.counts.running === 1)
  strict.store.jobs.clear()
  strict.comeUp()
  assert.equal((await rejection(lost)).code, 'TW_ERR_CALL_LOST')

  const patient = await open({ retries: 1 })
  const call = patient.calls.submit('task', [1], undefined)
  for (const isLast of [false, true]) {
    const { id } = await patient.firstJob()
    await waitUntil(() => patient.calls.counts.running === 1)
    patient.store.jobs.clear()
    patient.comeUp()
    if (isLast) assert.equal((await rejection(call)).code, 'TW_ERR_CALL_LOST')
    else assert.equal((await patient.firstJob()).id, id)
  }
})

test('a store that refuses a job fails its call, and takes back what it may have taken', async () => {
  const { calls, store } = await open()
  store.refusal = new Error('OOM command not allowed')
  const error = await rejection(calls.submit('task', [1], undefined))
  assert.equal(error.code, 'TW_ERR_STORE_UNAVAILABLE')
  assert.match(error.message, /OOM command not allowed/)
  assert.equal(error.cause, store.refusal)
  assert.equal(store.told.filter(({ type }) => type === 'cancel').length, 1)
})

test('a store that cannot be opened fails every call with the reason', async () => {
  const reason = new Error('no such package')
  const calls = new RemoteCalls({
    storeErrors,
    ...{ queue: 'q', startTimeout: 1000, closeTimeout: 10, retries: 0, maxPayload: 1000 },
    ...{ workerTimeout: 1e6, storeTimeout: 1e6, observer: new Observer({ name: 'n', kind: 'bullmq' }) },
    openStore: async () => {
      throw reason
    },
  })
  assert.equal(await rejection(calls.ready), reason)
  assert.equal(await rejection(calls.submit('task', [], undefined)), reason)
  await calls.close()
})

test('an aborted call is taken back, and workers are told why', async () => {
  const { calls, store, firstJob } = await open()
  const controller = new AbortController()
  const call = rejection(calls.submit('task', [1], { signal: controller.signal }))
  const { id } = await firstJob()
  controller.abort(new Error('changed my mind'))
  assert.equal((await call).message, 'changed my mind')
  await waitUntil(() => store.jobs.size === 0)
  const cancel = store.told.find(({ type }) => type === 'cancel')
  assert.equal(cancel.id, id)
  assert.match(cancel.reason, /^Error: changed my mind\n/)
  assert.equal(calls.counts.cancelled, 1)
})

test('queueTimeout gives up a call that waits, and not one that has started', async (t) => {
  const { calls, store, firstJob } = await open()
  const late = await rejection(calls.submit('task', [1], { queueTimeout: 20 }))
  assert.equal(late.code, 'TW_ERR_QUEUE_TIMEOUT')
  const asked = new Promise((resolve) => {
    store.withdraw = async () => (resolve(), { state: 'taken', made: 1 }) // a worker has it
  })
  fakeTimers(t)
  const call = calls.submit('task', [1], { queueTimeout: 500 })
  while (store.jobs.size === 0) await nextTurn()
  t.mock.timers.tick(500)
  await asked
  const job = await firstJob()
  store.answer(job, { type: 'done', id: job.id, result: result('ran') })
  assert.equal(await call, 'ran')
})

test('queueTimeout gives up a call while the store cannot be reached', async () => {
  let fail
  const calls = new RemoteCalls({
    storeErrors,
    ...{ queue: 'q', startTimeout: 1000, closeTimeout: 10, retries: 0, maxPayload: 1000 },
    ...{ workerTimeout: 1e6, storeTimeout: 3000, observer: new Observer({ name: 'n', kind: 'bullmq' }) },
    openStore: () => new Promise((_, reject) => (fail = reject)),
  })
  const error = await rejection(calls.submit('task', [], { queueTimeout: 20 }))
  assert.equal(error.code, 'TW_ERR_QUEUE_TIMEOUT')
  fail(new Error('no such package'))
  await calls.close()
})

test('calls with the same id wait for one job, which outlives its callers', async () => {
  const { calls, store, firstJob } = await open()
  const options = { id: 'a' }
  const both = [calls.submit('task', [1], options), calls.submit('task', [1], options)].map(rejection)
  await firstJob()
  await waitUntil(() => calls.counts.running === 2)
  assert.equal(store.jobs.size, 1)
  const other = await rejection(calls.submit('another', [1], options))
  assert.match(other.message, /^id must be one that is not in use for another task \(it is, for "task"\)/)
  const others = await rejection(calls.submit('task', [2], options))
  assert.match(others.message, /^id must be one that is not in use for other arguments/)
  await calls.destroy(new Error('over'))
  assert.deepEqual((await Promise.all(both)).map(({ code }) => code), ['TW_ERR_DESTROYED', 'TW_ERR_DESTROYED']) // prettier-ignore
  assert.equal(store.jobs.size, 1)
  assert.equal(store.closed, 1)
})

test('close waits for what is open, destroy takes it back', async () => {
  const closing = await open()
  const call = closing.calls.submit('task', [1], undefined)
  const job = await closing.firstJob()
  const closed = closing.calls.close()
  assert.equal((await rejection(closing.calls.submit('task', [], undefined))).code, 'TW_ERR_CLOSED')
  closing.store.answer(job, { type: 'done', id: job.id, result: result(1) })
  assert.equal(await call, 1)
  await closed
  assert.equal(closing.store.closed, 1)

  const destroyed = await open()
  const given = rejection(destroyed.calls.submit('task', [1], undefined))
  await destroyed.firstJob()
  await destroyed.calls.destroy('why')
  assert.equal((await given).cause, 'why')
  assert.equal(destroyed.store.jobs.size, 0)
})

test('progress comes in order, and an error of its listener ends the call', async () => {
  const { calls, store, firstJob } = await open()
  const seen = []
  const onProgress = (value) => {
    seen.push(value)
    if (value === 'stop') throw new RangeError('enough')
  }
  const call = rejection(calls.submit('task', [1], { onProgress }))
  const job = await firstJob()
  assert.equal(job.data.progress, true)
  for (const value of [1, 'stop', 2])
    store.answer(job, { type: 'progress', id: job.id, payload: writeText(value) })
  assert.equal((await call).message, 'enough')
  assert.deepEqual(seen, [1, 'stop'])
  await nextTurn()
  assert.equal(store.told.some(({ type }) => type === 'cancel'), true) // prettier-ignore
})

test('an add that the store knows was made before it is made anew, unless it was sent without an answer', async () => {
  const clear = await open()
  clear.store.answers = ['late', 'known']
  const call = clear.calls.submit('task', [1], undefined)
  const job = await clear.firstJob()
  clear.store.answer(job, { type: 'done', id: job.id, result: result(1) })
  assert.equal(await call, 1)

  const doubtful = await open()
  doubtful.store.answers = ['known']
  const { add } = doubtful.store
  doubtful.store.add = async (jobs) => {
    doubtful.store.breaks++ // its connection broke: the first answer may have got lost
    return add(jobs)
  }
  assert.equal(
    (await Promise.race([rejection(doubtful.calls.submit('task', [1], undefined))])).code,
    'TW_ERR_CALL_LOST',
  )
})

test('an add that breaks off is asked for, and sent again where it is not found', async () => {
  const { calls, store, firstJob } = await open()
  const broken = Object.assign(new Error('Command aborted due to connection close'), { name: 'AbortError' })
  const { add } = store
  let count = 0
  store.add = async (jobs) => {
    count++
    if (count === 1) throw broken
    if (count === 2) await add(jobs)
    if (count <= 2) throw broken
    return assert.fail('it was there')
  }
  const call = calls.submit('task', [1], undefined)
  const job = await firstJob()
  store.answer(job, { type: 'done', id: job.id, result: result('once') })
  assert.equal(await call, 'once')
  assert.equal(count, 2)
})

test('the store is told of ends that were seen, and not of those with an id', async () => {
  const { calls, store } = await open()
  for (const options of [undefined, { id: 'mine' }]) {
    const call = calls.submit('task', [1], options)
    await waitUntil(() => store.jobs.size === 1 && calls.counts.running === 1)
    const [job] = store.jobs.values()
    job.state = { state: 'completed', result: result(1) }
    store.answer(job, { type: 'ended', id: job.id })
    await call
    store.jobs.clear()
  }
  await calls.close()
  assert.deepEqual(store.released.length, 1)
})

test('whoever shares an id is not hurt by the abort of another one; the last one takes the job back', async () => {
  const { calls, store, firstJob } = await open()
  const controllers = [new AbortController(), new AbortController()]
  const [one, two] = controllers.map(({ signal }) =>
    rejection(calls.submit('task', [1], { id: 'a', signal })),
  )
  await firstJob()
  await waitUntil(() => calls.counts.running === 2)
  controllers[0].abort(new Error('not I'))
  assert.equal((await one).message, 'not I')
  await nextTurn()
  assert.equal(store.jobs.size, 1)
  controllers[1].abort(new Error('nor I'))
  assert.equal((await two).message, 'nor I')
  await waitUntil(() => store.jobs.size === 0)
})

test('a job with an id is left alone while another program says that it waits', async () => {
  const { calls, store, firstJob } = await open()
  const controller = new AbortController()
  const call = rejection(calls.submit('task', [1], { id: 'a', signal: controller.signal }))
  const { id } = await firstJob()
  let asked
  const answered = new Promise((resolve) => (asked = resolve))
  await store.listen(id, async (message) => {
    if (message.type !== 'anybody') return
    await store.tell(id, { type: 'waits', id, from: 'another' })
    asked()
  })
  await waitUntil(() => calls.counts.running === 1)
  controller.abort(new Error('over'))
  await call
  await answered
  await calls.close()
  assert.equal(store.jobs.size, 1)
})

test('a result that nobody of ours has written fails its own call, and no other one', async () => {
  const { calls, store, comeUp } = await open()
  const both = [calls.submit('task', [1], undefined), calls.submit('task', [2], undefined)]
  await waitUntil(() => calls.counts.running === 2)
  const [bad, good] = store.jobs.values()
  bad.state = { state: 'foreign', what: 'result' }
  good.state = { state: 'completed', result: result('good') }
  comeUp()
  assert.equal((await rejection(both[0])).code, 'TW_ERR_UNTRUSTED')
  assert.equal(await both[1], 'good')
})
