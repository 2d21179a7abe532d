// A task that replaces a built-in function of its worker: by one that works, and nobody notices; by another one, and the calls of that worker settle
// all the same, and so do those that come after them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeExecutors } from '../helpers/executors.js'
import { all } from '../helpers/streams.js'
import { askUntil } from '../helpers/waiting.js'

const BUILT_INS = [
  ...['Array.prototype.push', 'Array.prototype.shift', 'Array.prototype.map', 'Map.prototype.get', 'Map.prototype.delete'],
  ...['Promise.prototype.then', 'Uint8Array.prototype.set', 'DataView.prototype.setUint32', 'Math.min', 'Array.isArray'],
  ...['setImmediate', 'queueMicrotask', 'setTimeout', 'process.nextTick', 'process.exit', 'process.hrtime'],
] // prettier-ignore
const ATOMICS = ['load', 'store', 'compareExchange', 'wait'].map((name) => `Atomics.${name}`)
const VALUE = { list: [1, 'text'], map: new Map([['ü€', 0.5]]) }

/** Of calls of all kinds: 'right', or what else has become of them. */
function makeCalls(executor) {
  const calls = [
    [executor.run('echo', [VALUE]), VALUE],
    [executor.run('echo', [1]), 1],
    [executor.run('echoLater', [VALUE]), VALUE],
    [executor.run('echo', [2], { timeout: 60_000 }), 2],
    [all(executor.stream('items', [3])), [0, 1, 2]],
    [executor.map('echo', [1, 2, 3]), [1, 2, 3]],
  ]
  const look = async ([call, expected]) => {
    try {
      assert.deepEqual(await call, expected)
      return 'right'
    } catch (error) {
      return error.code ?? error
    }
  }
  return Promise.all(calls.map(look))
}

describeExecutors('built-in functions that a task replaces', (make, { isPool, kind }) => {
  const skip = !isPool || kind === 'adaptive' // there the thread may be the program's

  for (const way of ['nothing', 'throws'])
    test(`end its worker, where they do not work (${way})`, { skip, timeout: 280_000 }, async () => {
      let executor = make('replaces.js', { size: 1 })
      const idOfWorker = () => executor.stats().workers[0]?.id
      for (const name of BUILT_INS) {
        const before = idOfWorker()
        await executor.run('replace', [name, way]).catch(() => {})
        await makeCalls(executor) // all settle; what such a worker still answers is its task's doing
        await askUntil(
          async () => ({ name, outcomes: await makeCalls(executor) }),
          ({ outcomes }) => outcomes.every((outcome) => outcome === 'right'),
        )
        if (idOfWorker() !== before) continue
        await executor.destroy() // its worker does without the function, and has it no more
        executor = make('replaces.js', { size: 1 })
      }
    })

  test('stay what they are, where memory that threads share depends on them', { skip }, async (t) => {
    if (kind !== 'threads') return t.skip('a process shares none')
    const executor = make('replaces.js', { size: 1 })
    for (const name of [...ATOMICS, 'Atomics']) {
      await assert.rejects(executor.run('replace', [name, 'nothing']), TypeError)
      assert.deepEqual(new Set(await makeCalls(executor)), new Set(['right']))
    }
  })

  test('change nothing where they work', { skip }, async () => {
    const executor = make('replaces.js', { size: 1 })
    for (const name of BUILT_INS) {
      assert.equal(await executor.run('replace', [name, 'wraps']), 'replaced')
      assert.deepEqual(new Set(await makeCalls(executor)), new Set(['right']), name)
    }
  })
})
