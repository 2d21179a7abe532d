// The figures of a service, from two looks at it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figuresOf } from '../../../../../build/cli/dashboard/look/figures.js'
import { loadOf, statusOf } from '../../../../helpers/dashboard.js'

const limits = (throttling = null) => ({ cpus: 1, throttling, memoryBytes: 1e9, hasMemoryLimit: false })
const look = (at, loads, more = {}) => {
  const status = statusOf('web', { instances: 0, ...more })
  status.instances = loads.map(([id, load]) => ({ id, pid: id, state: 'serving', startedAt: 1, readyAt: 1, load })) // prettier-ignore
  return { at, status, limits: limits(more.throttling) }
}

test('rates, CPUs and memory are sums; times are those of the slowest instance', () => {
  const loads = [
    [1, loadOf({ perSecond: 2, p50: 5, p99: 9, loopDelay: 1, cpu: 0.5, rss: 10 })],
    [2, loadOf({ perSecond: 3, p50: 4, p99: 20, loopDelay: 8, cpu: 0.25, rss: 20 })],
    [3, loadOf({ perSecond: 0, p50: null, p99: null, loopDelay: null, cpu: 0, rss: 1 })],
    [4, null],
  ]
  const { perSecond, p50, p99, loopDelay, cpu, rss, errorsPerSecond, throttled } = figuresOf(look(0, loads), undefined) // prettier-ignore
  assert.deepEqual({ perSecond, p50, p99, loopDelay, cpu, rss }, { perSecond: 5, p50: 5, p99: 20, loopDelay: 8, cpu: 0.75, rss: 31 }) // prettier-ignore
  assert.deepEqual([errorsPerSecond, throttled], [null, null])
})

test('errors are counted by instance: one that has come counts from 0, one that is gone or was silent says nothing', () => {
  const before = look(0, [[1, loadOf({ errors: 100 })], [2, loadOf({ errors: 7 })], [3, null]]) // prettier-ignore
  const now = look(2000, [[1, loadOf({ errors: 104 })], [3, loadOf({ errors: 50 })], [4, loadOf({ errors: 2 })]]) // prettier-ignore
  assert.equal(figuresOf(now, before).errorsPerSecond, 3)
  const another = look(2000, [[1, loadOf({ errors: 104 })]], { startedAt: 99 })
  assert.equal(figuresOf(another, before).errorsPerSecond, null)
})

test('where no instance answers nothing is known', () => {
  const values = Object.values(figuresOf(look(0, [[1, null]]), look(0, [[1, null]])))
  assert.ok(values.every((value) => value === null || value === 0))
})

test('throttling is the share of the periods since the last look', () => {
  const before = look(0, [], { throttling: { periods: 100, throttledPeriods: 10, throttledMs: 1 } })
  const now = look(2000, [], { throttling: { periods: 120, throttledPeriods: 15, throttledMs: 2 } })
  assert.equal(figuresOf(now, before).throttled, 0.25)
  assert.equal(figuresOf(before, before).throttled, 0)
})
