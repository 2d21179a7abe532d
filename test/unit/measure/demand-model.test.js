import { test } from 'node:test'
import assert from 'node:assert/strict'
import { cell, scout } from './cells.js'
import { assertClose } from './oracle.js'
import { boundOf, predict, ratioAt } from '../../../build/measure/demand-model.js'

/** A call of 10 ms of CPU that costs the main thread 1 ms in a pool; on 2 CPUs. */
const facts = scout({ callUs: 10_000, cpuUs: 10_000 })
const inline = cell({ perSecond: 100, cpuSeconds: 0.01, mainCpuSeconds: 0.01 })
const one = cell({ executor: 'threads', size: 1, perSecond: 100, cpuSeconds: 0.011, mainCpuSeconds: 0.001 })
const two = cell({ executor: 'threads', size: 2, perSecond: 180, cpuSeconds: 0.011, mainCpuSeconds: 0.001 })

test('the bound is the scarcest of main thread, workers and CPUs', () => {
  const demands = { main: 0.001, rest: 0.01, wait: 0 }
  assertClose(boundOf(demands, 4, 4), 4 / 0.011, 1e-12, 'CPUs')
  assertClose(boundOf(demands, 2, 64), 2 / 0.01, 1e-12, 'workers')
  assertClose(boundOf(demands, 64, 64), 1 / 0.001, 1e-12, 'main thread')
  assertClose(boundOf({ ...demands, wait: 0.09 }, 4, 4), 4 / 0.1, 1e-12, 'workers that wait')
})

test('twice and four times the measured CPUs are predicted, and no more', () => {
  const predictions = predict([inline, one, two], facts)
  assert.deepEqual(
    predictions.map(({ executor, size, cpus, label }) => ({ executor, size, cpus, label })),
    [
      { executor: 'threads', size: 4, cpus: 4, label: 'extrapolated' },
      { executor: 'threads', size: 8, cpus: 8, label: 'guess' },
    ],
  )
})

test('the pessimistic side keeps the measured efficiency of doubling', () => {
  const [four, eight] = predict([inline, one, two], facts)
  // e2 = 180 / (2 * 100) = 0.9: each doubling gives 1.8 times the throughput, from the lower end of its interval on.
  assertClose(four.throughput.pessimistic, 0.97 * 180 * 1.8, 1e-9)
  assertClose(eight.throughput.pessimistic, 0.97 * 180 * 1.8 ** 2, 1e-9)
  assertClose(four.throughput.bound, 4 / 0.011, 1e-9)
  assertClose(four.ratio.pessimistic, 0.97 * 3.24, 1e-9)
  assertClose(four.ratio.bound, 4 / 0.011 / 100, 1e-9)
})

test('a full main thread bounds every larger machine alike', () => {
  const full = [
    cell({ executor: 'threads', size: 1, perSecond: 100, cpuSeconds: 0.0145, mainCpuSeconds: 0.0045 }),
    cell({ executor: 'threads', size: 2, perSecond: 135, cpuSeconds: 0.0145, mainCpuSeconds: 0.0045 }),
  ]
  const [four, eight] = predict([inline, ...full], facts)
  assertClose(four.throughput.bound, 1 / 0.0045, 1e-9)
  assertClose(eight.throughput.bound, 1 / 0.0045, 1e-9)
})

test('the bound is never below the pessimistic side nor below what was measured', () => {
  for (const mainCpuSeconds of [0, 0.0001, 0.004, 0.02]) {
    for (const doubled of [60, 110, 199, 260]) {
      for (const callUs of [500, 10_000, 80_000]) {
        const large = {
          ...two,
          throughput: { median: doubled, low: doubled, high: doubled },
          mainCpuSecondsPerTask: mainCpuSeconds,
        }
        for (const { throughput, ratio } of predict([inline, one, large], scout({ callUs, cpuUs: 500 }))) {
          assert.ok(throughput.pessimistic <= throughput.bound)
          assert.ok(ratio.pessimistic <= ratio.bound)
          assert.ok(throughput.bound >= Math.max(100, doubled))
          assert.ok(Number.isFinite(throughput.bound) && throughput.pessimistic > 0)
        }
      }
    }
  }
})

test('a pool that got slower when doubled is expected to get slower still', () => {
  const worse = { ...two, throughput: { median: 80, low: 80, high: 80 } }
  const [four, eight] = predict([inline, one, worse], facts)
  assertClose(four.throughput.pessimistic, 64, 1e-9)
  assert.ok(eight.throughput.pessimistic < four.throughput.pessimistic)
})

test('an efficiency above 1 is noise and counts as 1', () => {
  const lucky = { ...two, throughput: { median: 220, low: 220, high: 220 } }
  const [four] = predict([inline, one, lucky], scout({ callUs: 100, cpuUs: 100 }))
  assert.ok(four.throughput.pessimistic <= 440)
})

