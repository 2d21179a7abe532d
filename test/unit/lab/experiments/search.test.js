// lab search: its rows, what it says about made-up figures, and its searches on real executors.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { inline, threads } from '../../../../dist/index.js'
import { start } from '../../../../build/lab/programs/search-program.js'
import { makeTexts, search } from '../../../../build/lab/experiments/search.js'
import { mergeHits, rank } from '../../../../build/lab/tasks/search-texts.js'
import { testFolder } from '../../../helpers/files.js'
import { measuredRows } from '../made-up-rows.js'

const values = { count: 3500, threads: [1, 2] }
const conclude = (figures) => search.conclude(measuredRows(search, values, figures), values)
const ratioOf =
  (kept, sent) =>
  ({ label, cell }) => {
    if (cell.executor === 'inline') return { ratio: [1, 1, 1] }
    return { ratio: label.endsWith('sent') ? sent : kept[cell.size - 1] }
  }

describe('lab search', () => {
  test('compares every way with the plain loop; texts are sent to the largest number of threads', () => {
    const rows = search.rows(values, '/somewhere')
    assert.deepEqual(
      rows.map(({ label }) => label),
      ['plain loop', '1 thread', '2 threads', '2 threads, texts sent'],
    )
    for (const row of rows) assert.equal(search.baselineOf(row, rows), rows[0])
  })

  test('says that it is worth threads, or not, by the intervals', () => {
    const { sentence } = conclude(ratioOf([1, 1.8], 0.4))
    assert.match(sentence, /^A search through 3500 texts is worth threads here: with the texts in every thread, 2 threads give 1\.80 times/) // prettier-ignore
    assert.match(sentence, /With the texts sent for each search, 2 threads give 0\.40 times .*, which is not worth it\.$/) // prettier-ignore
    assert.match(
      conclude(ratioOf([0.9, 1.1], 0.4)).sentence,
      /texts is not worth threads here: with .* 2 threads give 1\.10/,
    )
  })

  test('says that it cannot tell, where the interval is too wide', () => {
    const { sentence } = conclude(ratioOf([0.9, [1.4, 0.8, 2.2]], [0.7, 0.3, 1.5]))
    assert.match(
      sentence,
      /^A search through 3500 texts: cannot tell, .*a larger --budget while nothing else runs\. .* too uncertain to tell\.$/,
    )
  })

  test('says that the results are the same only when every call of every row was', () => {
    const same = /found the same ten texts/
    assert.match(conclude(ratioOf([1, 1], 1)).remarks.join(), same)
    const differ = (row) => ({ ...ratioOf([1, 1], 1)(row), errorRate: row.cell.size === 2 ? 0.01 : 0 })
    assert.doesNotMatch(conclude(differ).remarks.join(), same)
    const { remarks, sentence } = conclude(() => ({ failed: 'the plain loop found something else' }))
    assert.doesNotMatch(remarks.join(), same)
    assert.match(sentence, /could not be measured/)
  })

  test('ranks: more of the words is better, a long text is worse, the earlier one goes first', () => {
    const texts = ['a x x x', 'a b x x', 'x x', 'A x x x', 'a x x x x x x x']
    const hits = rank(texts, ['a', 'b'], { first: 100, from: 0, to: texts.length })
    assert.deepEqual(
      hits.map(({ text }) => text),
      [101, 100, 103, 104],
    )
  })

  test('gives the same list, however the texts are cut', async () => {
    const texts = await makeTexts(2000)
    const words = ['bakilo', 'dorena']
    const whole = rank(texts, words, { first: 0, from: 0, to: texts.length })
    assert.equal(whole.length, 10)
    const parts = [0, 300, 1999].map((from, i, all) =>
      rank(texts, words, { first: 0, from, to: all[i + 1] ?? 2000 }),
    )
    assert.deepEqual(parts.reduce(mergeHits), whole)
  })

  test('finds the same on every executor, and says so when it does not', async (t) => {
    const folder = testFolder(t)('.')
    const { found } = await search.prepare(values, folder)
    assert.match(found[0], /gives the best ten; the best is text \d+: "[A-Z]/)
    for (const { cell } of search.rows(values, folder)) {
      const { url, inputs } = cell.source
      const executor = cell.executor === 'inline' ? inline(url) : threads(url, { size: cell.size })
      const run = await start(executor, ...inputs[0])
      await run()
      await run()
      await executor.close()
    }
    const [, { cell }] = search.rows(values, folder)
    const file = join(folder, 'found.json')
    const hits = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify(hits.reverse()))
    const executor = inline(cell.source.url)
    await assert.rejects(await start(executor, ...cell.source.inputs[0]), /the plain loop found/)
    await executor.close()
  })
})
