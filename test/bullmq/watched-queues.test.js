// What the dashboard knows of queues: figures from the first look on, and the reason where their store is away.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { watchQueues } from '../../build/cli/dashboard/look/queue-watch.js'
import { openQueue } from '../helpers/queues.js'
import { STORES } from '../helpers/stores.js'
import { waitUntil } from '../helpers/waiting.js'

for (const { name, missing, start } of STORES)
  describe(`queues that are watched, ${name}`, { skip: missing }, () => {
    test('are told at the first look, and at a store that is silent nobody waits for long', async (t) => {
      const store = await start(t)
      const { queue, connection, caller } = openQueue(t, store)
      const calls = caller({ workerTimeout: Infinity })
      for (let i = 0; i < 3; i++) calls.run('add', [i, 1]).catch(() => {}) // no worker ever takes it
      await waitUntil(() => calls.stats().running === 3)
      const look = watchQueues({ queues: [queue], connection })
      const [{ oldestMs, ...row }] = await look()
      assert.deepEqual(row, { queue, waiting: 3, running: 0, failed: 0, isPaused: false, workers: 0, problem: null }) // prettier-ignore
      assert.ok(oldestMs >= 0)
      store.freeze()
      t.after(() => store.thaw())
      const [{ waiting, problem }] = await look()
      assert.deepEqual([waiting, problem], [3, null], 'what was known')
      const [unasked] = await watchQueues({ queues: [queue], connection })()
      assert.equal(unasked.problem, 'not asked yet')
    })
  })
