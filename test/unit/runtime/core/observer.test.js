// What stats() makes of single calls, and which of them are timed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Observer } from '../../../../build/runtime/core/observer.js'

test('what was timed is told in milliseconds, and nothing as null', () => {
  const observer = new Observer({ name: 'x', kind: 'inline' })
  const nothing = { count: 0, timed: 0, mean: null, p50: null, p99: null, max: null }
  assert.deepEqual(observer.durations, { wait: nothing, run: nothing, tasks: [] })
  const timing = observer.accept('task')
  timing.startedAt = timing.acceptedAt + 3
  observer.settle(timing, 'task', 'completed')
  observer.ran = 5 // four others were not timed
  const { count, timed, mean, p50, p99, max } = observer.durations.wait
  assert.ok(Math.abs(mean - 3) < 1e-6, String(mean))
  assert.deepEqual([count, timed, p50, p99, max], [5, 1, mean, mean, mean])
  assert.equal(observer.durations.run.count, 5)
})

test('times are told for each function, up to a hundred of them', () => {
  const observer = new Observer({ name: 'x', kind: 'inline' })
  for (let i = 0; i < 150; i++) {
    observer.timeNext()
    const timing = { ...observer.accept(`task${i}`), weight: 1 }
    timing.startedAt = timing.acceptedAt + i
    observer.settle(timing, `task${i}`, 'completed')
  }
  const { tasks, wait } = observer.durations
  assert.equal(wait.timed, 150)
  assert.deepEqual(tasks.map(({ task }) => task), Array.from({ length: 100 }, (_, i) => `task${i}`)) // prettier-ignore
  for (const [i, { calls, wait }] of tasks.entries()) {
    assert.equal(calls, 1)
    assert.ok(Math.abs(wait.p99 - i) <= 0.02 * i + 0.001, `${i}: ${wait.p99}`)
  }
})

test('of calls that alternate both kinds are timed, in proportion', () => {
  // Standard deviations: 128 * sqrt(2_000_000 / 32 / 128) = 2800 and 128 * sqrt(2_000_000 / 128) = 16_000.
  const observer = new Observer({ name: 'x', kind: 'inline' })
  const timed = [0, 0]
  for (let i = 0; i < 2_000_000; i++) {
    const timing = observer.accept('task')
    if (timing) timed[i % 32 === 0 ? 0 : 1] += timing.weight
  }
  assert.ok(Math.abs(timed[0] - 2_000_000 / 32) < 15_000, String(timed))
  assert.ok(Math.abs(timed[0] + timed[1] - 2_000_000) < 80_000, String(timed))
})
