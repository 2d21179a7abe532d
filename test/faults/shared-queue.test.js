// Threads on the shared queue: killed at any instant, with full queues and rings, cancelled at any time.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { threads } from 'threadwise'
import { createRandom } from '../../build/measure/stats/random.js'
import { taskModule } from '../helpers/executors.js'
import { randomValues } from '../helpers/random-values.js'
import { assertSameClone } from '../helpers/same-clone.js'

/** How many times longer than in CI the storms are. */
const storm = Number(process.env.THREADWISE_STORM ?? 1)

const shared = (length) => new Int32Array(new SharedArrayBuffer(4 * length))

/** A pool whose workers the test can kill from outside, whatever they are doing. */
function killable(t, options) {
  const alive = new Set()
  const onWorker = (worker) => {
    worker.once('message', () => alive.add(worker)) // it is up: before that its death is a start that failed
    worker.once('exit', () => alive.delete(worker))
  }
  process.on('worker', onWorker)
  const pool = threads(taskModule('storm.js'), options)
  t.after(async () => {
    await pool.destroy()
    process.off('worker', onWorker)
  })
  const kill = (random) => [...alive][Math.floor(random() * alive.size)]?.terminate()
  return { pool, kill }
}

describe('workers that are killed under load', () => {
  for (const [seed, size] of [
    [1, 1],
    [2, 2],
    [3, 3],
  ]) {
    test(
      `lose no call: each settles once, and runs at most once (${size} workers)`,
      { timeout: 110_000 * storm },
      async (t) => {
        const random = createRandom(seed)
        const { pool, kill } = killable(t, { size })
        await pool.ready
        const kills = 80 * storm
        const calls = 20_000 * storm
        const seen = shared(calls)
        const outcomes = { completed: 0, lost: 0 }
        let next = 0
        const lane = async () => {
          while (next < calls) {
            const index = next++
            const isAsync = random() < 0.05
            const value = random() < 0.05 ? new Map([[index, 'by message']]) : { index }
            try {
              const run = isAsync
                ? pool.tasks.markLater(seen, index, random() * 3, value)
                : pool.tasks.mark(seen, index, random() < 0.02 ? 2000 : 5, value)
              assert.deepEqual(await run, value)
              outcomes.completed++
            } catch (error) {
              assert.equal(error.code, 'TW_ERR_WORKER_EXITED', String(error))
              outcomes.lost++
            }
          }
        }
        const lanes = Array.from({ length: 300 }, lane)
        let killed = 0
        while (next < calls && killed < kills) {
          kill(random)
          killed++
          await delay(random() * 12)
          // Workers that die one after the other without an answer are a start that failed, by design.
          const enough = outcomes.completed + 20
          while (outcomes.completed < enough && next < calls) await delay(1)
        }
        await Promise.all(lanes)
        assert.equal(outcomes.completed + outcomes.lost, calls)
        assert.ok(killed > kills / 4 && outcomes.lost > 0, `${killed} kills, ${outcomes.lost} lost`)
        t.diagnostic(`${killed} kills, ${calls} calls, ${outcomes.lost} lost`)
        assert.ok(seen.every((count) => count <= 1), 'no call runs twice') // prettier-ignore
        assert.equal(seen.filter((count) => count === 1).length >= outcomes.completed, true)
        const { queued, running, completed, failed } = pool.stats()
        assert.deepEqual({ queued, running, completed, failed }, { queued: 0, running: 0, completed: outcomes.completed, failed: outcomes.lost }) // prettier-ignore
        assert.equal(await pool.tasks.echo('healthy'), 'healthy')
      },
    )
  }
})

describe('more than fits', () => {
  test('100,000 calls at once all arrive', async (t) => {
    const { pool } = killable(t, { size: 2 })
    const results = await Promise.all(Array.from({ length: 100_000 }, (_, i) => pool.tasks.echo(i)))
    assert.ok(results.every((value, i) => value === i))
  })

  test('results that fill the ring many times over arrive whole', async (t) => {
    const { pool } = killable(t, { size: 2 })
    const lengths = Array.from({ length: 600 }, (_, i) => 1000 + i * 100)
    const results = await Promise.all(lengths.map((length) => pool.tasks.big(length)))
    assert.deepEqual(results.map(({ length }) => length), lengths) // prettier-ignore
  })

  test('arguments that fill the queue many times over arrive whole', async (t) => {
    const { pool } = killable(t, { size: 2 })
    const texts = Array.from({ length: 300 }, (_, i) => String(i).repeat(15_000))
    assert.deepEqual(await Promise.all(texts.map((text) => pool.tasks.echo(text))), texts)
  })

  test('a worker that finds its ring full while the program is busy goes on afterwards', async (t) => {
    const { pool } = killable(t, { size: 1 })
    await pool.ready
    const calls = Array.from({ length: 1000 }, () => pool.tasks.big(2000))
    const end = performance.now() + 200
    await undefined
    while (performance.now() < end); // nobody reads
    assert.ok((await Promise.all(calls)).every(({ length }) => length === 2000))
  })

  test('a worker dies while it waits for room in its ring', async (t) => {
    const { pool, kill } = killable(t, { size: 1 })
    await pool.ready
    const calls = Array.from({ length: 1000 }, () => pool.tasks.big(2000).then(() => 'done', ({ code }) => code)) // prettier-ignore
    await undefined
    const end = performance.now() + 100
    while (performance.now() < end);
    kill(() => 0)
    const outcomes = await Promise.all(calls)
    assert.ok(outcomes.filter((outcome) => outcome !== 'done').length <= 1, 'the one that it was answering')
  })
})

