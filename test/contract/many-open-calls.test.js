// A pool that ends with very many open calls: all of them settle, and the program goes on meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { numbers } from '../helpers/many.js'

const CALLS = 3000

/** Turns of the event loop, in each of which some calls have settled. */
function countTurns(calls) {
  let settled = 0
  let turns = 0
  for (const call of calls) call.catch(() => settled++)
  const look = (before) => {
    if (settled > before) turns++
    if (settled < calls.length) setImmediate(look, settled)
  }
  setImmediate(look, 0)
  return () => turns
}

const PLACES = {
  'in the queue': {},
  'in their workers': { tasksPerWorker: CALLS },
  'in line for a full queue': { maxQueue: 1, whenFull: 'wait' },
  'in lanes': { balance: 'round-robin' },
}

describeExecutors('many open calls', (make, { kind, isPool }) => {
  for (const [place, options] of Object.entries(PLACES)) {
    const fill = () => {
      const executor = make('parallel.js', { concurrency: 1, ...options })
      return { executor, calls: numbers(CALLS).map(() => executor.run('never')) }
    }
    const skip = (options.balance || options.tasksPerWorker) && !isPool

    test(`are given up in many turns of the event loop by destroy() (${place})`, { skip }, async () => {
      const { executor, calls } = fill()
      const turns = countTurns(calls)
      await executor.ready
      await executor.destroy()
      for (const call of calls) assert.equal((await rejection(call)).code, 'TW_ERR_DESTROYED')
      assert.ok(turns() >= 5, `${turns()} turns`)
      const { queued, running, failed } = executor.stats()
      assert.deepEqual([queued, running], [0, 0])
      if (!options.maxQueue) assert.equal(failed, CALLS)
    })

    test(`and by close(), once its time is over (${place})`, { skip }, async () => {
      const { executor, calls } = fill()
      const turns = countTurns(calls)
      await executor.ready
      await executor.close({ timeout: 0 })
      for (const call of calls) assert.equal((await rejection(call)).code, 'TW_ERR_CLOSED')
      assert.ok(turns() >= 5, `${turns()} turns`)
    })
  }

  test('are given up in many turns where the module cannot be loaded', async () => {
    const executor = make('load-throws.js', kind === 'inline' ? {} : { concurrency: 1 })
    const calls = numbers(CALLS).map(() => executor.run('never'))
    const turns = countTurns(calls)
    for (const call of calls) assert.equal((await rejection(call)).code, 'TW_ERR_START_FAILED')
    assert.ok(turns() >= 5, `${turns()} turns`)
    assert.equal((await rejection(executor.run('never'))).code, 'TW_ERR_START_FAILED')
  })
})
