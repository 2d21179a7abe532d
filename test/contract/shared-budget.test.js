// Pools without a size share the CPUs of the process.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { processes, threads } from 'threadwise'
import { taskModule } from '../helpers/executors.js'

const module = taskModule('basic.js')

for (const create of [threads, processes]) {
  describe(`${create.name} without a size`, () => {
    const open = []
    const make = (options) => open[open.push(create(module, options)) - 1]
    const sizes = () => open.map((pool) => pool.stats().size)
    const before = process.env.THREADWISE_CPUS

    beforeEach(() => (process.env.THREADWISE_CPUS = '5'))
    afterEach(async () => {
      await Promise.all(open.splice(0).map((pool) => pool.destroy()))
      if (before === undefined) delete process.env.THREADWISE_CPUS
      else process.env.THREADWISE_CPUS = before
    })

    test('share the CPUs, and again when one is closed', async () => {
      make()
      assert.deepEqual(sizes(), [5])
      make()
      assert.deepEqual(sizes(), [3, 2])
      make()
      assert.deepEqual(sizes(), [2, 2, 1])
      await open.shift().close()
      assert.deepEqual(sizes(), [3, 2])
      assert.deepEqual(await Promise.all(open.map((pool) => pool.tasks.add(1, 2))), [3, 3])
    })

    test('get one worker each, however few CPUs there are', () => {
      process.env.THREADWISE_CPUS = '0.6'
      for (let i = 0; i < 3; i++) make()
      assert.deepEqual(sizes(), [1, 1, 1])
    })

    test('leave those alone that have a size, a budget, or were resized', () => {
      make({ size: 2 })
      make({ budget: 3.7 })
      make().resize(2)
      make()
      assert.deepEqual(sizes(), [2, 3, 2, 5])
    })

    test('are checked', () => {
      for (const budget of [0, -1, 'all', null])
        assert.throws(() => create(module, { budget }), { code: 'TW_ERR_INVALID_OPTION' })
      assert.throws(() => create(module, { startTimeout: 'soon' }), { code: 'TW_ERR_INVALID_OPTION' })
      make()
      assert.deepEqual(sizes(), [5], 'what was refused has no share')
    })
  })
}