describe('cancelling', () => {
  test('a call that no worker has taken never runs', async (t) => {
    const { pool } = killable(t, { size: 1 })
    const gate = shared(1)
    const seen = shared(100)
    await pool.ready
    const blocker = pool.tasks.hold(gate)
    const controllers = Array.from({ length: 100 }, () => new AbortController())
    const calls = controllers.map(({ signal }, i) => pool.run('mark', [seen, i, 0, i], { signal }))
    await delay(20)
    for (let i = 0; i < 100; i += 2) controllers[i].abort(`stop ${i}`)
    const rejected = await Promise.allSettled(calls.filter((_, i) => i % 2 === 0))
    assert.deepEqual(rejected.map(({ reason }) => reason), Array.from({ length: 50 }, (_, i) => `stop ${2 * i}`)) // prettier-ignore
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
    await blocker
    assert.deepEqual(await Promise.all(calls.filter((_, i) => i % 2 === 1)), Array.from({ length: 50 }, (_, i) => 2 * i + 1)) // prettier-ignore
    assert.deepEqual(
      [...seen],
      Array.from({ length: 100 }, (_, i) => i % 2),
    )
    const { queued, running, cancelled } = pool.stats()
    assert.deepEqual({ queued, running, cancelled }, { queued: 0, running: 0, cancelled: 50 })
  })

  for (const seed of [1, 2, 3]) {
    test(`at any time settles each call once and leaves the pool healthy (seed ${seed})`, async (t) => {
      const random = createRandom(seed)
      const { pool } = killable(t, { size: 2, tasksPerWorker: 16 })
      const seen = shared(3000)
      const outcomes = await Promise.all(
        Array.from({ length: 3000 }, async (_, i) => {
          await delay(random() * 300)
          const controller = new AbortController()
          const args = [seen, i, random() * 3, i]
          const call = pool.run(random() < 0.5 ? 'markLater' : 'mark', args, {
            signal: controller.signal,
            ...(random() < 0.2 && { timeout: Math.floor(random() * 3) }),
          })
          if (random() < 0.6) setTimeout(() => controller.abort('enough'), random() * 4)
          return call.then(
            (value) => assert.equal(value, i),
            (error) => assert.ok(error === 'enough' || error.code === 'TW_ERR_TIMEOUT', String(error)),
          )
        }),
      )
      assert.equal(outcomes.length, 3000)
      assert.ok(seen.every((count) => count <= 1)) // prettier-ignore
      const { queued, running, completed, failed, cancelled } = pool.stats()
      assert.deepEqual({ queued, running, all: completed + failed + cancelled }, { queued: 0, running: 0, all: 3000 }) // prettier-ignore
      assert.equal(await pool.tasks.echo('healthy'), 'healthy')
    })
  }
})

describe('what a user can see of the transport', () => {
  for (const seed of [1, 2]) {
    test(`is nothing: every value arrives as by message (seed ${seed})`, async (t) => {
      const { pool } = killable(t, { size: 2 })
      const byMessage = threads(taskModule('storm.js'), { size: 1, transport: 'message' })
      t.after(() => byMessage.destroy())
      const next = randomValues(seed)
      const values = Array.from({ length: 500 }, next)
      const results = await Promise.all(values.map((value) => pool.tasks.echo(value)))
      const others = await Promise.all(values.map((value) => byMessage.tasks.echo(value)))
      results.forEach((result, i) => assertSameClone(result, others[i], `value ${i}`))
    })
  }

  test('one worker runs calls in their order, whichever way they travel', async (t) => {
    const { pool } = killable(t, { size: 1 })
    const random = createRandom(7)
    const calls = []
    for (let i = 0; i < 3000; i++) {
      const value = random() < 0.1 ? new Set([i]) : random() < 0.1 ? 'x'.repeat(70_000) : i
      calls.push(pool.tasks.place(value))
      if (random() < 0.01) await delay(1)
    }
    assert.deepEqual(
      await Promise.all(calls),
      Array.from({ length: 3000 }, (_, i) => i),
    )
  })

  test('timers of an idle worker keep running, and cost no CPU', async (t) => {
    const { pool } = killable(t, { size: 1 })
    const ticks = shared(1)
    await pool.tasks.countTicks(ticks, 10)
    const before = process.cpuUsage()
    while (ticks[0] < 45) await delay(100) // 450 ms, or longer where the machine is busy with others
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 150_000, `${user + system} us of CPU in 45 ticks`)
  })

  test('a name that is too long, or one of too many, still finds its function', async (t) => {
    const { pool } = killable(t, { size: 1 })
    for (let i = 0; i < 300; i++) {
      await assert.rejects(pool.run(`nobody${i}`), { code: 'TW_ERR_TASK_NOT_FOUND' })
    }
    await assert.rejects(pool.run('n'.repeat(500)), { code: 'TW_ERR_TASK_NOT_FOUND' })
    assert.equal(await pool.tasks.echo(1), 1)
  })
})
