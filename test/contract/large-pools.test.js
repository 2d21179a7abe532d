// Pools of many workers: the program goes on while they start, and more than the machine holds are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeExecutors } from '../helpers/executors.js'

describeExecutors('a pool of many workers', (make, { kind, isPool }) => {
  if (!isPool) return

  for (const balance of ['shared', 'round-robin'])
    test(`starts them in several turns, and has all of them from the start (${balance})`, async () => {
      const pool = make('basic.js', { size: 20, balance, startTimeout: 60_000 })
      assert.equal(pool.size, 20)
      if (balance === 'shared') assert.ok(pool.stats().workers.length <= 16)
      const answers = await pool.broadcast('add', [1, 2])
      assert.deepEqual(answers.slice(0, 20), Array(20).fill(3))
      await pool.ready
      assert.equal(pool.stats().workers.length, 20)
      pool.resize(1)
      assert.equal(await pool.tasks.add(3, 4), 7)
    })

  const most = (option) => (error) => {
    const pattern = new RegExp(`^${option} must be a whole number from 1 to \\d+( \\(\\d+ MB of memory hold no more (threads|processes)\\))?, got 1000000000\\.$`) // prettier-ignore
    assert.match(error.message, pattern)
    return error.code === 'TW_ERR_INVALID_OPTION'
  }
  const sizes = { size: 1e9, 'size.max': { min: 1, max: 1e9 } }
  for (const [option, size] of Object.entries(sizes)) {
    test(`of more than the machine holds is refused (${option})`, async () => {
      assert.throws(() => make('basic.js', { size }), most(option))
      assert.throws(() => make('basic.js', { size, balance: 'random' }), most(option))
      const pool = make('basic.js', { size: 1 })
      assert.throws(() => pool.resize(size), most(option))
      assert.equal(await pool.tasks.add(1, 2), 3)
    })
  }

  test(`and so is a budget of more CPUs than that (${kind})`, () => {
    assert.throws(() => make('basic.js', { size: undefined, budget: 1e9 }), /budget must be .* up to \d+/)
  })
})
