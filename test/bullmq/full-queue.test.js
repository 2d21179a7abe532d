// maxQueue of a caller: how many of its calls may be open, beyond those that the workers run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { rejection } from '../helpers/executors.js'
import { openQueue } from '../helpers/queues.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'
import { waitUntil } from '../helpers/waiting.js'

/** A caller whose only worker is busy until `free()`. */
async function busyCaller(t, options) {
  const queue = openQueue(t, await startRedis(t))
  await queue.worker().ready
  const path = testFolder(t)
  const caller = queue.caller(options)
  await caller.ready
  const first = caller.tasks.waitUntil(path('started'), path('release'))
  await fileExists(path('started'))
  await waitUntil(() => caller.size === 1)
  return {
    caller,
    async free() {
      touch(path('release'))
      assert.equal(await first, 'released')
    },
  }
}

for (const [whenFull, code] of [
  ['reject', 'TW_ERR_QUEUE_FULL'],
  ['discard', 'TW_ERR_DISCARDED'],
])
  test(`${whenFull}: a call beyond what runs and waits is turned away`, { skip: withoutRedis }, async (t) => {
    const { caller, free } = await busyCaller(t, { maxQueue: 2, whenFull })
    const waiting = [caller.tasks.add(1, 2), caller.tasks.add(3, 4)]
    assert.equal((await rejection(caller.tasks.add(5, 6))).code, code)
    assert.equal(caller.stats().refused, 1)
    await free()
    assert.deepEqual(await Promise.all(waiting), [3, 7])
    assert.equal(await caller.tasks.add(5, 6), 11)
    const { completed, failed, refused } = caller.stats()
    assert.deepEqual({ completed, failed, refused }, { completed: 4, failed: 0, refused: 1 })
  })

test('wait: calls, and those of map, wait for room here', { skip: withoutRedis }, async (t) => {
  const { caller, free } = await busyCaller(t, { maxQueue: 1, whenFull: 'wait' })
  const calls = [1, 2, 3, 4].map((n) => caller.tasks.add(n, n))
  const mapped = caller.map('add', [1, 2, 3])
  const late = rejection(caller.run('add', [0, 0], { queueTimeout: 20 }))
  assert.equal((await late).code, 'TW_ERR_QUEUE_TIMEOUT')
  await waitUntil(() => caller.stats().running === 2)
  await free()
  assert.deepEqual(await Promise.all(calls), [2, 4, 6, 8])
  assert.equal((await mapped).length, 3)
  const { completed, failed } = caller.stats()
  assert.deepEqual({ completed, failed }, { completed: 8, failed: 1 })
})

test('maxQueue 0: one call after the other finds the workers', { skip: withoutRedis }, async (t) => {
  const queue = openQueue(t, await startRedis(t))
  const caller = queue.caller({ maxQueue: 0 })
  const waiting = queue.caller({ maxQueue: 0, whenFull: 'wait' })
  await Promise.all([caller.ready, waiting.ready])
  const first = caller.tasks.add(1, 2)
  assert.equal((await rejection(caller.tasks.add(3, 4))).code, 'TW_ERR_QUEUE_FULL', 'nobody is there')
  const calls = [1, 2, 3, 4].map((n) => waiting.tasks.add(n, n))
  await queue.worker().ready
  assert.equal(await first, 3)
  assert.deepEqual(await Promise.all(calls), [2, 4, 6, 8])
  assert.equal(await caller.tasks.add(5, 6), 11)
})

test('policies that need the calls of others, or the task here, are refused', { skip: withoutRedis }, (t) => {
  const queue = openQueue(t, { url: 'redis://127.0.0.1:1' })
  for (const whenFull of ['discard-oldest', 'caller-runs'])
    assert.throws(() => queue.caller({ maxQueue: 1, whenFull }), {
      code: 'TW_ERR_INVALID_OPTION',
      message: /whenFull/,
    })
})
