// Calls with memory that is shared, on every executor that can: the first with a buffer travels another way than the later ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { collectGarbage } from '../helpers/collect-garbage.js'
import { describeExecutors, rejection } from '../helpers/executors.js'

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
    if (!isPool) return t.diagnostic('no workers')
    const growing = make('shared-memory.js', { size: 1, maxBlock: 0 })
    const words = sharedWords(2)
    for (let i = 0; i < 3; i++) await growing.tasks.add(words, 0, 1)
    growing.resize(2)
    // Two calls that wait for each other's thread: both workers have it.
    const both = [growing.tasks.waitFor(words, 1), growing.tasks.waitFor(words, 1)]
    while (growing.stats().running < 2) await turn()
    Atomics.store(words, 1, 1)
    while (Atomics.notify(words, 1) === 0 && growing.stats().running > 0) await turn()
    assert.equal(new Set(await Promise.all(both)).size, 2)
  })

  test('is known to the worker that replaces one that died', async (t) => {
    if (!isPool) return t.diagnostic('no workers')
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
    if (!isPool) return t.diagnostic('no workers')
    const lean = make('shared-memory.js', { size: 1, maxBlock: 0 })
    await (async () => {
      const bytes = new Uint8Array(new SharedArrayBuffer(8))
      for (let i = 0; i < 3; i++) await lean.tasks.glimpse(bytes)
    })()
    let isThere = true
    for (let i = 0; i < 20 && isThere; i++) {
      collectGarbage()
      await turn()
      isThere = await lean.tasks.isStillThere()
    }
    assert.equal(isThere, false)
  })
})
