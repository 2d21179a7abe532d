// threadwise lab on the real program: experiments on many files, which are sent to a server, or more than may be open.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { testFolder } from '../helpers/files.js'
import { fiveRounds, labLimitMs, measuredCodes, run } from '../helpers/program.js'

describe('threadwise lab', () => {
  test('uploads: stores the files of each request in an S3 server, accounts for all, and draws who did it', async (t) => {
    const path = testFolder(t)
    const given = [
      '--count',
      '5',
      '--delay',
      '4',
      '--min',
      '1',
      '--max',
      '2',
      '--queue',
      '1',
      '--log',
      path('log'),
    ]
    const args = ['lab', 'uploads', ...given, ...fiveRounds, '--json', '-', '--html', path('page.html')]
    const { code, stdout, stderr } = await run(args, { limitMs: labLimitMs })
    assert.ok(measuredCodes.includes(code), stderr)
    const { cells, remarks, timelines, complete } = JSON.parse(stdout)
    const [inTurn, forkJoin, dedicated, concurrent] = timelines
    assert.deepEqual(
      cells.map(({ failed, errorRate }) => [failed, errorRate]),
      cells.map(() => [null, 0]),
    )
    assert.deepEqual([cells.length, timelines.length, complete], [4, 4, true])
    const files = ({ lanes }) => lanes.flatMap(({ rows }) => rows.flat().map(({ name }) => name)).sort()
    const sent = Array.from({ length: 5 }, (_, i) => `file-000${i}.bin`)
    for (const timeline of timelines) assert.deepEqual(files(timeline), sent, timeline.title)
    assert.deepEqual(
      inTurn.lanes.map(({ name, rows }) => [name, rows.length]),
      [['main thread', 1]],
    )
    assert.ok(forkJoin.lanes.every(({ name }) => /^forkjoin-\d+$/.test(name)))
    // Two threads and a place to wait: the fourth file is the caller's own, and the fifth goes to whoever is free first.
    assert.ok(dedicated.lanes[0].name === 'main thread' && dedicated.lanes[0].rows.flat().length >= 1)
    assert.ok(dedicated.lanes.some(({ name }) => /^uploads-[12]$/.test(name)))
    assert.ok(concurrent.lanes.length === 1 && concurrent.lanes[0].rows.length <= 2)
    const told = remarks.find((remark) => /The store was listed/.test(remark))
    const [, whole, received] = told.match(/holds (\d+) of the (\d+) files/)
    assert.ok(whole === received && Number(whole) >= 4 * 5, told)
    assert.match(readFileSync(path('page.html'), 'utf8'), /<h2>Who did what, and when<\/h2>[^]*class="gantt"/)
    for (const line of readFileSync(path('log'), 'utf8').trim().split('\n')) {
      const { request, worker } = JSON.parse(line)
      assert.ok(request && worker, line)
    }
  })

  const skip = process.platform === 'win32' ? 'there is no limit on open files to lower' : false
  test('files: more files than may be open fail as EMFILE, and the other ways work', { skip }, async () => {
    const args = [
      'lab',
      'files',
      '--count',
      '600',
      '--threads',
      '1',
      '--cpus',
      '1',
      ...fiveRounds,
      '--json',
      '-',
    ]
    // Node opens the modules of the command side by side, so it needs some itself.
    const via = ['sh', '-c', 'ulimit -n 250 && exec "$@"', 'sh']
    const { code, stdout, stderr } = await run(args, { via, limitMs: labLimitMs })
    assert.ok(measuredCodes.includes(code), stderr)
    const { cells, remarks } = JSON.parse(stdout)
    const failed = cells.filter((cell) => cell.failed !== null)
    assert.deepEqual(
      failed.map(({ label }) => label),
      ['Promise.all over 600'],
    )
    assert.match(failed[0].failed, /EMFILE/)
    assert.ok(remarks.some((remark) => /failed with EMFILE/.test(remark)))
    assert.ok(cells.find(({ label }) => label === 'synchronous loop').throughput.median > 0)
  })
})
