// lab matrix: its rows, its heat map, and what it says about made-up figures.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { matrix } from '../../../../build/lab/experiments/matrix.js'
import { measuredRows } from '../made-up-rows.js'

const values = { threads: [1, 2, 4], cpus: [1, 2] }
/** A task of 2 ms CPU and 2 ms waiting: a CPU does 500 per second, a thread no more than that. */
const ideal = ({ cell: { size, cpus } }) => ({
  perSecond: 500 * Math.min(size, cpus),
  cpuSeconds: 0.002,
  mainCpuSeconds: 0.00002,
})
const conclude = (figures = ideal, given = values) =>
  matrix.conclude(measuredRows(matrix, given, figures), given)

describe('lab matrix', () => {
  test('measures every number of threads under every limit', () => {
    const cells = matrix.rows(values, '').map(({ cell }) => [cell.cpus, cell.size, cell.inFlight])
    assert.deepEqual(
      cells,
      [1, 2].flatMap((cpus) => [1, 2, 4].map((size) => [cpus, size, 4 * size])),
    )
  })

  test('says how many threads are enough, and what they give', () => {
    assert.equal(
      conclude().sentence,
      'At 2 CPUs, 2 threads give 2.00 times the throughput of 1 thread; at 1 CPU the same threads give 1.00 times.',
    )
  })

  test('says that more threads gain nothing, as on one CPU', () => {
    const given = { threads: [1, 2, 4], cpus: [1] }
    assert.equal(conclude(ideal, given).sentence, 'At 1 CPU more than 1 thread gains nothing.')
  })

  test('says that nothing could be compared, where nothing was measured', () => {
    const { sentence, heatMaps } = conclude(() => ({ failed: 'no' }))
    assert.equal(sentence, 'Nothing could be compared.')
    assert.ok(heatMaps[0].values.flat().every((value) => value === null))
  })

  test('draws a heat map of measured columns, and of predicted ones that are marked', () => {
    const [map] = conclude().heatMaps
    assert.deepEqual(
      [map.rows, map.columns],
      [
        ['1', '2', '4'],
        ['1', '2', '4', '8'],
      ],
    )
    assert.deepEqual(
      map.predicted,
      [1, 2, 4].map(() => [false, false, true, true]),
    )
    assert.deepEqual(
      map.values.map((row) => row.slice(0, 2)),
      [
        [500, 500],
        [500, 1000],
        [500, 1000],
      ],
    )
    const [, two, four] = map.values
    assert.ok(two[2] > 990 && two[2] < 1020, `${two[2]}: two threads cannot use four CPUs`)
    assert.ok(four[2] > 1980 && four[2] < 2040, `${four[2]}`)
    assert.ok(four[3] > 1980 && four[3] < 2040, `${four[3]}: nor four threads eight`)
  })

  test('predicts nothing without CPU times', () => {
    const [map] = conclude((row) => ({ perSecond: ideal(row).perSecond })).heatMaps
    assert.deepEqual(
      map.values.map((row) => row.slice(2)),
      [
        [null, null],
        [null, null],
        [null, null],
      ],
    )
  })

  test('has a table of the same shape', () => {
    const [{ columns, rows }] = conclude().tables
    assert.deepEqual(columns, ['threads', '1 CPU', '2 CPUs', '~4 CPUs', '~8 CPUs'])
    assert.deepEqual(
      rows.map((row) => row.slice(0, 3)),
      [
        [1, 500, 500],
        [2, 500, 1000],
        [4, 500, 1000],
      ],
    )
  })

  test('leaves a hole for the one cell that failed', () => {
    const figures = (row) => (row.cell.size === 2 && row.cell.cpus === 2 ? { failed: 'no' } : ideal(row))
    const { heatMaps, sentence } = conclude(figures)
    assert.equal(heatMaps[0].values[1][1], null)
    assert.match(sentence, /^At 2 CPUs, 4 threads give 2\.00 times/)
  })
})
