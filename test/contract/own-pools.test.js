// A module that makes a pool of itself: refused where it would never end, by the call of whoever waits for it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'

describeExecutors('a module that makes a pool of itself', (make, { kind, isPool }) => {
  for (const at of ['top', 'guarded', 'awaited']) {
    test(`while it is loaded (${at})`, async () => {
      const executor = make(`own-pool.js?kind=${kind}&at=${at}`, { size: 1, startTimeout: 30_000 })
      const isAlone = at === 'guarded' && kind !== 'processes' // in a child isMainThread is true
      if (!isPool || isAlone) {
        if (at === 'awaited') return // it waits for itself
        return assert.equal(await executor.tasks.add(1, 2), 3)
      }
      const error = await rejection(executor.run('add', [1, 2]))
      assert.equal(error.code, 'TW_ERR_START_FAILED')
      assert.match(
        error.message,
        /module must be one whose workers do not make this pool again .* without end/,
      )
      assert.match(error.message, /keep the tasks in a file of their own.*own-pool\.js/)
      assert.match(error.message, /asked for that as it was loaded\.$/)
    })
  }

  if (!isPool) return

  test('and two that make pools of each other', async () => {
    const executor = make(`own-pool-partner.js?kind=${kind}`, { size: 1, startTimeout: 30_000 })
    const error = await rejection(executor.tasks.ready())
    assert.match(error.message, /without end/)
  })

  test('in a task, one level deep', async () => {
    const executor = make(`own-pool.js?kind=${kind}`, { size: 1 })
    assert.equal(await executor.tasks.nest(1), 'done')
    const error = await rejection(executor.tasks.nest(3))
    assert.equal(error.code, 'TW_ERR_INVALID_OPTION')
    assert.match(error.message, /without end/)
  })
})
