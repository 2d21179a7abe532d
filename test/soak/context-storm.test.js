// Calls of all kinds at once, each for a user of its own: whatever runs for a call, in the caller's thread or in a worker, runs for its user.
//
// THREADWISE_STORM=10 makes it ten times as long.
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { map } from 'threadwise/parallel'
import { request } from '../fixtures/classes/contexts.js'
import { describeExecutors } from '../helpers/executors.js'
import { numbers } from '../helpers/many.js'

const CALLS = 400 * Number(process.env.THREADWISE_STORM ?? 1)
const caller = new AsyncLocalStorage()
/** What becomes of a call that a full pool turns away. */
const TURNED_AWAY = ['TW_ERR_QUEUE_FULL', 'TW_ERR_DISCARDED']

/** The user for whom this runs, of whom both storages know. */
function user() {
  const own = caller.getStore()
  assert.equal(request.getStore(), own)
  return own
}

/** Why a call was rejected; throws where a full pool has turned it away. */
const reasonOf = (promise) =>
  promise.then(
    () => assert.fail('it was not rejected'),
    (reason) => {
      if (TURNED_AWAY.includes(reason.code)) throw reason
      return reason
    },
  )

const as = (name, callback) => caller.run(name, () => request.run(name, callback))

/** Each kind of call: what it checks, all in the contexts of `name`. */
const KINDS = {
  plain: (pool, name) => pool.tasks.now(name),
  later: (pool, name, i) => pool.run('later', [name, i % 4]),
  priority: (pool, name, i) => pool.run('now', [name], { priority: (i % 5) - 2 }),
  key: (pool, name, i) => pool.run('later', [name, 1], { key: i % 7 }),
  timeout: (pool, name) => pool.run('later', [name, 1], { timeout: 60_000, queueTimeout: 60_000 }),
  async progress(pool, name) {
    const told = []
    const seen = await pool.run('tell', [name], { onProgress: (value) => told.push(value, user()) })
    assert.deepEqual(told, new Array(6).fill(name))
    return seen
  },
  async stream(pool, name, i) {
    const seen = []
    for await (const item of pool.stream(i % 2 ? 'items' : 'itemsLater', [name, 1 + (i % 20)]))
      seen.push(item, user())
    return seen
  },
  async leftStream(pool, name) {
    for await (const item of pool.stream('itemsLater', [name, 1000])) return [item, user()]
  },
  forks: (pool, name) => pool.run('forks', [name]),
  async abort(pool, name) {
    const controller = new AbortController()
    const onProgress = (value) => (assert.equal(value, name), as('aborter', () => controller.abort(user())))
    const reason = await reasonOf(pool.run('listens', [name], { signal: controller.signal, onProgress }))
    assert.equal(reason, 'aborter')
    return [name]
  },
  async fails(pool, name) {
    const error = await reasonOf(pool.run('fails', [name]))
    assert.equal(error.message, 'as planned', String(error))
    return [error.seen]
  },
  async missing(pool) {
    const error = await reasonOf(pool.run('missing'))
    assert.equal(error.code, 'TW_ERR_TASK_NOT_FOUND')
    return []
  },
  map: (pool) => pool.map('nowOf', drawn(9)),
  parallel: (pool) => map(pool, 'nowOf', drawn(9)),
}

/** Inputs that say for whom they were drawn. */
function* drawn(count) {
  const name = user()
  for (let i = 0; i < count; i++) {
    assert.equal(user(), name)
    yield name
  }
}

async function call(pool, name, i) {
  const [kind, make] = Object.entries(KINDS)[i % Object.keys(KINDS).length]
  try {
    const seen = await make(pool, name, i)
    assert.deepEqual(seen, new Array(seen.length).fill(name), kind)
  } catch (error) {
    if (!TURNED_AWAY.includes(error.code)) throw error
  }
  assert.equal(user(), name, kind)
}

const POLICIES = {
  'as it is': {},
  reject: { maxQueue: 40, whenFull: 'reject' },
  wait: { maxQueue: 3, whenFull: 'wait' },
  discard: { maxQueue: 40, whenFull: 'discard' },
  'discard-oldest': { maxQueue: 40, whenFull: 'discard-oldest' },
  'caller-runs': { maxQueue: 2, whenFull: 'caller-runs' },
}

describeExecutors('a storm of contexts', (make) => {
  for (const [policy, options] of Object.entries(POLICIES))
    test(`is told apart in each call (${policy})`, { timeout: 100_000 }, async () => {
      const pool = make('context-storm.js', { concurrency: 8, ...options })
      const calls = numbers(CALLS).map((i) => as(`user${i}`, () => call(pool, `user${i}`, i)))
      await Promise.all(calls)
      assert.equal(user(), undefined)
      const { queued, running } = pool.stats()
      assert.deepEqual({ queued, running }, { queued: 0, running: 0 })
    })
})
