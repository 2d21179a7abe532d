// What a cell of the result says, from what was seen of it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Histogram } from '../../../build/primitives/histogram.js'
import { NOT_MEASURED } from '../../../build/measure/findings/context.js'
import { loopDelayOf, summarizeCell } from '../../../build/measure/summarize-cell.js'
import { emptyRecord } from '../../../build/measure/world/cell-record.js'

const plan = { variant: 'love', executor: 'threads', size: 2, cpus: 0.6, uv: null, inFlight: 4 }
const found = { ratio: { value: 1.5, low: 1.3, high: 1.7 }, verdict: 'faster', processes: 2, sd: 0.06 }

function histogram(milliseconds, count) {
  const values = new Histogram()
  values.record(milliseconds, count)
  return values.toJSON()
}

const usage = (changes = {}) => ({
  ...{ calls: 1000, failed: 0, firstError: null, seconds: 10 },
  ...{ latency: histogram(10, 1000), loopDelay: histogram(2, 1000) },
  ...{ throttledMs: null, cpuSeconds: 6, mainCpuSeconds: 1, leak: null },
  ...changes,
})

function summary({
  usages = [usage()],
  rates = [100, 110],
  result = found,
  failure,
  cell = plan,
  baseline = [usage()],
  isBaseline = false,
  ...changes
} = {}) {
  const candidate = { name: '1', role: 'rival', cell }
  const windows = rates.map((rate, i) => ({
    candidate: '1',
    process: i % 2,
    rate,
    atMs: 50 * i,
    wallMs: 50,
    otherCpus: 0,
  }))
  const results = new Map(result ? [['1', result]] : [])
  const failures = new Map(failure ? [['1', failure]] : [])
  return summarizeCell({
    ...{ candidate, isBaseline, hostCpus: 2, decision: { windows, results, failures } },
    record: { ...emptyRecord(cell), usages, ...changes },
    baselineRecord: { ...emptyRecord(cell), usages: baseline },
  })
}

describe('a cell', () => {
  test('has the ratio, the verdict and the processes of the decision', () => {
    const { ratio, verdict, noGain, standardError, processes, windows, failed } = summary()
    assert.deepEqual(ratio, found.ratio)
    assert.deepEqual([verdict, noGain, standardError, processes, windows, failed], ['faster', false, 0.06, 2, 2, null]) // prettier-ignore
  })

  test('that cannot gain has no verdict of that name, and says so beside it', () => {
    const { verdict, noGain } = summary({ result: { ...found, verdict: 'no-gain' } })
    assert.deepEqual([verdict, noGain], ['cannot-tell', true])
  })

  test('that is the baseline is as fast as itself', () => {
    const { ratio, verdict, standardError, processes } = summary({ isBaseline: true, result: null })
    assert.deepEqual([ratio.value, ratio.low, ratio.high], [1, 1, 1])
    assert.deepEqual([verdict, standardError, processes], ['same', 0, 2])
  })

  test('without enough windows has no ratio and no verdict', () => {
    const { ratio, verdict, standardError, failed } = summary({ result: null })
    assert.ok(Number.isNaN(ratio.value))
    assert.deepEqual([verdict, standardError, failed], ['cannot-tell', null, null])
  })
})

describe('throughput', () => {
  test('is that of ten parts of the run, and not of its windows', () => {
    const rates = Array.from({ length: 40 }, (_, i) => 100 + (i % 4) * 10)
    const { samples, throughput } = summary({ rates })
    assert.deepEqual(samples, Array(10).fill(115))
    assert.deepEqual(throughput, { median: 115, low: 115, high: 115 })
  })

  test('is 0 where nothing was measured', () => {
    assert.deepEqual(summary({ rates: [] }).throughput, { median: 0, low: 0, high: 0 })
  })
})

