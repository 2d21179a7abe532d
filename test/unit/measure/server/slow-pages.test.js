// Servers whose answers take long: what is told of them, on how many connections, and what is said where there is no time for it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { measured } from '../../../helpers/fake-server-trials.js'

describe('a slow page', () => {
  test('that computes for 200 ms is told within 40 s, on few connections', async () => {
    const { result, named, asked } = await measured({ cpuMs: 200 }, { instances: [2] })
    assert.equal(named('cluster of 2').verdict, 'faster')
    assert.match(result.advice[0].sentence, /^Run 2 instances at 2 CPUs: /)
    const windows = asked.filter(({ kind, leadMs }) => kind === 'saturation' && leadMs > 0)
    assert.ok(windows.every(({ connections, leadMs }) => connections <= 4 && leadMs >= 400))
    assert.ok(
      new Set(windows.map(({ leadMs }) => leadMs)).size > 2,
      'each begins elsewhere in the rhythm of the answers',
    )
  })

  test('that waits for 600 ms is told too, on all connections', async () => {
    const { named, asked } = await measured({ cpuMs: 1, waitMs: 600 }, { instances: [2] })
    assert.ok(named('cluster of 2').noGain)
    assert.ok(asked.filter(({ leadMs }) => leadMs > 0).every(({ connections }) => connections === 32))
  })

  for (const [cpuMs, most, sentence] of [
    [
      700,
      50,
      /^Keep one process at 2 CPUs for now: nothing else could be measured in time; a larger --budget gives it more\.$/,
    ],
    [
      4000,
      45,
      /^One process could not be measured at 2 CPUs: its answers take so long that a single window of about \d+ s does not fit into the time that is left; a larger --budget gives it more\.$/,
    ],
    [
      25_000,
      70,
      /^One process could not be measured at 2 CPUs: there was no time left to start it; a larger --budget gives it more\.$/,
    ],
  ])
    test(`of ${cpuMs} ms, which needs more time than there is, says so, and what to do`, async () => {
      const { result, clock, stillOpen } = await measured({ cpuMs }, { instances: [2] })
      assert.match(result.advice[0].sentence, sentence)
      assert.equal(result.advice[0].isSettled, false)
      assert.ok(clock.ms < 1000 * most, `${clock.ms} ms`)
      assert.equal(stillOpen(), 0)
    })

  test('that computes on threads keeps these busy in one process too, and more processes gain nothing', async () => {
    const server = { cpuMs: 250, isOnThreads: true, price: 0 }
    const { result, named } = await measured(server, { cpus: [4], instances: [2, 4], budget: 300 })
    assert.match(result.advice[0].sentence, /^Keep one process at 4 CPUs: /)
    assert.ok(Math.abs(named('one process').throughput.median - 16) < 1)
    assert.ok(Math.abs(named('cluster of 2').ratio.value - 1) < 0.05)
    assert.ok(named('one process').connections >= 4)
  })

  test('whose work may go to threads is told with these busy', async () => {
    const { named } = await measured(
      { cpuMs: 250 },
      { cpus: [4], instances: [4], offloadPath: '/offload', budget: 300 },
    )
    assert.ok(Math.abs(named('one process, /offload').ratio.value - 4) < 0.2)
  })

  test('that waits gains nothing, also where the platform tells no CPU times', async () => {
    for (const waitMs of [220, 600]) {
      const { named } = await measured(
        { cpuMs: 1, waitMs, knowsCpus: false },
        { instances: [2], budget: 300 },
      )
      const { noGain, ratio, connections } = named('cluster of 2')
      assert.ok(noGain && Math.abs(ratio.value - 1) < 0.05, `${waitMs} ms`)
      assert.equal(connections, named('one process').connections)
    }
  })

  test('that answers nothing while it warms up gets equally many connections for all rows', async () => {
    const isEmpty = (number) => number < 4
    const { named } = await measured({ cpuMs: 1, waitMs: 3200, isEmpty }, { instances: [2], budget: 600 })
    assert.ok(Math.abs(named('cluster of 2').ratio.value - 1) < 0.05)
    assert.equal(named('cluster of 2').connections, named('one process').connections)
  })

  test('that is interrupted in its second window has not failed', async () => {
    const stop = new AbortController()
    const onAsk = (_, count) => count === 7 && stop.abort(new Error('enough'))
    const { named } = await measured({ cpuMs: 200, onAsk }, { instances: [2], signal: stop.signal })
    assert.equal(named('one process').failed, null)
  })

  test('is at most as slow as a window in which everything stood still: that one is taken again, for longer', async () => {
    const { named, asked } = await measured({ isEmpty: (number) => number % 10 === 0 })
    assert.equal(named('cluster of 2').verdict, 'faster')
    const [empty, again] = asked.slice(19)
    assert.deepEqual([again.row, again.countMs], [empty.row, 2 * empty.countMs])
  })

  test('that never answers is not asked for ever', async () => {
    const { named } = await measured({ isEmpty: () => true })
    assert.equal(named('cluster of 2').failed, 'no request was answered: none ended in time')
  })
})
