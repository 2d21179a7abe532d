// Whatever has got onto Object.prototype, by whatever data, is no option: of an executor, of a call, of an algorithm.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filter, map, mapReduce, reduce } from 'threadwise/parallel'
import { cpuBudget } from 'threadwise'
import { describeExecutors } from '../helpers/executors.js'
import { all } from '../helpers/streams.js'

/** Each would be refused, or change what happens, if it were read. Node itself reads some of the others while it loads a module. */
const OF_EXECUTORS = {
  ...{ name: 5, concurrency: 'x', maxQueue: 'x', whenFull: 'x', startTimeout: 'x', closeTimeout: 'x', maxBlock: 'x' },
  ...{ transport: 'x', min: 99, backoff: 'x', maxOldGenerationSizeMb: 'x', codeRangeSizeMb: 'x', shell: true },
} // prettier-ignore
const OF_CALLS = {
  ...{ signal: 5, timeout: 'x', queueTimeout: 'x', priority: 99, gracePeriod: 'x', transfer: 5, key: {}, onProgress: 5 },
  ...{ warnAfter: 'x', highWaterMark: 'x', listener: {}, chunk: 'x', ordered: false, initial: 1000, root: '/nowhere' },
} // prettier-ignore

/** Not awaited while it is polluted: what Node does meanwhile is its own affair. */
function polluted(callback, values = { ...OF_EXECUTORS, ...OF_CALLS }) {
  for (const [key, value] of Object.entries(values))
    Object.defineProperty(Object.prototype, key, { value, configurable: true, writable: true })
  try {
    return callback()
  } finally {
    for (const key of Object.keys(values)) delete Object.prototype[key]
  }
}

describeExecutors('a polluted Object.prototype', (make, { isPool }) => {
  test('changes no option of an executor', async () => {
    const options = isPool ? { size: { max: 1 }, onWorkerExit: { retries: 1 } } : {}
    const executor = polluted(() => make('basic.js', options), OF_EXECUTORS)
    assert.equal(await executor.tasks.add(1, 2), 3)
    assert.equal(executor.stats().name, 'threadwise')
    await polluted(() => executor.close({}))
  })

  test('changes no option of a call, nor of what it forks', async () => {
    const executor = make('basic.js')
    const streams = make('streams.js')
    const forks = make('forks.js')
    await Promise.all([executor.ready, streams.ready, forks.ready])
    const calls = polluted(() => [
      executor.tasks.add(1, 2),
      executor.run('add', [1, 2]),
      executor.run('add', [1, 2], {}),
      executor.run('add', [1, 2], { timeout: 60_000 }),
      executor.map('double', [1, 2], {}).then(([, last]) => last - 1),
      executor.broadcast('add', [1, 2], {}).then(([first]) => first),
      all(streams.stream('count', [3])).then((items) => items.length),
    ])
    assert.deepEqual(await Promise.all(calls), new Array(calls.length).fill(3))
    assert.equal(await polluted(() => forks.run('fibonacci', [6])), 8)
    if (isPool) polluted(() => executor.resize({ max: 2 }))
    assert.equal(await executor.tasks.add(1, 2), 3)
  })

  test('changes no option of an algorithm', async () => {
    const executor = make('parallel.js')
    await executor.ready
    const list = [1, 2, 3]
    const calls = polluted(() => [
      map(executor, 'double', list, {}),
      filter(executor, 'isEven', list, {}),
      reduce(executor, 'add', list, {}),
      mapReduce(executor, { map: 'double', reduce: 'add', inputs: list }, {}),
    ])
    assert.deepEqual(await Promise.all(calls), [[2, 4, 6], [2], 6, 12])
  })
})

describeExecutors(
  'a program whose Object.prototype was polluted with options of Node',
  (make, { isPool }) => {
    test('gives its workers the options that it has written, and no others', async (t) => {
      if (!isPool) return t.skip('there is nothing to start')
      const polluted = {
        execArgv: ['--no-such-option'],
        env: { TW_TEST_POLLUTED: '1' },
        balance: 'nonsense',
        maxTasks: 'x',
      }
      for (const [key, value] of Object.entries(polluted))
        Object.defineProperty(Object.prototype, key, {
          value,
          enumerable: true,
          configurable: true,
          writable: true,
        })
      let executor
      try {
        executor = make('hostile.js', { size: 1 })
        await executor.ready
      } finally {
        for (const key of Object.keys(polluted)) delete Object.prototype[key]
      }
      assert.equal(await executor.run('variable', ['TW_TEST_POLLUTED']), undefined)
    })
  },
)

test('a polluted Object.prototype changes nothing of cpuBudget()', () => {
  assert.deepEqual(
    polluted(() => cpuBudget({})),
    cpuBudget(),
  )
})