test('with one measured CPU the pessimistic side is no gain at all', () => {
  const cells = [inline, one].map((measured) => ({ ...measured, cpus: 1 }))
  const [two, four] = predict(cells, facts)
  assert.equal(two.cpus, 2)
  assertClose(two.throughput.pessimistic, 97, 1e-9)
  assertClose(four.throughput.pessimistic, 97, 1e-9)
  assertClose(two.throughput.bound, 2 / 0.011, 1e-9)
})

test('only the largest measured limit counts, and sizes beyond its CPUs say nothing of efficiency', () => {
  const small = [inline, one, two].map((measured) => ({
    ...measured,
    cpus: 1,
    throughput: { median: 1, low: 1, high: 1 },
  }))
  const crowded = { ...two, size: 4, throughput: { median: 170, low: 170, high: 170 } }
  assert.deepEqual(predict([...small, inline, one, two, crowded], facts), predict([inline, one, two], facts))
})

test('processes are predicted from their own cells', () => {
  const processes = [one, two].map((measured) => ({ ...measured, executor: 'processes' }))
  const predictions = predict([inline, one, two, ...processes], facts)
  assert.deepEqual(
    predictions.map(({ executor, cpus }) => `${executor} ${cpus}`),
    ['threads 4', 'threads 8', 'processes 4', 'processes 8'],
  )
})

test('nothing is predicted where the cells do not say enough', () => {
  const withoutCpu = [one, two].map((measured) => ({ ...measured, cpuSecondsPerTask: null }))
  const failed = [one, two].map((measured) => ({ ...measured, failed: 'not cloneable' }))
  assert.deepEqual(predict([inline, ...withoutCpu], facts), [], 'no CPU times')
  assert.deepEqual(predict([inline, ...failed], facts), [], 'failed pools')
  assert.deepEqual(predict([{ ...inline, failed: 'threw' }, one, two], facts), [], 'inline failed')
  assert.deepEqual(predict([inline], facts), [], 'no pools')
  assert.deepEqual(predict([], facts), [], 'no cells')
  const below = [inline, one, two].map((measured) => ({ ...measured, cpus: 0.6 }))
  assert.deepEqual(predict(below, facts), [], 'less than one CPU')
})

test('it is no surer than what it is computed from, also where the main thread is full', () => {
  const full = (size, perSecond) => ({
    ...cell({ executor: 'threads', size, perSecond, cpuSeconds: 0.0145, mainCpuSeconds: 0.0075 }),
    throughput: { median: perSecond, low: 0.8 * perSecond, high: 1.1 * perSecond },
  })
  const [four] = predict([inline, full(1, 100), full(2, 135)], facts)
  assertClose(four.throughput.bound, 1.1 * 135, 1e-9)
  assertClose(four.throughput.pessimistic, 0.8 * 1.1 * 135, 1e-9)
})

/** What inline and two threads show at a limit, on a machine that is so much slower meanwhile. */
function shownAt(cpus, slower = 1, { cpuMs = 10, poolMs = 11, mainMs = 1, waitMs = 0 } = {}) {
  const inlineRate = 1000 * Math.min(cpus / cpuMs, 1 / (cpuMs + waitMs))
  const poolRate = 1000 * Math.min(cpus / poolMs, 1 / mainMs, 2 / (poolMs - mainMs + waitMs))
  const seconds = (ms) => (ms * slower) / 1000
  return [
    cell({
      cpus,
      perSecond: inlineRate / slower,
      cpuSeconds: seconds(cpuMs),
      mainCpuSeconds: seconds(cpuMs),
    }),
    cell({ ...{ cpus, executor: 'threads', size: 2, ratio: poolRate / inlineRate }, cpuSeconds: seconds(poolMs), mainCpuSeconds: seconds(mainMs) }), // prettier-ignore
  ]
}

for (const [name, times, facts] of [
  ['only computes, on a machine that changes', { change: 0.25 }, scout({ callUs: 10_000 })],
  ['waits most of the time', { waitMs: 40 }, scout({ callUs: 50_000, cpuUs: 10_000 })],
  [
    'costs the main thread a lot, on a machine that changes',
    { poolMs: 15, mainMs: 6, change: 0.25 },
    scout({ callUs: 10_000 }),
  ],
])
  test(`each limit follows from the others: a task that ${name}`, () => {
    const shown = [0.25, 0.5, 1, 2].flatMap((cpus, i) =>
      shownAt(cpus, 1 + (i % 2) * (times.change ?? 0), times),
    )
    for (const measured of shown.filter(({ executor }) => executor === 'threads')) {
      const others = shown.filter(({ cpus }) => cpus !== measured.cpus)
      assertClose(ratioAt(others, measured, facts), measured.ratio.value, 0.02, `at ${measured.cpus}`)
    }
  })

test('without the times of inline, or of the same size, no limit follows from another', () => {
  const [, pool] = shownAt(2)
  assert.equal(ratioAt([shownAt(1)[1]], pool, facts), null)
  assert.equal(ratioAt([shownAt(1)[0]], pool, facts), null)
})
