// lab render: its rows, and what it says about made-up figures.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { render } from '../../../../build/lab/experiments/render.js'
import { measuredRows } from '../made-up-rows.js'

const values = { threads: [1, 2] }
const conclude = (figures) => render.conclude(measuredRows(render, values, figures), values)
const ratioOf =
  (long, short) =>
  ({ cell }) => {
    if (cell.executor === 'inline') return { ratio: [1, 1, 1] }
    return { ratio: cell.variant === 'renderLong' ? long[cell.size - 1] : short[cell.size - 1] }
  }

describe('lab render', () => {
  test('compares threads with inline of the same template', () => {
    const rows = render.rows(values, '')
    assert.equal(rows.length, 6)
    for (const row of rows) {
      const { cell } = render.baselineOf(row, rows)
      assert.deepEqual([cell.executor, cell.variant], ['inline', row.cell.variant])
    }
  })

  test('says which template is worth a thread and which is not', () => {
    const { sentence } = conclude(ratioOf([1, 1.9], [0.3, 0.4]))
    assert.match(sentence, /^The template with 80 repetitions is worth a thread: 2 threads give 1\.90 times/)
    assert.match(sentence, /The template with 1 repetition is not worth a thread: 2 threads give 0\.40 times/)
  })

  test('does not call a gain of 10 % worth a thread, however certain it is', () => {
    assert.match(conclude(ratioOf([1, 1.1], [1, 1])).sentence, /80 repetitions is not worth a thread/)
  })

  test('says that it cannot tell, where the interval is too wide', () => {
    const { sentence } = conclude(ratioOf([1, [1.5, 0.8, 2.8]], [1, 1]))
    assert.match(sentence, /80 repetitions: cannot tell, 2 threads give 1\.50 times.*a larger --budget/)
  })

  test('says that a template could not be measured', () => {
    const { sentence, tables } = conclude(() => ({ failed: 'no such module' }))
    assert.match(
      sentence,
      /80 repetitions on threads could not be measured\. .*1 repetition on threads could not be measured\./,
    )
    for (const { columns, rows } of tables) {
      assert.ok(rows.every((row) => row.length === columns.length && row.includes('no such module')))
    }
  })

  test('shows a verdict for threads and none for inline', () => {
    const [{ rows }] = conclude(ratioOf([1, 1.9], [1, 1])).tables
    assert.deepEqual(
      rows.map((row) => [row[0], row[2], row[4]]),
      [
        ['inline', 1, ''],
        ['1 thread', 1, 'same'],
        ['2 threads', 1.9, 'faster'],
      ],
    )
  })
})
