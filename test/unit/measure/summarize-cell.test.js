// From the trials of a cell to the cell of the result.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Histogram } from '../../../build/primitives/histogram.js'
import { errorRateOf, summarizeCell } from '../../../build/measure/summarize-cell.js'

const plan = { variant: 'love', executor: 'inline', size: 1, cpus: 2, uv: null, inFlight: 1 }
const judgement = {
  ratio: { value: 1.5, low: 1.4, high: 1.6 },
  verdict: 'faster',
  band: 0.05,
  hostCpus: 2,
  inlineErrorRate: 0,
}
const failure = (reason = 'EMFILE: too many open files') => ({ kind: 'failed', reason })

function trial(changes = {}) {
  return {
    kind: 'cell',
    completed: 100,
    failed: 0,
    seconds: 1,
    callsPerSecond: 100,
    firstError: null,
    latency: histogram(5000, 100),
    loopDelay: histogram(1000, 500),
    cpuSeconds: 0.5,
    mainCpuSeconds: 0.1,
    memoryBytes: 4e6,
    leakBytes: 1000,
    throttledMs: null,
    startMs: 20,
    ...changes,
  }
}

function histogram(us, count) {
  const made = new Histogram()
  made.record(us / 1000, count)
  return made.toJSON()
}

function summarize(trials, { rounds = trials.length, cell = {}, enforcement, unavailable, ...changes } = {}) {
  const record = { cell: { ...plan, ...cell }, trials, enforcement, unavailable }
  return summarizeCell(record, rounds, { ...judgement, ...changes })
}
const close = (value, expected) =>
  assert.ok(Math.abs(value - expected) <= 0.02 * expected, `${value} is about ${expected}`)

describe('summarizeCell', () => {
  test('takes medians over the rounds, and the lowest and highest throughput', () => {
    const cell = summarize([100, 300, 200].map((rate) => trial({ completed: rate, callsPerSecond: rate })))
    assert.deepEqual(cell.throughput, { median: 200, low: 100, high: 300 })
    assert.deepEqual(cell.samples, [100, 300, 200])
    assert.deepEqual([cell.rounds, cell.failed, cell.verdict], [3, null, 'faster'])
    assert.equal(cell.cpuSecondsPerTask, 0.5 / 200)
    assert.equal(cell.leakBytesPerCall, 5)
    assert.deepEqual([cell.memoryBytes, cell.startMs], [4e6, 20])
  })

  test('puts the calls of all rounds into one distribution, in ms', () => {
    const { latency, loopDelay } = summarize([
      trial({ latency: histogram(1000, 900) }),
      trial({ latency: histogram(80_000, 100) }),
    ])
    assert.equal(latency.count, 1000)
    close(latency.p50, 1)
    close(latency.p99, 80)
    close(loopDelay.p99, 1)
  })

  test('says nothing about percentiles of a few calls', () => {
    const { latency } = summarize([trial({ latency: histogram(1000, 30) })])
    assert.equal(latency.p99, null)
    assert.ok(latency.p50 > 0)
  })

  test('leaves a gap where a round failed or was not run', () => {
    const cell = summarize([trial(), failure(), trial()], { rounds: 5 })
    assert.deepEqual(cell.samples, [100, null, 100, null, null])
    assert.deepEqual([cell.rounds, cell.failed], [2, null])
  })

  test('counts failed calls apart from those that gave a result', () => {
    const trials = [trial({ completed: 90, failed: 10, firstError: 'Error: no' }), trial()]
    const cell = summarize(trials, { inlineErrorRate: 0.05 })
    assert.deepEqual([cell.errorRate, cell.firstError, cell.failed], [0.05, 'Error: no', null])
    assert.deepEqual(cell.samples, [90, 100])
    assert.equal(errorRateOf({ trials: [failure(), undefined] }), 0)
  })

  test('shows what is unknown as null', () => {
    const unknown = { cpuSeconds: null, mainCpuSeconds: null, memoryBytes: null, leakBytes: null }
    const cell = summarize([trial(unknown)])
    assert.deepEqual(
      [cell.cpuSecondsPerTask, cell.mainCpuSecondsPerTask, cell.memoryBytes, cell.leakBytesPerCall],
      [null, null, null, null],
    )
    assert.equal(cell.throttled, null)
  })

  test('counts the frozen time of CPUs that freeze together once', () => {
    const throttled = (executor, size, throttledMs, seconds = 1) =>
      summarize([trial({ throttledMs, seconds })], { cell: { executor, size } }).throttled
    assert.equal(throttled('inline', 1, 400), 40)
    assert.equal(throttled('threads', 2, 1400), 70)
    assert.equal(throttled('threads', 8, 1400), 70, 'no more than the CPUs of the machine')
    assert.equal(throttled('concurrent', 64, 400), 40)
    assert.equal(throttled('inline', 1, 5000), 100)
  })
})

describe('a cell has failed', () => {
  test('when most of its trials did, with the reason of the first', () => {
    const cell = summarize([failure(), failure('other')], { rounds: 8 })
    assert.deepEqual(
      [cell.failed, cell.verdict, cell.rounds],
      ['EMFILE: too many open files', 'cannot-tell', 0],
    )
    assert.deepEqual(cell.throughput, { median: 0, low: 0, high: 0 })
    assert.equal(cell.enforcement.note, 'not measured')
  })

  test('when most of its calls did, with the first message', () => {
    const bad = trial({ completed: 20, failed: 80, firstError: 'Error: busy' })
    assert.equal(summarize([bad], { inlineErrorRate: 0.8 }).failed, '80 % of its calls failed: Error: busy')
  })

  test('when its calls fail clearly more often than those of inline: it does other work', () => {
    const bad = trial({ completed: 80, failed: 20, firstError: 'Error: busy' })
    assert.match(summarize([bad], { inlineErrorRate: 0.1 }).failed, /20 % of its calls failed/)
    assert.equal(summarize([bad], { inlineErrorRate: 0.18 }).failed, null)
  })

  test('when its limit is not available', () => {
    assert.equal(summarize([], { unavailable: 'no such limit' }).failed, 'no such limit')
  })
})
