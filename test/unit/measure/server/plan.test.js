// Which rows are measured, and how long their trials take.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planRows } from '../../../../build/measure/server/plan-rows.js'
import { createServerPace } from '../../../../build/measure/server/server-pace.js'

const names = (request) =>
  planRows({ path: '/', offloadPath: null, instances: undefined, cpus: [2], ...request }).map(({ name }) => name) // prettier-ignore

describe('the rows', () => {
  test('are one process twice, and clusters up to one instance more than the limit has CPUs', () => {
    const one = ['one process', 'one process']
    assert.deepEqual(names({}), [...one, 'cluster of 1', 'cluster of 2', 'cluster of 3'])
    assert.deepEqual(names({ cpus: [0.6] }), [...one, 'cluster of 1', 'cluster of 2'])
    assert.deepEqual(names({ cpus: [1.5] }), names({ cpus: [2] }))
  })

  test('leave out sizes where there are many', () => {
    const sizes = names({ cpus: [16] }).slice(2).map((name) => Number(name.split(' ').at(-1))) // prettier-ignore
    assert.deepEqual(sizes, [1, 2, 3, 4, 8, 16, 17])
  })

  test('are what was asked for', () => {
    assert.deepEqual(names({ instances: [4] }).slice(2), ['cluster of 4'])
  })

  test('have the path that offloads in one process, and in the cluster that uses all CPUs', () => {
    const request = { path: '/main', offloadPath: '/offload' }
    assert.deepEqual(names(request).slice(-2), ['one process, /offload', 'cluster of 2, /offload'])
    assert.deepEqual(names({ ...request, cpus: [1] }).slice(-2), ['cluster of 2', 'one process, /offload'])
    assert.deepEqual(names({ ...request, instances: [3] }).slice(-2), ['cluster of 3', 'one process, /offload']) // prettier-ignore
  })

  test('are of one limit after the other', () => {
    const rows = planRows({ path: '/', offloadPath: null, instances: [1], cpus: [0.6, 2] })
    assert.deepEqual(rows.map(({ cpus }) => cpus), [0.6, 0.6, 0.6, 2, 2, 2]) // prettier-ignore
    assert.deepEqual(rows.map(({ role }) => role).slice(0, 3), ['baseline', 'again', 'other'])
  })
})

describe('the pace', () => {
  const settings = { saturationMs: 1000, latencyMs: 1000, warmUpMs: 600, rounds: 8, budgetSeconds: null }
  const pace = (changes, now = () => 0) =>
    createServerPace({ settings: { ...settings, ...changes }, rows: 4, rates: 3, started: 0, now })

  test('is as planned without a budget, and ends never', () => {
    const free = pace({}, () => 1e9)
    assert.deepEqual(free.timingOf('saturation'), { warmUpMs: 600, measureMs: 1000 })
    assert.equal(free.isTimeUp('latency'), false)
  })

  test('is faster within a budget, and never measures less than two periods of a quota', () => {
    const { warmUpMs, measureMs } = pace({ budgetSeconds: 140 }).timingOf('latency')
    assert.ok(measureMs >= 200 && measureMs < 1000 && warmUpMs < 600, `${measureMs}`)
    assert.equal(pace({ budgetSeconds: 1 }).timingOf('saturation').measureMs, 200)
  })

  test('ends the first part early enough that the second has its time', () => {
    let time = 0
    const tight = pace({ budgetSeconds: 100 }, () => time)
    time = 50_000
    assert.deepEqual([tight.isTimeUp('saturation'), tight.isTimeUp('latency')], [true, false])
    time = 100_001
    assert.equal(tight.isTimeUp('latency'), true)
  })
})
