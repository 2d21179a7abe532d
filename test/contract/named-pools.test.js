// What becomes of a pool when a framework loads the module that made it anew, as its server does in development.
import assert from 'node:assert/strict'
import { utimesSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { before, after, describe, test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { testFolder } from '../helpers/files.js'
import { waitUntil } from '../helpers/waiting.js'

const options = { name: 'again', size: 1, maxBlock: 0 }
const workerOf = async (pool) => JSON.stringify(await pool.tasks.place())

describeExecutors('a pool that is made again', (make, { isPool }) => {
  if (!isPool) {
    return test('has no workers, so it is another one', async () => {
      const [first, second] = [make('basic.js', { name: 'again' }), make('basic.js', { name: 'again' })]
      await first.close()
      assert.equal(await second.tasks.add(1, 2), 3)
    })
  }

  test('is a second one where nothing is reloaded', async () => {
    const [first, second] = [make('basic.js', options), make('basic.js', options)]
    assert.notEqual(await workerOf(first), await workerOf(second))
    await first.close()
    assert.equal(await second.tasks.add(1, 2), 3)
    await second.close()
  })

  describe('in development', () => {
    const mode = process.env.NODE_ENV
    before(() => (process.env.NODE_ENV = 'development'))
    after(() => (mode === undefined ? delete process.env.NODE_ENV : (process.env.NODE_ENV = mode)))

    test('is found again by its name, and its last holder ends it', async () => {
      const [first, second] = [make('basic.js', options), make('basic.js', { ...options })]
      assert.equal(await workerOf(first), await workerOf(second))
      assert.equal(second.stats().completed, 2)
      assert.equal(second.size, 1)
      await first.close()
      await first.close()
      assert.equal(await second.tasks.add(1, 2), 3)
      await second.close()
      assert.equal((await rejection(second.tasks.add(1, 2))).code, 'TW_ERR_CLOSED')
      assert.equal((await rejection(first.tasks.add(1, 2))).code, 'TW_ERR_CLOSED')
    })

    test('is a new one once it has been closed', async () => {
      const first = make('basic.js', options)
      const worker = await workerOf(first)
      await first.close()
      const second = make('basic.js', options)
      assert.notEqual(await workerOf(second), worker)
      await second.close()
    })

    test('is another one without a name, or under another name', async () => {
      const { name, ...unnamed } = options
      for (const [one, other] of [
        [unnamed, unnamed],
        [options, { ...options, name: `${name}-too` }],
      ]) {
        const [first, second] = [make('basic.js', one), make('basic.js', other)]
        assert.notEqual(await workerOf(first), await workerOf(second))
        await Promise.all([first.close(), second.close()])
      }
    })

    test('with other options, or of another module, replaces the one before, and says so', async (t) => {
      const warnings = t.mock.method(process, 'emitWarning', () => {})
      const first = make('basic.js', options)
      const open = first.tasks.later('accepted', 20)
      const second = make('basic.js', { ...options, closeTimeout: 1000 })
      const third = make('values.js', { ...options, closeTimeout: 1000 })
      assert.equal(await open, 'accepted')
      assert.equal((await rejection(second.tasks.add(1, 2))).code, 'TW_ERR_CLOSED')
      assert.equal((await rejection(first.tasks.add(1, 2))).code, 'TW_ERR_CLOSED')
      await third.ready
      assert.equal(warnings.mock.callCount(), 2)
      const [message, { code }] = warnings.mock.calls[0].arguments
      assert.match(message, /"again" were made again with another module or other options/)
      assert.equal(code, 'TW_WARN_POOL_REPLACED')
      await Promise.all([first.close(), third.close()])
    })

    test('runs the code of its module as it is now', async (t) => {
      const path = testFolder(t)('tasks.mjs')
      const module = pathToFileURL(path)
      const write = (version, time) => {
        writeFileSync(path, `export const version = () => '${version}'`)
        utimesSync(path, time, time)
      }
      write('old', 1000)
      const first = make({ module }, options)
      assert.equal(await first.tasks.version(), 'old')
      write('new', 2000)
      const second = make({ module }, options)
      assert.equal(await second.tasks.version(), 'new')
      await waitUntil(() => first.stats().workers.length === 0, 'the old workers have left')
      await Promise.all([first.close(), second.close()])
    })

    test('starts anew after a start that failed', async (t) => {
      const path = testFolder(t)('tasks.mjs')
      const module = pathToFileURL(path)
      writeFileSync(path, 'throw new Error("half written")')
      utimesSync(path, 1000, 1000)
      const first = make({ module }, options)
      await rejection(first.ready)
      writeFileSync(path, 'export const version = () => "whole"')
      utimesSync(path, 1000, 1000)
      assert.equal(await make({ module }, options).tasks.version(), 'whole')
    })
  })
})