describe('figures of a call', () => {
  test('are sums over all processes', () => {
    const usages = [usage(), usage({ calls: 3000, cpuSeconds: 6, mainCpuSeconds: 3 })]
    const { cpuSecondsPerTask, mainCpuSecondsPerTask, latency } = summary({ usages })
    assert.deepEqual([cpuSecondsPerTask, mainCpuSecondsPerTask], [12 / 4000, 4 / 4000])
    assert.equal(latency.count, 2000)
  })

  test('are not known where one process did not tell', () => {
    const usages = [usage(), usage({ cpuSeconds: null })]
    assert.equal(summary({ usages }).cpuSecondsPerTask, null)
    assert.equal(summary({ usages: [] }).cpuSecondsPerTask, null)
  })

  test('have no p99 where too few calls support it', () => {
    const { latency } = summary({ usages: [usage({ latency: histogram(10, 20) })] })
    assert.equal(latency.p99, null)
    assert.ok(Math.abs(latency.p50 / 10 - 1) < 0.05)
  })

  test('memory, start and leak are medians over processes', () => {
    const leaks = [10, 30, 20].map((bytes) => usage({ leak: { bytes: 1000 * bytes, calls: 1000 } }))
    const cell = summary({ usages: leaks, memoryBytes: [3, 1, 2], startMs: [30, 10, 20] })
    assert.deepEqual([cell.leakBytesPerCall, cell.memoryBytes, cell.startMs], [20, 2, 20])
    assert.equal(summary({ usages: [usage({ leak: { bytes: 5, calls: 0 } })] }).leakBytesPerCall, null)
  })
})

describe('frozen time', () => {
  test('of two threads that are frozen together counts once', () => {
    // The kernel adds up both run queues: 8 s of 10 are 4 s in which nothing moved.
    assert.equal(summary({ usages: [usage({ throttledMs: 8000 })] }).throttled, 40)
    const one = { ...plan, executor: 'inline', size: 1 }
    assert.equal(summary({ cell: one, usages: [usage({ throttledMs: 4000 })] }).throttled, 40)
  })

  test('is never more than all of it, and unknown without a quota', () => {
    assert.equal(summary({ usages: [usage({ throttledMs: 80_000 })] }).throttled, 100)
    assert.equal(summary().throttled, null)
  })
})

describe('a cell fails', () => {
  const thrown = (failed) => [usage({ failed, firstError: failed > 0 ? 'Error: no' : null })]

  test('with the reason of its process, and then tells nothing', () => {
    const { failed, verdict, noGain } = summary({ failure: 'it ran out of memory' })
    assert.deepEqual([failed, verdict, noGain], ['it ran out of memory', 'cannot-tell', false])
  })

  test('when it had no turn', () => {
    assert.equal(summary({ rates: [], result: null }).failed, NOT_MEASURED)
  })

  test('when it throws much more often than the baseline does', () => {
    const cell = summary({ usages: thrown(200) })
    assert.equal(cell.failed, '20 % of its calls failed: Error: no')
    assert.deepEqual([cell.verdict, cell.errorRate, cell.firstError], ['cannot-tell', 0.2, 'Error: no'])
    assert.equal(summary({ usages: thrown(200), baseline: thrown(180) }).failed, null)
    assert.equal(summary({ usages: thrown(40) }).failed, null)
  })

  test('not by chance: of few calls some throw more often', () => {
    const few = (failed) => [usage({ calls: 50, failed, firstError: 'Error: no' })]
    assert.equal(summary({ usages: few(9), baseline: few(4) }).failed, null)
    assert.equal(summary({ usages: few(22), baseline: few(2) }).failed, '44 % of its calls failed: Error: no')
  })

  test('when half of its calls throw, whatever the baseline does', () => {
    assert.equal(summary({ usages: thrown(500), baseline: thrown(500) }).failed, '50 % of its calls failed: Error: no') // prettier-ignore
  })
})

test('the delay of the loop is its p99, or its p95 after a first look, or not known', () => {
  const of = (count) => loopDelayOf({ usages: [usage({ loopDelay: histogram(4, count) })] })
  assert.ok(Math.abs(of(5000) / 4 - 1) < 0.05)
  assert.ok(Math.abs(of(300) / 4 - 1) < 0.05)
  assert.equal(of(3), null)
})
