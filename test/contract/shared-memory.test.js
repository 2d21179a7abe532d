// Calls with memory that is shared, on every executor that can: the first with a buffer travels another way than the later ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectGarbage } from '../helpers/collect-garbage.js'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { nextTurn } from '../helpers/waiting.js'

const sharedWords = (length) => new Int32Array(new SharedArrayBuffer(4 * length))

describeExecutors('shared memory', (make, { kind, isPool }) => {
  if (kind === 'processes') return test('is refused by processes: see results.test.js')
  const executor = make('shared-memory.js')

  test('is that of the caller in every call with it, the first and the thousandth', async () => {
    const words = sharedWords(4)
    for (let i = 0; i < 3; i++) await executor.tasks.add(words, 0, 1)
    await Promise.all(Array.from({ length: 1000 }, (_, i) => executor.tasks.add(words, 1 + (i % 3), 1)))
    assert.deepEqual([...words], [3, 334, 333, 333])
    await executor.map(
      'addEach',
      Array.from({ length: 100 }, () => ({ values: words, by: 2 })),
    )
    assert.deepEqual([...words], [203, 534, 533, 533])
  })

  test('is that of the caller in calls that come one after the other, and after a pause', async () => {
    const words = sharedWords(1)
    for (let i = 0; i < 40; i++) await executor.tasks.add(words, 0, 1)
    await new Promise((resolve) => setTimeout(resolve, 150)) // its number is forgotten meanwhile
    for (let i = 0; i < 40; i++) await executor.tasks.add(words, 0, 1)
    assert.equal(words[0], 80)
  })

  test('is one buffer within a call, whatever the views', async () => {
    const words = sharedWords(4)
    for (let i = 0; i < 3; i++)
      assert.deepEqual(await executor.tasks.areOneBuffer(words, { b: words.subarray(1, 2) }), [0, 4])
  })

  test('comes back as it went', async () => {
    const words = sharedWords(4)
    for (let i = 0; i < 3; i++) {
      const back = await executor.tasks.echo(words.subarray(1, 3))
      back[0] = i
      assert.deepEqual([words[1], back.length], [i, 2])
    }
  })

  test('in many buffers at a time is never another one', async () => {
    const all = Array.from({ length: 200 }, () => sharedWords(1))
    const calls = []
    for (let round = 1; round <= 5; round++)
      for (const [i, words] of all.entries()) calls.push(executor.tasks.add(words, 0, i))
    await Promise.all(calls)
    assert.deepEqual(
      all.map(([word]) => word),
      all.map((_, i) => 5 * i),
    )
  })

  test('is known to workers that start later', async (t) => {
    if (!isPool) return t.skip('no workers')
    const growing = make('shared-memory.js', { size: 1, maxBlock: 0 })
    const words = sharedWords(2)
    for (let i = 0; i < 3; i++) await growing.tasks.add(words, 0, 1)
    growing.resize(2)
    // Two calls that wait for each other's thread: both workers have it.
    const both = [growing.tasks.waitFor(words, 1), growing.tasks.waitFor(words, 1)]
    while (growing.stats().running < 2) await nextTurn()
    Atomics.store(words, 1, 1)
    while (Atomics.notify(words, 1) === 0 && growing.stats().running > 0) await nextTurn()
    assert.equal(new Set(await Promise.all(both)).size, 2)
  })

  test('is known to the worker that replaces one that died', async (t) => {
    if (!isPool) return t.skip('no workers')
    const mortal = make('shared-memory.js', { size: 1, maxBlock: 0 })
    const words = sharedWords(1)
    for (let i = 0; i < 3; i++) {
      await mortal.tasks.add(words, 0, 1)
      await mortal.tasks.add(words, 0, 1)
      const dead = mortal.tasks.exit()
      const after = Array.from({ length: 10 }, () => mortal.tasks.add(words, 0, 1))
      assert.equal((await rejection(dead)).code, 'TW_ERR_WORKER_EXITED')
      await Promise.all(after)
    }
    assert.equal(words[0], 36)
  })

  test('is not kept in a worker when the program has dropped it', async (t) => {
    if (!isPool) return t.skip('no workers')
    const lean = make('shared-memory.js', { size: 1, maxBlock: 0 })
    await (async () => {
      const bytes = new Uint8Array(new SharedArrayBuffer(8))
      for (let i = 0; i < 20; i++) await lean.tasks.glimpse(bytes)
      await Promise.all(Array.from({ length: 20 }, () => lean.tasks.glimpse(bytes)))
    })()
    let isThere = true
    for (let i = 0; i < 200 && isThere; i++) {
      collectGarbage()
      await nextTurn()
      isThere = await lean.tasks.isStillThere()
    }
    assert.equal(isThere, false)
  })
})

// Each of these stood still until the long call was over: the worker that was chosen, or woken, was the one that it blocked.
describeExecutors('a worker that is blocked', (make, { kind, isPool }) => {
  if (kind === 'processes' || !isPool) return test('is about shared memory between threads')

  /** Two workers, one of which `block` blocks; fails if `others` do not get on meanwhile. */
  const beside = (name, block, others) =>
    test(name, { timeout: 30_000 }, async () => {
      const pool = make('shared-memory.js', { size: 2, maxBlock: 0 })
      const words = sharedWords(2)
      await pool.ready
      await pool.broadcast('keep', [words])
      for (let round = 0; round < 3; round++) {
        words.fill(0)
        const blocked = block(pool)
        while (Atomics.load(words, 1) === 0) await nextTurn()
        for (let i = 0; i < 20; i++) await others(pool)
        assert.equal(await Promise.race([blocked, 'still']), 'still')
        Atomics.store(words, 0, 1)
        Atomics.notify(words, 0)
        await blocked
      }
    })

  test('next by a call that has just been made takes no call by message', { timeout: 60_000 }, async () => {
    const pool = make('shared-memory.js', { size: 2, maxBlock: 0 })
    const words = sharedWords(2)
    await pool.ready
    await pool.broadcast('keep', [words])
    let stuck = 0
    for (let round = 0; round < 20; round++) {
      words.fill(0)
      for (let i = 0; i < 200; i++) await (i % 2 === 0 ? short(pool) : byMessage(pool)) // so that workers look for calls
      const blocked = inQueue(pool)
      const late = setTimeout(() => {
        stuck++
        release()
      }, 500)
      const release = () => {
        clearTimeout(late)
        Atomics.store(words, 0, 1)
        Atomics.notify(words, 0)
      }
      await byMessage(pool)
      release()
      await blocked
    }
    // It may still happen that a worker takes the long call in the very moment in which the other one is sent to it.
    assert.ok(stuck <= 5, `${stuck} of 20 waited for the long call`)
  })

  const short = (pool) => pool.tasks.echo(1)
  const byMessage = (pool) => pool.tasks.echo(new Map())
  const inQueue = (pool) => pool.tasks.waitForKept(0)
  const afterPromise = (pool) => pool.tasks.waitLater(0) // it has said that it waits, and counts as free
  const inMessage = (pool) => pool.run('waitForKept', [0, new Map()])
  beside('by a call from the queue takes no calls by message', inQueue, byMessage)
  beside('by a call by message is not woken for one in the queue', inMessage, short)
  beside('by a call from the queue leaves others to the other', inQueue, short)
  beside('by a call from the queue is forked no calls', inQueue, (pool) => pool.tasks.fork(1))
  beside('by a call by message leaves others to the other', inMessage, byMessage)
  beside('by what follows a promise is not woken for one in the queue', afterPromise, short)
})
