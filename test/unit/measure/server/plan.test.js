// Which rows are measured.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planRows } from '../../../../build/measure/server/plan-rows.js'

const names = (request) =>
  planRows({ path: '/', offloadPath: null, instances: undefined, cpus: [2], ...request }).map(({ name }) => name) // prettier-ignore

describe('the rows', () => {
  test('are one process, and clusters up to one instance more than the limit has CPUs', () => {
    const one = ['one process']
    assert.deepEqual(names({}), [...one, 'cluster of 1', 'cluster of 2', 'cluster of 3'])
    assert.deepEqual(names({ cpus: [0.6] }), [...one, 'cluster of 1', 'cluster of 2'])
    assert.deepEqual(names({ cpus: [1.5] }), names({ cpus: [2] }))
  })

  test('leave out sizes where there are many', () => {
    const sizes = names({ cpus: [16] }).slice(1).map((name) => Number(name.split(' ').at(-1))) // prettier-ignore
    assert.deepEqual(sizes, [1, 2, 3, 4, 8, 16, 17])
  })

  test('are what was asked for', () => {
    assert.deepEqual(names({ instances: [4] }).slice(1), ['cluster of 4'])
  })

  test('have the path that offloads in one process, and in the cluster that uses all CPUs', () => {
    const request = { path: '/main', offloadPath: '/offload' }
    assert.deepEqual(names(request).slice(-2), ['one process, /offload', 'cluster of 2, /offload'])
    assert.deepEqual(names({ ...request, cpus: [1] }).slice(-2), ['cluster of 2', 'one process, /offload'])
    assert.deepEqual(names({ ...request, instances: [3] }).slice(-2), ['cluster of 3', 'one process, /offload']) // prettier-ignore
  })

  test('are of one limit after the other', () => {
    const rows = planRows({ path: '/', offloadPath: null, instances: [1], cpus: [0.6, 2] })
    assert.deepEqual(rows.map(({ cpus }) => cpus), [0.6, 0.6, 2, 2]) // prettier-ignore
    assert.deepEqual(rows.map(({ role }) => role).slice(0, 2), ['baseline', 'other'])
  })
})
