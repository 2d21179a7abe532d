// Calls that a worker takes as soon as it has loaded its module, before the main thread knows that it is up.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { threads } from 'threadwise'
import { createRandom } from '../../build/measure/stats/random.js'
import { taskModule } from '../helpers/executors.js'
import { testFolder, touch } from '../helpers/files.js'
import { nextTurn, waitUntil } from '../helpers/waiting.js'

function createPool(t, options = {}) {
  const pool = threads(taskModule('storm.js'), { size: 1, ...options })
  t.after(() => pool.destroy())
  return pool
}

/** Keeps the main thread from everything else until the file is there, and for 20 ms more. */
function seeFile(path) {
  const limit = performance.now() + 20_000
  let end = Infinity
  while (performance.now() < end) {
    if (end === Infinity && existsSync(path)) end = performance.now() + 20
    assert.ok(performance.now() < limit, `${path} did not appear`)
  }
}

describe('a call that was made while its worker started', { timeout: 60_000 }, () => {
  test('runs while the main thread does something else', async (t) => {
    const path = testFolder(t)
    const call = createPool(t).tasks.blockUntil(path('started'), path('free'))
    await nextTurn()
    seeFile(path('started'))
    touch(path('free'))
    await call
  })

  test('can be cancelled by then, and its worker is ended if it does not heed that', async (t) => {
    const path = testFolder(t)
    const pool = createPool(t)
    const controller = new AbortController()
    const options = { signal: controller.signal, gracePeriod: 50 }
    const call = pool.run('blockUntil', [path('started'), path('never')], options)
    await nextTurn()
    seeFile(path('started'))
    controller.abort('enough')
    await assert.rejects(call, (reason) => reason === 'enough')
    assert.equal(await pool.tasks.echo('healthy'), 'healthy')
  })

  test('counts for the one that replaces its worker', async (t) => {
    const path = testFolder(t)
    touch(path('free'))
    const pool = createPool(t, { recycle: { maxTasks: 2 } }) // with 1 the pool sends the call, once the worker is up
    const first = pool.tasks.blockUntil(path('started'), path('free'))
    await nextTurn()
    seeFile(path('started'))
    await first
    await pool.tasks.place()
    await waitUntil(() => pool.stats().workers.every(({ id }) => id !== 1))
    assert.equal(await pool.tasks.place(), 0)
  })

  test('does not pass one with a key that was made before it', async (t) => {
    const path = testFolder(t)
    const pool = createPool(t, { recycle: { maxTasks: 100 } }) // with it calls with a key go by message
    const keyed = pool.run('echo', ['first'], { key: 'k' })
    const long = pool.tasks.blockUntil(path('started'), path('free'))
    assert.equal(await keyed, 'first')
    touch(path('free'))
    await long
  })

  test('keeps its place behind those that have to be sent, which were made before it', async (t) => {
    const pool = createPool(t, { recycle: { maxTasks: 1000 } }) // with it calls with a key are sent
    const all = [
      pool.broadcast('note', ['broadcast']),
      pool.tasks.note('plain'),
      pool.run('note', ['keyed'], { key: 'a' }),
      pool.tasks.note('last'),
    ]
    await Promise.all(all)
    assert.deepEqual(await pool.tasks.noted(), ['broadcast', 'keyed', 'plain', 'last'])
  })

  for (const length of [1, 6])
    test(`is passed by one of a higher priority, if there are ${length}`, async (t) => {
      const pool = createPool(t)
      const low = Array.from({ length }, (_, i) => pool.run('note', [i], { priority: -5 }))
      await nextTurn()
      await Promise.all([...low, pool.tasks.note('normal')])
      assert.equal((await pool.tasks.noted())[0], 'normal')
    })

  test('stays with its key when there are to be more workers', async (t) => {
    const pool = createPool(t)
    const calls = [1, 2, 3, 4].map((i) => pool.run('note', [i, 20], { key: 'a' }))
    await nextTurn()
    pool.resize(2)
    await Promise.all(calls)
    const lists = await pool.broadcast('noted')
    assert.deepEqual(lists.map(({ length }) => length).sort(), [0, 4])
  })

  test('does not join one that is tried again after the death of a worker', async (t) => {
    const path = testFolder(t)
    const options = { size: 1, onWorkerExit: { retries: 1, backoff: 1 } }
    const pool = threads(taskModule('slow-storm.js'), options)
    t.after(() => pool.destroy())
    await pool.ready
    const dying = assert.rejects(pool.tasks.die(), { code: 'TW_ERR_WORKER_EXITED' })
    await Promise.all(Array.from({ length: 10 }, () => pool.tasks.logTo(path('log'), 100)))
    await dying
    assert.equal(readFileSync(path('log'), 'utf8').match(/started/g).length, 10)
  })

  test('settles when a getter among its arguments destroys the pool', async (t) => {
    const pool = createPool(t)
    const argument = {
      get value() {
        void pool.destroy('enough')
        return 1
      },
    }
    const outcomes = await Promise.allSettled([1, argument, 2].map((value) => pool.tasks.echo(value)))
    for (const { reason } of outcomes) assert.equal(reason?.code, 'TW_ERR_DESTROYED')
  })
})

test(
  'workers that are killed at any instant of their start lose no call',
  { timeout: 110_000 },
  async (t) => {
    const random = createRandom(11)
    const outcomes = {}
    const begun = performance.now()
    await createPool(t, { size: 2 }).tasks.echo(0)
    const startMs = performance.now() - begun
    for (let round = 0; round < 60; round++) {
      const workers = []
      const onWorker = (worker) => workers.push(worker)
      process.on('worker', onWorker)
      const pool = createPool(t, { size: 2 })
      const seen = new Int32Array(new SharedArrayBuffer(4 * 40))
      const calls = Array.from({ length: 40 }, (_, i) =>
        (i % 4 ? pool.tasks.echo(i) : pool.tasks.mark(seen, i, 100, i)).then(
          (value) => assert.equal(value, i),
          ({ code }) => code,
        ),
      )
      await delay(random() * 1.5 * startMs)
      process.off('worker', onWorker)
      for (const [i, worker] of workers.entries()) if (random() < (i ? 0.3 : 0.8)) void worker.terminate()
      for (const outcome of await Promise.all(calls)) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      assert.ok(seen.every((count) => count <= 1), 'no call runs twice') // prettier-ignore
      assert.deepEqual([pool.stats().queued, pool.stats().running], [0, 0])
      await pool.destroy()
    }
    t.diagnostic(JSON.stringify(outcomes))
    const known = ['undefined', 'TW_ERR_WORKER_EXITED', 'TW_ERR_START_FAILED']
    assert.deepEqual(Object.keys(outcomes).filter((code) => !known.includes(code)), []) // prettier-ignore
    assert.ok(outcomes.undefined > 1000, 'most go to another worker')
  },
)
