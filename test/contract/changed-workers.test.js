// Calls that wait while their pool's workers change: nobody may be forgotten, nor kept for a call that is gone.
import { holdTimers } from '../helpers/held-timers.js' // before threadwise
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { adaptive, threads } from 'threadwise'
import { describeExecutors, rejection, taskModule } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { many } from '../helpers/many.js'
import { nextTurn, waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 30_000 } // a hang is what is tested

/** Timers of `ms` do not run by themselves: `begins()` resolves when there is one, and `ends()` runs it. */
function holdPause(t, ms) {
  const held = holdTimers(t, ms)
  return {
    async begins() {
      while (held.length === 0) await nextTurn()
    },
    ends: () => held.pop()(),
  }
}

describeExecutors('a worker that is kept free for a call that is tried again', (make, { isPool }) => {
  if (!isPool) return
  const backoff = 12_345 // no other timer takes as long
  const onWorkerExit = { retries: 1, backoff }

  test('takes other calls when that one is aborted', limit, async (t) => {
    const path = testFolder(t)
    const pause = holdPause(t, backoff)
    const executor = make('routed.js', { size: 1, onWorkerExit })
    const controller = new AbortController()
    const { signal } = controller
    const aborted = rejection(executor.run('exitUntil', [path('tries'), 2], { signal }))
    await pause.begins()
    await executor.tasks.workerId() // in the next worker
    const waiting = executor.tasks.waitUntil(path('started'), path('free'))
    await fileExists(path('started'))
    pause.ends()
    while (executor.stats().queued === 0) await nextTurn()
    controller.abort('enough')
    assert.equal(await aborted, 'enough')
    assert.deepEqual(await executor.tasks.keep(new Map()), [new Map()])
    touch(path('free'))
    assert.equal(await waiting, 'released')
  })

  test('takes other calls when another worker was free before', limit, async (t) => {
    const path = testFolder(t)
    const pause = holdPause(t, backoff)
    const executor = make('routed.js', { onWorkerExit })
    const retried = executor.tasks.exitUntil(path('tries'), 2)
    await pause.begins()
    await executor.broadcast('workerId')
    const keys = [...'abcdefgh']
    const calls = keys.map((key) => {
      return executor.run('waitUntil', [path(`started ${key}`), path(`free ${key}`)], { key })
    })
    await many(keys.length, (i) => fileExists(path(`started ${keys[i]}`)))
    pause.ends()
    while (executor.stats().queued === 0) await nextTurn()
    for (const key of keys) touch(path(`free ${key}`))
    assert.deepEqual(await Promise.all(calls), Array(keys.length).fill('released'))
    assert.equal(await retried, 2)
    const ids = await Promise.all(keys.map((key) => executor.run('workerId', [], { key })))
    assert.equal(ids.length, keys.length)
  })

  test('the time until then is not run time', limit, async (t) => {
    const executor = make('routed.js', { onWorkerExit: { retries: 1, backoff: 3000 } })
    const file = testFolder(t)('tries')
    assert.equal(await executor.run('exitUntil', [file, 2], { timeout: 2500 }), 2)
  })
})

describeExecutors('a worker with too many promises that nobody waits for', (make, { isPool }) => {
  if (!isPool) return

  test('is replaced at once, also when these settle yet', limit, async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { size: 1, tasksPerWorker: 2 })
    const waitFor = (name, options) => executor.run('waitDeaf', [path(name), path(`free ${name}`)], options)
    const first = await executor.tasks.workerId()
    const given = ['a', 'b'].map((name) => rejection(waitFor(name, { timeout: 500, gracePeriod: 500 })))
    await fileExists(path('a'))
    assert.deepEqual((await Promise.all(given)).map(({ code }) => code), Array(2).fill('TW_ERR_TIMEOUT')) // prettier-ignore
    const normal = waitFor('normal')
    await fileExists(path('normal'))
    await waitUntil(() => executor.stats().workers.some(({ id }) => id > first), 'another one starts')
    for (const name of ['a', 'b', 'normal']) touch(path(`free ${name}`))
    assert.equal(await normal, 'released')
    for (let i = 0; i < 50; i++) assert.equal(typeof (await executor.tasks.workerId()), 'number')
    await waitUntil(async () => (await executor.tasks.workerId()) > first, 'another worker takes its calls')
  })
})

describeExecutors('a pool that is made smaller', (make, { isPool, kind }) => {
  if (!isPool) return

  for (const balance of ['shared', 'round-robin']) {
    test(`while it starts is ready with the workers that are left (${balance})`, limit, async () => {
      const executor = make('routed.js', { size: 3, balance })
      executor.resize(1)
      await executor.ready
      assert.equal(typeof (await executor.tasks.workerId()), 'number')
    })
  }

  test('by another one that takes its share of the CPUs is ready, too', limit, async () => {
    const executors = ['a', 'b'].map(() => make('routed.js', { size: undefined }))
    await Promise.all(executors.map(({ ready }) => ready))
    assert.equal((await Promise.all(executors.map(({ tasks }) => tasks.workerId()))).length, 2)
  })

  test('and closed rejects the calls of the worker that was given up like the others', limit, async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { balance: 'round-robin' })
    const calls = ['a', 'b'].map((name) => rejection(executor.tasks.waitUntil(path(name), path('never'))))
    await many(2, (i) => fileExists(path('ab'[i])))
    executor.resize(1)
    await executor.close({ timeout: 100 })
    const codes = (await Promise.all(calls)).map(({ code }) => code)
    assert.deepEqual(codes, ['TW_ERR_CLOSED', 'TW_ERR_CLOSED'], kind)
  })

  test('to nothing by close() refuses a broadcast', limit, async () => {
    for (const balance of ['shared', 'round-robin']) {
      const executor = make('routed.js', { balance })
      await executor.broadcast('workerId')
      await executor.close()
      assert.equal((await rejection(executor.broadcast('workerId'))).code, 'TW_ERR_CLOSED')
    }
  })
})

