// lab files: its rows, and what it says about made-up figures.
import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { files } from '../../../../build/lab/experiments/files.js'
import { testFolder } from '../../../helpers/files.js'
import { measuredRows } from '../made-up-rows.js'

const values = { count: 500, cpus: [2, 0.6], threads: [1, 2] }
const one = { ...values, cpus: [2] }
const conclude = (figures, given = one) => files.conclude(measuredRows(files, given, figures), given)

/** Files per second by label; what is not named reads 100 per second. */
const speeds =
  (byLabel) =>
  ({ label }) => ({ perSecond: byLabel[label] ?? 100, ratio: (byLabel[label] ?? 100) / 100 })

describe('lab files', () => {
  test('measures every way under every limit, against reading one after the other', () => {
    const rows = files.rows(values, '/somewhere')
    const labels = rows.filter(({ cell }) => cell.cpus === 0.6).map(({ label }) => label)
    assert.deepEqual(labels, [
      'one after the other',
      'Promise.all over 500',
      '16 at a time',
      '64 at a time',
      'synchronous loop',
      '1 thread, synchronous',
      '2 threads, synchronous',
    ])
    for (const row of rows) {
      const baseline = files.baselineOf(row, rows)
      assert.deepEqual([baseline.label, baseline.cell.cpus], ['one after the other', row.cell.cpus])
      assert.deepEqual(row.cell.source.inputs, [['/somewhere', 500]])
    }
  })

  test('says that the synchronous loop is the fastest, where it is', () => {
    const { sentence } = conclude(speeds({ 'synchronous loop': 340, '2 threads, synchronous': 300 }))
    assert.equal(
      sentence,
      'At 2 CPUs the fastest way is "synchronous loop": 340 files/s, 3.40 times reading one after the other asynchronously.',
    )
  })

  test('says what else is the fastest, and how the synchronous loop compares', () => {
    const { sentence } = conclude(speeds({ 'synchronous loop': 340, '2 threads, synchronous': 600 }))
    assert.match(
      sentence,
      /^At 2 CPUs the fastest way is "2 threads, synchronous": 600 files\/s, 6\.00 times/,
    )
    assert.match(sentence, /; the synchronous loop gives 3\.40 times\.$/)
  })

  test('names the row that failed with EMFILE, and leaves it out of the comparison', () => {
    const failed = 'Error: EMFILE: too many open files'
    const figures = (row) =>
      row.label.startsWith('Promise.all') ? { failed } : speeds({ '64 at a time': 150 })(row)
    const { sentence, remarks, tables } = conclude(figures)
    assert.match(sentence, /"64 at a time"/)
    assert.ok(
      remarks.some((remark) => /"Promise\.all over 500" failed with EMFILE.*ulimit -n/.test(remark)),
      remarks.join('\n'),
    )
    const row = tables[0].rows.find(([label]) => label === 'Promise.all over 500')
    assert.ok(row.includes(failed))
    assert.equal(row.length, tables[0].columns.length)
  })

  test('does not speak of EMFILE where nothing failed', () => {
    assert.doesNotMatch(conclude(speeds({})).remarks.join(), /EMFILE/)
  })

  test('says that nothing could be measured, where that is so', () => {
    assert.equal(conclude(() => ({ failed: 'no' })).sentence, 'At 2 CPUs nothing could be measured.')
  })

  test('has a sentence and a table for each limit, ascending speed or not', () => {
    const { sentence, tables } = conclude(speeds({ 'synchronous loop': 340 }), values)
    assert.match(sentence, /At 2 CPUs .*\. At 0\.6 CPUs? the fastest/)
    assert.equal(tables.length, 2)
    for (const { columns, rows } of tables) for (const row of rows) assert.equal(row.length, columns.length)
    const loop = tables[0].rows.find(([label]) => label === 'synchronous loop')
    assert.deepEqual(loop.slice(0, 4), ['synchronous loop', 340, Number((500 / 340).toFixed(2)), 3.4])
  })

  test('makes its files', async (t) => {
    const folder = testFolder(t)('.')
    await files.prepare({ ...values, count: 3 }, folder)
    assert.equal(readdirSync(folder).length, 3)
    assert.equal(statSync(join(folder, '0.txt')).size, 19 * 1024)
  })
})
