// Whatever has got onto Object.prototype, by whatever data, is no option: of an executor, of a call, of an algorithm.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filter, map, mapReduce, reduce } from 'threadwise/parallel'
import { cpuBudget } from 'threadwise'
import { describeExecutors } from '../helpers/executors.js'
import { all } from '../helpers/streams.js'

/** Each would be refused, or change what happens, if it were read. */
const POLLUTED = {
  ...{ signal: 5, timeout: 'x', queueTimeout: 'x', priority: 99, gracePeriod: 'x', transfer: 5, key: {}, onProgress: 5 },
  ...{ warnAfter: 'x', highWaterMark: 'x', listener: {}, min: 99, backoff: 'x', chunk: 'x', ordered: false },
  ...{ name: 5, concurrency: 'x', maxQueue: 'x', whenFull: 'x', startTimeout: 'x', closeTimeout: 'x', maxBlock: 'x' },
  ...{ transport: 'x', initial: 1000, root: '/nowhere', maxOldGenerationSizeMb: 'x', codeRangeSizeMb: 'x', shell: true },
} // prettier-ignore

/** Not awaited while it is polluted: what Node does meanwhile is its own affair. */
function polluted(callback) {
  for (const [key, value] of Object.entries(POLLUTED))
    Object.defineProperty(Object.prototype, key, { value, configurable: true, writable: true })
  try {
    return callback()
  } finally {
    for (const key of Object.keys(POLLUTED)) delete Object.prototype[key]
  }
}

describeExecutors('a polluted Object.prototype', (make, { isPool }) => {
  test('changes no option of an executor', async () => {
    const options = isPool ? { size: { max: 1 }, onWorkerExit: { retries: 1 } } : {}
    const executor = polluted(() => make('basic.js', options))
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
      filter(executor, 'isOdd', list, {}),
      reduce(executor, 'add', list, {}),
      mapReduce(executor, { map: 'double', reduce: 'add', inputs: list }, {}),
    ])
    assert.deepEqual(await Promise.all(calls), [[2, 4, 6], [1, 3], 6, 12])
  })
})

test('a polluted Object.prototype changes nothing of cpuBudget()', () => {
  const { cpus, source } = cpuBudget()
  assert.deepEqual(polluted(() => cpuBudget({})).cpus, cpus, source)
})
