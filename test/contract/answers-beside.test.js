// Answers that are read together with another message of their worker: whoever waits for the place of their calls gets it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeExecutors } from '../helpers/executors.js'

describeExecutors('answers that come beside other messages', (make, { kind }) => {
  const messages = {
    'of the task': { name: 'answerAfterMessage', ask: () => undefined },
    'that answer inspect()': { name: 'answerThenWake', ask: (pool) => pool.inspect() },
  }
  for (const [what, { name, ask }] of Object.entries(messages)) {
    test(`${what} let the next call in`, { timeout: 30_000 }, async (t) => {
      if (kind !== 'threads' && kind !== 'adaptive') return t.skip('it shares no memory with the program')
      const workerData = new SharedArrayBuffer(4)
      const pool = make('answers-beside.js', { size: 1, concurrency: 1, workerData, maxBlock: 0 })
      await pool.run('next')
      const asked = ask(pool)
      const first = pool.run(name, [], { sendNow: true })
      const second = pool.run('next')
      // Both lie there when the event loop turns again, and the message is read first.
      assert.notEqual(Atomics.wait(new Int32Array(workerData), 0, 0, 20_000), 'timed-out')
      assert.equal(await first, 1)
      assert.equal(await second, 2)
      await asked
    })
  }
})
