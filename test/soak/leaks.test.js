// The same mixed load again and again: memory, handles, threads and file descriptors must not grow.
//
// THREADWISE_STORM=10 makes it ten times as long.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { processes, threads } from 'threadwise'
import { collectGarbage } from '../helpers/collect-garbage.js'
import { taskModule } from '../helpers/executors.js'

const SCALE = Number(process.env.THREADWISE_STORM ?? 1)

async function measure() {
  await sleep(50) // timers of calls that were cancelled, and workers on their way out
  collectGarbage()
  collectGarbage()
  return {
    heapBytes: process.memoryUsage().heapUsed,
    handles: process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').length,
    fds: readdirSync('/proc/self/fd').length,
    threads: readdirSync('/proc/self/task').length,
  }
}

/** Measures until nothing that comes in pieces is more than before, for a while: the last timers may have to run out. */
async function measureAgain(before) {
  let after = await measure()
  for (let i = 0; i < 40 && pieces.some((what) => after[what] > before[what]); i++) after = await measure()
  return after
}

const pieces = ['handles', 'fds', 'threads']

/** Every kind of call, most of them more than once. */
async function mixedLoad(pool, calls) {
  const outcomes = { accepted: 0 }
  const { completed, failed, cancelled, refused } = pool.stats()
  const ignored = []
  for (let i = 0; i < calls; i++) {
    ignored.push(oneOf[i % oneOf.length](pool, i).catch(() => {}))
    if (ignored.length >= 200) await Promise.all(ignored.splice(0))
  }
  await Promise.all(ignored)
  const now = pool.stats()
  outcomes.accepted = now.completed - completed + now.failed - failed + now.cancelled - cancelled
  return { ...outcomes, refused: now.refused - refused, open: now.queued + now.running }
}

const oneOf = [
  (pool, i) => pool.tasks.echo(undefined, 0, { i, text: 'some text', list: [1, 2, 3] }),
  (pool, i) => pool.tasks.echo(undefined, 0, i),
  (pool) => pool.tasks.later(undefined, 0, 'x', 1),
  (pool) => pool.tasks.fail(undefined, 0, 1),
  (pool) => pool.run('echo', [undefined, 0, new Uint8Array(100_000)]),
  (pool) => pool.run('later', [undefined, 0, 1, 1000], { signal: AbortSignal.timeout(2), gracePeriod: 5 }),
  (pool) => pool.run('later', [undefined, 0, 1, 3], { timeout: 1, gracePeriod: 50 }),
  (pool, i) => pool.run('echo', [undefined, 0, new Map([[i, i]])], { key: i % 7, priority: i % 3 }),
  async (pool) => {
    for await (const item of pool.stream('count', [undefined, 0, 0, 30])) if (item === 20) break
  },
]

describe('under mixed load', () => {
  for (const [name, create, calls] of [
    ['threads', threads, 1800],
    ['processes', processes, 900],
  ]) {
    test(`${name}: nothing grows, and the counts are exact`, { timeout: 110_000 * SCALE }, async (t) => {
      if (process.platform !== 'linux') return t.skip('reads /proc')
      const pool = create(taskModule('soak.js'), { size: 2, maxQueue: 500 })
      t.after(() => pool.destroy())
      await mixedLoad(pool, 6 * calls) // compiled code, and what is kept once
      const before = await measure()
      for (let round = 0; round < 4 * SCALE; round++) {
        const { accepted, refused, open } = await mixedLoad(pool, calls)
        assert.deepEqual({ total: accepted + refused, open }, { total: calls, open: 0 })
      }
      const after = await measureAgain(before)
      t.diagnostic(JSON.stringify({ before, after }))
      const grown = after.heapBytes - before.heapBytes
      assert.ok(grown < 2e6, `the heap has grown by ${grown} bytes`)
      for (const what of pieces) assert.ok(after[what] <= before[what], what)
    })

    test(`${name}: pools that come and go leave nothing behind`, { timeout: 110_000 * SCALE }, async (t) => {
      if (process.platform !== 'linux') return t.skip('reads /proc')
      const use = async () => {
        const pool = create(taskModule('soak.js'), { size: { min: 0, max: 2 } })
        await Promise.all([1, 2, 3].map((n) => pool.tasks.echo(undefined, 0, n)))
        await pool.close()
      }
      for (let i = 0; i < 3; i++) await use()
      const before = await measure()
      for (let i = 0; i < 8 * SCALE; i++) await use()
      const after = await measureAgain(before)
      t.diagnostic(JSON.stringify({ before, after }))
      assert.ok(after.heapBytes - before.heapBytes < 1.5e6, 'the heap has grown')
      for (const what of pieces) assert.ok(after[what] <= before[what], what)
    })
  }
})
