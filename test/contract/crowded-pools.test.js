// Pools of more workers than CPUs: short calls do not need all of them, and calls that wait get them all at once.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { describeExecutors } from '../helpers/executors.js'
import { temporaryFolder } from '../helpers/files.js'
import { many, numbers } from '../helpers/many.js'
import { waitUntil } from '../helpers/waiting.js'

process.env.THREADWISE_CPUS = '2' // as in a container

describeExecutors('a pool of more workers than CPUs', (make, { isPool, kind }) => {
  if (!isPool || kind === 'adaptive') return

  const short = (pool, calls) => many(calls, (i) => pool.run('blockIf', [false, i]))

  /** Until the pool knows how many CPUs there are, and that the calls are short. */
  async function warm(pool) {
    await pool.ready
    const end = performance.now() + 500
    while (performance.now() < end) await short(pool, 200)
  }

  /** Calls that end when they are told to, and a promise for the moment when all run. */
  function waitingCalls(t, pool, { name, args = [], calls }) {
    const folder = temporaryFolder(t)
    const release = join(folder, 'release')
    const started = numbers(calls).map((i) => join(folder, `started-${i}`))
    const results = Promise.all(started.map((file) => pool.run(name, [...args, file, release])))
    return {
      allRun: waitUntil(() => started.every((file) => existsSync(file)), 'all calls run'),
      async release() {
        writeFileSync(release, '')
        assert.deepEqual(await results, Array(calls).fill('released'))
      },
    }
  }

  test('many workers answer all calls', async () => {
    const pool = make('basic.js', { size: kind === 'processes' ? 16 : 64, startTimeout: 60_000 })
    await pool.ready
    for (let round = 0; round < 20; round++) {
      const sums = await many(500, (i) => pool.run('add', [i, round]))
      assert.deepEqual(
        sums,
        numbers(500).map((i) => i + round),
      )
    }
  })

  for (const [what, name, args] of [
    ['wait on promises', 'waitUntil', []],
    ['block their threads, though the function was short before', 'blockIf', [true]],
  ]) {
    test(`after short calls all workers run calls that ${what}`, async (t) => {
      const pool = make('barrier.js', { size: 8, tasksPerWorker: 1, startTimeout: 60_000 })
      await warm(pool)
      const waiting = waitingCalls(t, pool, { name, args, calls: 8 })
      await waiting.allRun
      await waiting.release()
      await short(pool, 200)
    })
  }

  test('short calls go on beside calls that hold all workers but one', async (t) => {
    const pool = make('barrier.js', { size: 6, tasksPerWorker: 1, startTimeout: 60_000 })
    await warm(pool)
    const waiting = waitingCalls(t, pool, { name: 'waitUntil', calls: 5 })
    await waiting.allRun
    await short(pool, 1000)
    await waiting.release()
  })

  /** Short calls, one batch after the other, until `work` is done. */
  async function amidShortCalls(call, work) {
    let isDone = false
    const crowd = (async () => {
      while (!isDone) await many(500, call)
    })()
    const result = await work()
    isDone = true
    await crowd
    return result
  }

  test('amid short calls those with a key reach their workers', async () => {
    const pool = make('barrier.js', { size: 6, startTimeout: 60_000 })
    await warm(pool)
    const withKeys = () => many(60, (i) => pool.run('workerId', [], { key: i % 6 }))
    const keyed = await amidShortCalls((i) => pool.run('blockIf', [false, i]), withKeys)
    for (let key = 0; key < 6; key++) {
      const workers = keyed.filter((_, i) => i % 6 === key)
      assert.equal(new Set(workers).size, 1, `key ${key} went to ${workers}`)
    }
  })

  test('amid short calls forks are run', async () => {
    const pool = make('forks.js', { size: 6, startTimeout: 60_000 })
    await pool.ready
    const fork = () => pool.run('fibonacci', [8])
    assert.equal(await amidShortCalls((i) => pool.run('add', [i, 1]), fork), 21)
  })
})
