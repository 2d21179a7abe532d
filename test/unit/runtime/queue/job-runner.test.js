// What a worker does with a job that it has taken, on a pool that does as it is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ThreadwiseError } from '../../../../build/errors/errors.js'
import { writeArguments } from '../../../../build/runtime/queue/call-payload.js'
import { failedReason } from '../../../../build/runtime/queue/failed-reason.js'
import { JobRunner } from '../../../../build/runtime/queue/job-runner.js'
import { readText, writeText } from '../../../../build/runtime/wire/as-text.js'

const died = () => new ThreadwiseError('TW_ERR_WORKER_EXITED', { task: 'task', how: 'with exit code 3' })
const rejection = (promise) => promise.then(() => assert.fail('it has not failed'), (error) => error) // prettier-ignore

function createRunner(run) {
  const made = []
  const pool = {
    run(name, args, options) {
      made.push({ name, args, options })
      return run(made.length, options)
    },
  }
  const told = []
  const runner = new JobRunner({
    pool,
    queue: 'q',
    tellProgress: (job, payload) => told.push(readText(payload)),
  })
  return { runner, made, told }
}

function job(own = {}, args = [1, { a: 2 }]) {
  const { id = 'j', starts = 1, made = 1, lives = 0, ...data } = own
  const payload = writeArguments('task', args, { isEach: false, maxPayload: 1e6 })
  return {
    id,
    task: 'task',
    ...{ starts, made, lives },
    data: { v: 2, ...payload, reply: 'r', keep: 1, unseen: 1, retries: 0, maxPayload: 1e6, ...data },
  }
}

test('runs it with its arguments and times, and gives the result for people and for the caller', async () => {
  const { runner, made } = createRunner(async () => new Map([[1, 2]]))
  const { result, payload, ms } = await runner.run(job({ timeout: 50, gracePeriod: 5 }))
  assert.deepEqual(readText(payload), new Map([[1, 2]]))
  assert.equal(result, 'Map(1) { 1 => 2 }')
  assert.ok(ms >= 0)
  assert.deepEqual([made[0].name, made[0].args, made[0].options.timeout, made[0].options.gracePeriod], ['task', [1, { a: 2 }], 50, 5]) // prettier-ignore
})

test('does not start it more often than its call allows', async () => {
  const { runner, made } = createRunner(async () => 1)
  assert.equal((await rejection(runner.run(job({ starts: 2 })))).code, 'TW_ERR_WORKER_EXITED')
  assert.equal((await rejection(runner.run(job({ retries: 2, starts: 4 })))).code, 'TW_ERR_WORKER_EXITED')
  await runner.run(job({ retries: 2, starts: 3 }))
  assert.equal(made.length, 1)
})

test('does not start it again where a store has forgotten that it did', async () => {
  const { runner, made } = createRunner(async () => 1)
  await runner.run(job())
  assert.equal((await rejection(runner.run(job()))).code, 'TW_ERR_WORKER_EXITED')
  assert.equal(made.length, 1)
})

test('starts another job that has its id, and one that was retried by hand', async () => {
  const { runner, made } = createRunner(async () => 1)
  await runner.run(job())
  runner.cancel({ id: 'j', reason: failedReason(new Error('the old one')), made: 1, isLeft: true })
  assert.deepEqual([runner.isLeft('j', 1), runner.isLeft('j', 2)], [true, false])
  await runner.run(job({ made: 2 }))
  await runner.run(job({ made: 2, lives: 1 }))
  assert.equal(made.length, 3)
})

test('goes on with its own job when it gets that again while it runs', async () => {
  let end
  const { runner, made } = createRunner(() => new Promise((resolve) => (end = resolve)))
  const both = [runner.run(job()), runner.run(job({ starts: 2 }))]
  end('once')
  for (const { payload } of await Promise.all(both)) assert.equal(readText(payload), 'once')
  assert.equal(made.length, 1)
})

test('a worker of its pool that dies counts as a start', async () => {
  const once = createRunner(async (count) => (count === 1 ? Promise.reject(died()) : 'again'))
  assert.equal((await rejection(once.runner.run(job()))).code, 'TW_ERR_WORKER_EXITED')
  const patient = createRunner(async (count) => (count === 1 ? Promise.reject(died()) : 'again'))
  assert.equal(readText((await patient.runner.run(job({ retries: 1 }))).payload), 'again')
  const after = createRunner(async () => Promise.reject(died()))
  await rejection(after.runner.run(job({ retries: 2, starts: 2 })))
  assert.equal(after.made.length, 2)
})

