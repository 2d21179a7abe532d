// A call that leaves before run() returns: for callers that compute on and give their event loop no turn.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { testFolder } from '../helpers/files.js'

/** Without a turn of the event loop, nor a microtask. The limit turns a bug into a failure. */
function blockUntilExists(path) {
  const end = Date.now() + 20_000
  while (!existsSync(path)) if (Date.now() > end) return false
  return true
}

describeExecutors('a call that is sent now', (make, { name, isPool }) => {
  if (!isPool) return
  for (const options of [
    { size: 2 },
    { size: 1 },
    { size: 2, balance: 'round-robin' },
    { size: 1, maxQueue: 2 },
  ])
    test(`runs while its caller computes (${JSON.stringify(options)})`, async (t) => {
      const path = testFolder(t)
      const executor = make('barrier.js', { ...options, maxBlock: 0 })
      await executor.broadcast('workerId') // all are up
      const call = executor.run('note', [path('seen'), 'x'], { sendNow: true })
      assert.ok(blockUntilExists(path('seen')), `${name} kept the call`)
      assert.equal(await call, 'x')
    })

  test('takes those before it along', async (t) => {
    const path = testFolder(t)
    const executor = make('barrier.js', { size: 2, maxBlock: 0 })
    await executor.broadcast('workerId')
    const calls = [
      executor.tasks.note(path('first'), 'a'),
      executor.run('note', [path('second'), 'b'], { sendNow: true }),
    ]
    assert.ok(blockUntilExists(path('first')) && blockUntilExists(path('second')))
    assert.deepEqual(await Promise.all(calls), ['a', 'b'])
  })

  test('says what else it may be', async () => {
    const executor = make('barrier.js', { size: 1 })
    for (const call of [
      executor.run('workerId', [], { sendNow: 1 }),
      executor.broadcast('workerId', [], { sendNow: true }),
    ])
      assert.equal((await rejection(call)).code, 'TW_ERR_INVALID_OPTION')
  })
})