describeExecutors('workers that grow old', (make, { isPool }) => {
  if (!isPool) return

  test('never run calls of one key side by side with their successors', { timeout: 90_000 }, async () => {
    const executor = make('spans.js', { recycle: { maxAge: 300 } })
    await executor.ready
    const keys = [...'abcdef']
    const callers = keys.flatMap((key) => [key, key, key])
    const workers = new Set()
    const start = performance.now()
    const goesOn = (ms) => ms < 3000 || (workers.size < 4 && ms < 60_000) // a slow machine needs longer for as many
    const all = await many(callers.length, async (i) => {
      const spans = []
      while (goesOn(performance.now() - start)) {
        const span = await executor.run('span', [4], { key: callers[i] })
        spans.push({ key: callers[i], span })
        workers.add(span[2])
      }
      return spans
    })
    for (const key of keys) {
      const spans = all.flat().filter((call) => call.key === key).map(({ span }) => span).sort(([a], [b]) => a - b) // prettier-ignore
      spans.forEach(([from, , worker], i) => {
        const before = spans[i - 1]
        if (before && before[2] !== worker) assert.ok(from > before[1], `${key}: ${from} in ${worker}, ${before[1]} in ${before[2]}`) // prettier-ignore
      })
    }
    assert.ok(workers.size >= 4, `${workers.size} workers`)
  })
})

describeExecutors('queueTimeout', (make, { isPool }) => {
  if (!isPool) return

  test('does not reject a call that has started while the caller was busy', limit, async (t) => {
    const path = testFolder(t)
    touch(path('free'))
    const executor = make('routed.js')
    await executor.broadcast('workerId')
    const call = executor.run('blockUntil', [path('started'), path('free')], { queueTimeout: 1000 })
    await nextTurn() // it is sent
    const start = performance.now()
    const isBusy = (ms) => ms < 1200 || (!existsSync(path('started')) && ms < 20_000)
    while (isBusy(performance.now() - start));
    assert.equal(await call, 'released')
  })
})

test(
  'a call that waits in a thread does not start after its cancellation because a fork has passed it',
  limit,
  async (t) => {
    const path = testFolder(t)
    const executor = threads(taskModule('spans.js'), { size: 1 })
    t.after(() => executor.destroy())
    /** Gives what became of the call, and whether it was run. */
    const attempt = async (number) => {
      const aborted = path(`aborted ${number}`)
      for (let i = 0; i < 20; i++) {
        await executor.tasks.mark(new Map()) // it learns that these are short
        await executor.tasks.forkNothing()
      }
      const before = await executor.tasks.marksSoFar()
      const forking = executor.tasks.forkNothing()
      const long = [100, 300, 300, 300, 300, 300].map((ms) => executor.tasks.span(ms, aborted))
      const controller = new AbortController()
      const marked = executor.run('mark', [new Map()], { signal: controller.signal })
      const outcome = marked.catch((reason) => reason)
      await forking
      controller.abort('no more')
      touch(aborted)
      await Promise.all(long)
      return { outcome: await outcome, marks: (await executor.tasks.marksSoFar()) - before }
    }
    await executor.tasks.span(1)
    let result
    let attempts = 0
    // Where the machine makes a short call look long, the fork does not pass it, and the abort comes too late.
    do result = await attempt(++attempts)
    while (result.outcome !== 'no more')
    assert.equal(result.marks, 0)
  },
)

test('an invalid THREADWISE_CPUS is refused at the call, also with a size', () => {
  const before = process.env.THREADWISE_CPUS
  process.env.THREADWISE_CPUS = 'abc'
  try {
    for (const make of [threads, adaptive])
      assert.throws(() => make(taskModule('spans.js'), { size: 1 }), { code: 'TW_ERR_INVALID_OPTION' })
    const byMessage = { size: 1, transport: 'message' }
    assert.throws(() => adaptive(taskModule('spans.js'), byMessage), { code: 'TW_ERR_INVALID_OPTION' })
  } finally {
    if (before === undefined) delete process.env.THREADWISE_CPUS
    else process.env.THREADWISE_CPUS = before
  }
})

test('one that becomes invalid later ends nothing, though the budget is read once the workers are up', async () => {
  const before = process.env.THREADWISE_CPUS
  const pools = [threads, adaptive].map((create) => create(taskModule('spans.js'), { size: 1 }))
  process.env.THREADWISE_CPUS = 'abc'
  try {
    await Promise.all(pools.map((pool) => pool.ready))
    await new Promise((resolve) => setTimeout(resolve, 400)) // an error thrown meanwhile would fail this test
  } finally {
    if (before === undefined) delete process.env.THREADWISE_CPUS
    else process.env.THREADWISE_CPUS = before
    await Promise.all(pools.map((pool) => pool.close()))
  }
})