test('a cancelled job stops, also one that is cancelled before it comes', async () => {
  const { runner, made } = createRunner(
    (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  )
  const call = rejection(runner.run(job()))
  runner.cancel({ id: 'j', reason: failedReason(new RangeError('not needed')) })
  assert.ok((await call) instanceof RangeError)
  runner.cancel({ id: 'later', reason: failedReason(new TypeError('nor this')) })
  assert.ok((await rejection(runner.run(job({ id: 'later' })))) instanceof TypeError)
  assert.equal(made.length, 1)
})

test('inputs of several calls become one call of the pool, and their results have nothing in common', async () => {
  const shared = {}
  const { runner, made } = createRunner(async () => ({ results: [shared, shared], us: 5, isAsync: false }))
  const { payload } = await runner.run(job({ each: true }, [1, 2]))
  assert.deepEqual([made[0].name, made[0].args], ['threadwise:each:task', [[1, 2]]])
  const { results, us } = readText(payload)
  assert.equal(us, 5)
  assert.notEqual(results[0], results[1])
})

test('an error of such a call names the task as its caller does', async () => {
  const refused = new ThreadwiseError('TW_ERR_WORKER_EXITED', {
    task: 'threadwise:each:task',
    how: 'with exit code 3',
  })
  const { runner } = createRunner(async () => Promise.reject(refused))
  assert.match(
    (await rejection(runner.run(job({ each: true }, [1, 2])))).message,
    /^The worker that ran task "task" ended/,
  )
})

test('progress goes to the caller where it is wanted', async () => {
  const { runner, told } = createRunner(async (_, { onProgress }) => onProgress?.({ at: 5 }))
  await runner.run(job({ progress: true }))
  await runner.run(job({ id: 'other' }))
  assert.deepEqual(told, [{ at: 5 }])
})

test('a job that nobody here has written is refused', async () => {
  const { runner } = createRunner(async () => 1)
  const whole = job({ id: 'x' })
  const wrong = [
    ...[{ retries: 1e9 }, { retries: -1 }, { retries: '1' }, { reply: {} }, { reply: 'r'.repeat(2000) }],
    ...[
      { keep: Infinity },
      { unseen: null },
      { maxPayload: '5' },
      { timeout: 'x' },
      { context: 5 },
      { each: 'yes' },
    ],
  ].map((part) => ({ ...whole.data, ...part }))
  const sparse = []
  sparse.length = 4_000_000_000
  for (const payload of [{ length: Infinity }, sparse, 'text', 5].map(writeText))
    wrong.push({ ...whole.data, payload })
  for (const values of [{ length: Infinity }, sparse, 'text', [5, 5], ['odd']])
    wrong.push({ ...whole.data, payload: writeText([values, 1]), context: true })
  for (const [i, data] of [null, {}, { v: 1 }, 5, ...wrong].entries())
    assert.equal(
      (await rejection(runner.run({ ...whole, id: `x${i}`, data }))).code,
      'TW_ERR_INVALID_CALL',
      JSON.stringify(data),
    )
})

test('the newest progress wins where it is told faster than it is sent, and the last value is told', async () => {
  const sent = []
  let release
  const first = new Promise((resolve) => (release = resolve))
  const pool = {
    async run(name, args, { onProgress }) {
      for (let i = 0; i < 10_000; i++) onProgress(i)
      release()
    },
  }
  const runner = new JobRunner({
    ...{ pool, queue: 'q' },
    tellProgress: (_, payload) => (sent.push(readText(payload)), first),
  })
  await runner.run(job({ progress: true }))
  assert.equal(sent.at(-1), 9999)
  assert.ok(sent.length < 1000, `${sent.length} of 10,000`)
  assert.deepEqual(
    sent,
    [...sent].sort((a, b) => a - b),
  )
})

test('what cannot be sent, or is too large, fails the job', async () => {
  const { runner } = createRunner(async (count) => (count === 1 ? { save() {} } : 'x'.repeat(100)))
  assert.match((await rejection(runner.run(job()))).message, /result\.save is a function/)
  assert.equal(
    (await rejection(runner.run(job({ id: 'large', maxPayload: 50 })))).code,
    'TW_ERR_PAYLOAD_TOO_LARGE',
  )
})

test('once it has given up, jobs neither complete nor fail', async () => {
  let fail
  const { runner } = createRunner(() => new Promise((_, reject) => (fail = reject)))
  const call = runner.run(job())
  runner.giveUp()
  fail(new Error('the pool was destroyed'))
  const outcome = await Promise.race([
    call.then(String, String),
    new Promise((resolve) => setTimeout(resolve, 50, 'open')),
  ])
  assert.equal(outcome, 'open')
})
