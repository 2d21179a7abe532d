// lab libuv: its rows, and what it says about made-up bursts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { libuv } from '../../../../build/lab/experiments/libuv.js'

const values = { calls: 4, pools: [1, 2, 4] }

/** Bursts by size of the pool: the end times of four calls. */
function conclude(endsByPool, given = values) {
  const rows = libuv.rows(given, '').map((row) => {
    const ends = endsByPool[row.cell.uv]
    return typeof ends === 'string'
      ? { ...row, bursts: [], failed: ends }
      : { ...row, bursts: burstsOf(ends) }
  })
  return libuv.conclude(rows, given)
}
const burstsOf = (ends) => (ends ? [{ kind: 'burst', endsMs: [ends, ends] }] : [])

describe('lab libuv', () => {
  test('has a row for each size of the pool, and starts as many calls as it was told', () => {
    const rows = libuv.rows(values, '')
    assert.deepEqual(
      rows.map(({ label, cell }) => [label, cell.uv]),
      [1, 2, 4].map((uv) => [`UV_THREADPOOL_SIZE=${uv}`, uv]),
    )
    assert.equal(libuv.burst(values).calls, 4)
  })

  test('says how much sooner the calls end, and from which size on nothing is gained', () => {
    const ends = { 1: [50, 100, 150, 200], 2: [50, 50, 100, 100], 4: [99, 99, 100, 100] }
    const { sentence } = conclude(ends)
    assert.match(sentence, /^With 1 thread in libuv's pool, 4 pbkdf2 calls end after 200 ms, /)
    assert.match(
      sentence,
      /with 2 after 100 ms \(2\.0 times sooner\); beyond that, more threads gain nothing/,
    )
  })

  test('says that more threads do not help, where they do not', () => {
    const { sentence } = conclude({ 1: [5, 10, 15, 20], 2: [10, 10, 20, 20], 4: [20, 20, 20, 20] })
    assert.match(sentence, /and more threads do not end them sooner on this machine\.$/)
  })

  test('does not say that nothing is gained beyond the largest size that was measured', () => {
    const ends = { 1: [50, 100, 150, 200], 2: [50, 50, 100, 100], 4: [50, 50, 50, 50] }
    const { sentence } = conclude(ends)
    assert.match(sentence, /with 4 after 50 ms \(4\.0 times sooner\)/)
    assert.doesNotMatch(sentence, /beyond that/)
  })

  test('says that nothing could be measured, where that is so', () => {
    assert.equal(conclude({ 1: 'no', 2: 'no', 4: 'no' }).sentence, 'Nothing could be measured.')
  })

  test('shows calls that end together as batches, and why a row is empty', () => {
    const { tables } = conclude({ 1: [50, 101, 149, 200], 2: [50, 51, 100, 101], 4: 'it ran out of memory' })
    const [{ columns, rows }] = tables
    assert.deepEqual(rows, [
      ['UV_THREADPOOL_SIZE=1', 50, 149, 200, '1 x 50, 1 x 101, 1 x 149, 1 x 200'],
      ['UV_THREADPOOL_SIZE=2', 50, 100, 101, '2 x 51, 2 x 101'],
      ['UV_THREADPOOL_SIZE=4', null, null, null, 'it ran out of memory'],
    ])
    assert.ok(rows.every((row) => row.length === columns.length))
  })

  test('takes the median over the bursts, so that one slow burst does not count', () => {
    const rows = libuv.rows({ ...values, pools: [1] }, '').map((row) => ({
      ...row,
      bursts: [
        {
          kind: 'burst',
          endsMs: [
            [10, 20],
            [900, 1000],
            [12, 22],
          ],
        },
      ],
    }))
    assert.deepEqual(libuv.conclude(rows, values).tables[0].rows[0].slice(1, 4), [12, 22, 22])
  })
})
