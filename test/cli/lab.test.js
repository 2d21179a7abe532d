// threadwise lab on the real program: its list, one small run, and a machine that allows few open files.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { testFolder } from '../helpers/files.js'
import { measuredCodes, run } from '../helpers/program.js'

const fields = [
  'version',
  'lab',
  'question',
  'sentence',
  'remarks',
  'tables',
  'heatMaps',
  'cells',
  'machine',
  'noise',
]

describe('threadwise lab', () => {
  test('lists the experiments with their questions', async () => {
    const { code, stdout } = await run(['lab'])
    assert.equal(code, 0)
    for (const name of ['files', 'libuv', 'render', 'memory', 'matrix'])
      assert.match(stdout, new RegExp(`^  ${name} +\\S.*\\?`, 'm'))
  })

  test('runs one: JSON and nothing else on standard output, and a page', async (t) => {
    const html = testFolder(t)('libuv.html')
    const args = [
      'lab',
      'libuv',
      '--calls',
      '2',
      '--pools',
      '1,2',
      '--rounds',
      '1',
      '--json',
      '-',
      '--html',
      html,
    ]
    const { code, stdout, stderr } = await run(args)
    assert.ok(measuredCodes.includes(code), stderr)
    const result = JSON.parse(stdout)
    for (const name of fields) assert.ok(name in result, name)
    assert.deepEqual([result.version, result.lab, result.complete], [1, 'libuv', true])
    const [{ columns, rows }] = result.tables
    assert.deepEqual(
      rows.map(([label]) => label),
      ['UV_THREADPOOL_SIZE=1', 'UV_THREADPOOL_SIZE=2'],
    )
    for (const row of rows) {
      assert.equal(row.length, columns.length)
      assert.ok(row[1] > 0 && row[3] >= row[1], JSON.stringify(row))
    }
    assert.match(readFileSync(html, 'utf8'), /^<!doctype html>/i)
  })

  const skip = process.platform === 'win32' ? 'there is no limit on open files to lower' : false
  test('files: more files than may be open fail as EMFILE, and the other ways work', { skip }, async () => {
    const args = [
      'lab',
      'files',
      '--count',
      '300',
      '--threads',
      '1',
      '--cpus',
      '1',
      '--rounds',
      '2',
      '--json',
      '-',
    ]
    const via = ['sh', '-c', 'ulimit -n 100 && exec "$@"', 'sh']
    const { code, stdout, stderr } = await run(args, { via })
    assert.ok(measuredCodes.includes(code), stderr)
    const { cells, remarks } = JSON.parse(stdout)
    const failed = cells.filter((cell) => cell.failed !== null)
    assert.deepEqual(
      failed.map(({ label }) => label),
      ['Promise.all over 300'],
    )
    assert.match(failed[0].failed, /EMFILE/)
    assert.ok(remarks.some((remark) => /failed with EMFILE/.test(remark)))
    assert.ok(cells.find(({ label }) => label === 'synchronous loop').throughput.median > 0)
  })
})
