// A worker that does not answer is ended and replaced, whatever keeps it; one whose calls merely wait is not, nor is one that computes for a caller.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'

const gracePeriod = 50
const host = { answer: () => 42 }

/** What a task waits for before it blocks, and by what. */
const BLOCKS = [
  ['timer', 'loop'],
  ['file', 'loop'],
  ['microtask', 'loop'],
  ['fork', 'loop'],
  ['host', 'loop'],
  ['timer', 'wait'],
  ['timer', 'expression'],
]

/** How its caller gives it up. */
const GIVEN_UP = {
  'by timeout': (pool, args) => rejection(pool.run('waitAndBlock', args, { timeout: 60, gracePeriod })),
  'by its signal': (pool, args) =>
    rejection(pool.run('waitAndBlock', args, { signal: AbortSignal.timeout(60), gracePeriod })),
  'as a stream that was left': async (pool, args) => {
    const items = pool.stream('yieldAndBlock', args, { gracePeriod })
    await items.next()
    await items.return()
  },
}

describeExecutors('a worker that gives no sign of life', (make, { isPool, isOnQueue, kind }) => {
  if (!isPool || isOnQueue) return

  for (const [how, giveUp] of Object.entries(GIVEN_UP))
    test(`is replaced when a task has waited, blocks then, and is given up ${how}`, async () => {
      const pool = make('goes-silent.js', { size: 1, host })
      for (const args of BLOCKS) {
        await giveUp(pool, args)
        assert.equal(await pool.run('add', [1, 2]), 3, `after ${args}`)
      }
      assert.equal(pool.stats().workers.length, 1)
    })

  test('is replaced one after the other, until all are there again', async () => {
    const pool = make('goes-silent.js', { size: 2 })
    const calls = Array.from({ length: 6 }, () => GIVEN_UP['by timeout'](pool, ['timer', 'loop']))
    await Promise.all(calls)
    assert.deepEqual(await pool.map('add', [1, 2, 3]), [NaN, NaN, NaN])
    await pool.ready
    assert.ok(pool.stats().size <= 2)
  })

  test('is replaced when what a task has left behind blocks it, or has made it deaf', async () => {
    const left = ['timer', 'callback'].flatMap((how) =>
      [false, true].map((rejects) => ['leave', how, rejects]),
    )
    const deaf = kind === 'processes' ? [] : [['removeListeners']]
    await Promise.all(
      [...left, ...deaf].map(async ([task, ...args]) => {
        const pool = make('goes-silent.js', { size: 1 })
        await pool.run(task, args).catch(() => {})
        await delay(args[0] === 'callback' ? 0 : 20) // what it has left begins by then, or it has gone to sleep
        assert.equal(await pool.run('add', [1, 2]), 3, `after ${task} ${args}`)
        assert.equal(await pool.run('add', [3, 4], { timeout: 60_000 }), 7)
      }),
    )
  })

  test('gives back what was sent to it while it computed, and what it has not begun', async (t) => {
    const path = testFolder(t)
    const pool = make('goes-silent.js', { size: 1 })
    // Known to be so short that one is sent behind the other.
    for (let i = 0; i < 20; i++) await Promise.all([pool.run('computeAndBlock'), pool.run('add', [1, 2])])
    const options = { timeout: 500, gracePeriod }
    const blocked = rejection(pool.run('computeAndBlock', [path('begun'), path('go')], options))
    await fileExists(path('begun'))
    const behind = pool.run('add', [1, 2])
    await delay(20) // it is sent
    touch(path('go'))
    assert.equal((await blocked).code, 'TW_ERR_TIMEOUT')
    assert.equal(await behind, 3)
  })

  test('gives back at once what was sent to it, though native code keeps its end', async (t) => {
    const path = testFolder(t)
    const pool = make('goes-silent.js', { size: 1 })
    const options = { timeout: 300, gracePeriod }
    const blocked = rejection(pool.run('callNative', [path('begun'), path('release')], options))
    await fileExists(path('begun'))
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ i }))
    const behind = [
      pool.run('add', [1, 2], { onProgress() {} }),
      pool.run('count', [rows]),
      pool.run('add', [3, 4], { sendNow: true }),
      pool.map('twice', [1, 2]),
    ]
    assert.equal((await blocked).code, 'TW_ERR_TIMEOUT')
    assert.deepEqual(await Promise.all(behind), [3, 20_000, 7, [2, 4]])
    touch(path('release'))
  })

  test('lives on while a call that was given up merely waits', async (t) => {
    const path = testFolder(t)
    const pool = make('goes-silent.js', { size: 1, tasksPerWorker: 8 })
    const worker = await pool.run('worker')
    assert.equal(
      (await rejection(pool.run('hang', [path('a')], { timeout: 20, gracePeriod: 20 }))).code,
      'TW_ERR_TIMEOUT',
    )
    await delay(300) // its gracePeriod, and the time for its answer
    assert.equal(await pool.run('worker'), worker)
  })

  test('is let alone while it computes for another caller, after its gracePeriod too', async (t) => {
    const path = testFolder(t)
    const pool = make('goes-silent.js', { size: 1, tasksPerWorker: 8 })
    const neighbour = pool.run('waitAndCompute', [path('a'), path('go'), path('release')])
    await fileExists(path('a'))
    const controller = new AbortController()
    const given = rejection(pool.run('hang', [path('b')], { signal: controller.signal, gracePeriod: 20 }))
    await fileExists(path('b'))
    await pool.run('add', [1, 2]) // by now the worker has said that the other one waits
    touch(path('go'))
    await fileExists(path('a.computes'))
    controller.abort('given up')
    assert.equal(await given, 'given up')
    await delay(500) // its gracePeriod, and the time for its answer
    assert.equal(await pool.run('add', [1, 2]), 3, 'another worker takes what comes meanwhile')
    touch(path('release'))
    assert.equal(await neighbour, 'computed')
  })

  test('is let alone while it runs a call that takes longer than all limits', async (t) => {
    const path = testFolder(t)
    const pool = make('barrier.js', { size: 1, tasksPerWorker: 8 })
    const worker = await pool.run('workerId')
    const call = pool.run('blockUntil', [path('a'), path('release')])
    await fileExists(path('a'))
    const behind = pool.run('workerId')
    await delay(3500) // two looks, and the time for a sign of life
    touch(path('release'))
    assert.equal(await call, 'released')
    assert.equal(await behind, worker)
  })
})
