// The shared queue in the cases that a storm of calls meets rarely: each was a bug once.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { move, threads } from 'threadwise'
import { taskModule } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { waitUntil } from '../helpers/waiting.js'

function createPool(t, options = {}) {
  const pool = threads(taskModule('storm.js'), { size: 1, ...options })
  t.after(() => pool.destroy())
  return pool
}

const gauges = (pool) => {
  const { queued, running } = pool.stats()
  return { queued, running }
}

describe('a worker holds', () => {
  test('no call that has ended: after more promises than its places, calls by message still go to it', async (t) => {
    const pool = createPool(t, { tasksPerWorker: 8 })
    for (let i = 0; i < 30; i++) assert.equal(await pool.tasks.wait(0, i), i)
    assert.deepEqual(await pool.tasks.echo(new Map([[1, 2]])), new Map([[1, 2]]))
  })

  test('a call by message whatever becomes of those from the queue', async (t) => {
    const pool = createPool(t)
    const byMessage = pool.tasks.wait(60, new Map([[1, 2]]))
    await delay(10)
    assert.equal(await pool.tasks.wait(1, 'queued'), 'queued')
    assert.deepEqual(await byMessage, new Map([[1, 2]]))
  })

  test('a call that it had announced once, when it dies over it', async (t) => {
    const pool = createPool(t)
    await assert.rejects(pool.run('die', [], { timeout: 10_000 }), { code: 'TW_ERR_WORKER_EXITED' })
    assert.deepEqual(gauges(pool), { queued: 0, running: 0 })
    assert.equal(await pool.tasks.echo(1), 1)
    assert.deepEqual(gauges(pool), { queued: 0, running: 0 })
  })
})

describe('a full queue', () => {
  for (let i = 0; i < 5; i++) {
    test(`moves on to the next worker when the only one dies (${i})`, { timeout: 20_000 }, async (t) => {
      const pool = createPool(t)
      await pool.ready
      const dying = assert.rejects(pool.tasks.die(), { code: 'TW_ERR_WORKER_EXITED' })
      const calls = Array.from({ length: 3000 }, (_, n) => pool.tasks.echo(n))
      await dying
      assert.deepEqual(await Promise.all(calls), Array.from({ length: 3000 }, (_, n) => n)) // prettier-ignore
    })
  }

  test(
    'of cancelled calls makes room for others while its worker is busy',
    { timeout: 20_000 },
    async (t) => {
      const pool = createPool(t)
      await pool.ready
      const path = testFolder(t)
      const busy = pool.tasks.blockUntil(path('started'), path('free'))
      await fileExists(path('started'))
      const controller = new AbortController()
      const cancelled = Array.from({ length: 2048 }, () =>
        pool.run('echo', [1], { signal: controller.signal }),
      )
      const settled = Promise.allSettled(cancelled)
      controller.abort('enough')
      const others = Array.from({ length: 100 }, (_, n) => pool.tasks.echo(n))
      assert.ok((await settled).every(({ reason }) => reason === 'enough'))
      touch(path('free'))
      assert.equal((await Promise.all(others)).length, 100)
      await busy
      assert.deepEqual(gauges(pool), { queued: 0, running: 0 })
    },
  )
})

test('a result does not wait for the end of the next call', { timeout: 20_000 }, async (t) => {
  const pool = createPool(t)
  await pool.ready
  // Of one buffer: calls with another one, which the worker does not know yet, would go by message.
  const buffer = new SharedArrayBuffer(12)
  const gates = [0, 1, 2].map((i) => new Int32Array(buffer, 4 * i, 1))
  const open = (gate) => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }
  open(gates[0])
  for (let i = 0; i < 100; i++) await pool.tasks.hold(gates[0]) // known to be short
  const [first, next] = [pool.tasks.hold(gates[1]), pool.tasks.hold(gates[2])]
  // With so much work left the worker wakes nobody for one result.
  const others = Array.from({ length: 1000 }, () => pool.tasks.hold(gates[0]))
  await delay(20) // by now the main thread waits to be woken
  open(gates[1])
  await first // would wait for the one behind it, which waits for this test
  open(gates[2])
  await Promise.all([next, ...others])
})

describe('one worker', () => {
  const large = 'x'.repeat(100_000) // goes by message
  const names = Array.from({ length: 60 }, (_, i) => i)
  const cases = { 'from the start': 1, 'after others have left': 2 }
  for (const [when, size] of Object.entries(cases))
    test(`keeps the order, and its places, when calls by message come between (${when})`, async (t) => {
      const pool = createPool(t, { tasksPerWorker: 1, size })
      if (size > 1) {
        await pool.ready
        pool.resize(1)
        await waitUntil(() => pool.stats().workers.length === 1)
      }
      const note = (i) => pool.run('note', [i, i % 10 === 0 ? 5 : undefined, ...(i % 3 === 2 ? [large] : [])])
      await Promise.all(names.map(note))
      assert.deepEqual(await pool.tasks.noted(), names)
    })

  test('keeps the order of what its predecessor had not started', async (t) => {
    const pool = createPool(t)
    await pool.ready
    const dying = pool.tasks.die().catch(() => {})
    const calls = Array.from({ length: 200 }, (_, i) => pool.tasks.note(i))
    await dying
    await Promise.all(calls)
    assert.deepEqual(await pool.tasks.noted(), Array.from({ length: 200 }, (_, i) => i)) // prettier-ignore
  })
})

describe('a getter among the arguments', () => {
  test('that makes a call: both settle', async (t) => {
    const pool = createPool(t)
    await pool.ready
    const inner = []
    const argument = {
      get value() {
        inner.push(pool.tasks.echo(inner.length))
        return 'outer'
      },
    }
    assert.deepEqual(await pool.tasks.echo(argument), { value: 'outer' })
    assert.deepEqual(await Promise.all(inner), Array.from({ length: inner.length }, (_, i) => i)) // prettier-ignore
  })

  test('that destroys the pool: the call is rejected', async (t) => {
    const pool = createPool(t)
    await pool.ready
    const call = pool.tasks.echo({
      get value() {
        void pool.destroy('from a getter')
        return 1
      },
    })
    await assert.rejects(call, { code: 'TW_ERR_DESTROYED' })
  })
})

test('a date is sent by its time, whatever its class says', async (t) => {
  class Fixed extends Date {
    getTime() {
      return 0
    }
  }
  const pool = createPool(t)
  assert.deepEqual(await pool.tasks.echo(new Fixed(5)), new Date(5))
})

test('move() gives the value back, and does nothing outside of a worker', () => {
  const bytes = new Uint8Array(4)
  assert.equal(move(bytes), bytes)
  assert.equal(bytes.length, 4)
})

describe('a call that ended before its grace period was over', () => {
  for (const task of ['blockUntil', 'waitUntil']) {
    test(`has nothing to do with another call (${task})`, async (t) => {
      const path = testFolder(t)
      const pool = threads(taskModule('barrier.js'), { size: 1 })
      t.after(() => pool.destroy())
      const byMessage = pool.tasks.waitUntil(path('other'), path('end'), new Map()) // the first such call of its worker
      await fileExists(path('other'))
      const abort = new AbortController()
      const options = { signal: abort.signal, gracePeriod: 1500 }
      const aborted = pool.run(task, [path('started'), path('release')], options)
      await fileExists(path('started'))
      abort.abort(new Error('enough'))
      await assert.rejects(aborted, { message: 'enough' })
      touch(path('release'))
      await delay(2000)
      touch(path('end'))
      assert.equal(await byMessage, 'released')
    })
  }
})
