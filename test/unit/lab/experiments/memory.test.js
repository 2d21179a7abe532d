// lab memory: its rows, and the slope through made-up figures.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { memory } from '../../../../build/lab/experiments/memory.js'

const MIB = 1024 * 1024
const values = { threads: [0, 1, 2, 4] }
const threadsOf = ({ executor, size }) => (executor === 'inline' ? 0 : size)

/** `mibOf(threads, label)` is the private memory; null: not known; a text: the trial failed. */
function conclude(mibOf, given = values) {
  const rows = memory.rows(given, '').map((row) => {
    const mib = mibOf(threadsOf(row.cell), row.label)
    if (typeof mib === 'string') return { ...row, memory: [], failed: mib }
    const privateBytes = mib === null ? null : mib * MIB
    const trial = { kind: 'memory', rssBytes: 100 * MIB, privateBytes, virtualBytes: null }
    return { ...row, memory: [trial, trial] }
  })
  return memory.conclude(rows, given)
}

describe('lab memory', () => {
  test('measures every number of threads, bare and with modules; none means inline', () => {
    const rows = memory.rows(values, '')
    assert.equal(new Set(rows.map(({ label }) => label)).size, 2)
    assert.deepEqual(
      rows.slice(0, 4).map(({ cell }) => [cell.executor, cell.size]),
      [
        ['inline', 1],
        ['threads', 1],
        ['threads', 2],
        ['threads', 4],
      ],
    )
  })

  test('says what each further thread costs: the slope, not the total', () => {
    const { sentence } = conclude((threads, label) => 20 + (label === 'bare' ? 5 : 9) * threads)
    assert.match(sentence, /adds 5\.0 MiB of private memory when bare and 9\.0 MiB with a few modules/)
  })

  test('says that the amount is unknown, where the platform does not tell or one number was measured', () => {
    assert.match(conclude(() => null).sentence, /private memory could not be measured/)
    const one = conclude((threads) => 20 + threads, { threads: [2] })
    assert.match(one.sentence, /private memory could not be measured/)
  })

  test('says nothing that is no number when all points are the same', () => {
    assert.doesNotMatch(conclude(() => 20, { threads: [2, 2] }).sentence, /NaN/)
  })

  test('shows the figures, and the reason of a failure', () => {
    const { tables } = conclude((threads) => (threads === 4 ? 'it ran out of memory' : 20 + threads))
    assert.equal(tables.length, 2)
    assert.deepEqual(tables[0].rows, [
      [0, 20, 100, null],
      [1, 21, 100, null],
      [2, 22, 100, null],
      [4, null, null, 'it ran out of memory'],
    ])
  })
})
