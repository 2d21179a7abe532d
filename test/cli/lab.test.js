// threadwise lab on the real program: its list, one small run, and a machine that allows few open files.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
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
    for (const name of [
      'files',
      'libuv',
      'render',
      'memory',
      'matrix',
      'search',
      'image',
      'posts',
      'uploads',
    ])
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

  for (const [name, given, labels] of [
    ['search', ['--count', '3000'], ['plain loop', '2 threads', '2 threads, texts sent']],
    ['image', ['--size', '140', '--radius', '3'], ['plain loop', '2 threads']],
    ['posts', ['--count', '60'], ['inline', '2 threads']],
  ]) {
    test(`${name}: works on threads, checks its own results, and draws them`, async (t) => {
      const html = testFolder(t)(`${name}.html`)
      const args = ['lab', name, ...given, '--threads', '2', '--rounds', '5', '--json', '-', '--html', html]
      const { code, stdout, stderr } = await run(args)
      assert.ok(measuredCodes.includes(code), stderr)
      assert.match(stderr, /comparing \d with inline/)
      const { cells, sentence, remarks, complete } = JSON.parse(stdout)
      assert.deepEqual(
        cells.map(({ label, failed, baseline }) => [label, failed, baseline]),
        labels.map((label) => [label, null, 0]),
      )
      assert.ok(cells.every(({ errorRate, throughput }) => errorRate === 0 && throughput.median > 0))
      assert.ok(remarks.some((remark) => /this was checked after each/.test(remark)))
      assert.match(sentence, /cannot tell|worth/)
      assert.doesNotMatch(sentence, /NaN/)
      assert.equal(complete, true)
      const page = readFileSync(html, 'utf8')
      assert.match(page, /<h2>Faster or slower<\/h2>[^]*class="forest"/)
    })
  }

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
    const args = ['lab', 'uploads', ...given, '--rounds', '5', '--json', '-', '--html', path('page.html')]
    const { code, stdout, stderr } = await run(args, { limitMs: 120_000 })
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

  test('posts: names a broken post, and says which command installs what is missing', async (t) => {
    const path = testFolder(t)
    writeFileSync(path('sound.mdx'), '---\ntitle: Sound\n---\n')
    writeFileSync(path('broken.mdx'), '---\ndate: 2026-01-01\n---\n')
    const args = ['lab', 'posts', '--folder', path('.'), '--threads', '1', '--rounds', '1']
    const { code, stdout } = await run(args)
    assert.ok(measuredCodes.includes(code))
    assert.match(
      stdout,
      /Of 2 posts one is broken and reported by name.*others\s+arrive:\s+broken\.mdx \(title:/s,
    )
    // A copy of the command line far away from the packages of this repository.
    cpSync(new URL('../../dist', import.meta.url), path('package/dist'), { recursive: true })
    cpSync(new URL('../../package.json', import.meta.url), path('package/package.json'))
    for (const name of ['commander', 'mustache']) {
      const folder = new URL(`../../node_modules/${name}`, import.meta.url)
      cpSync(folder, path(`package/node_modules/${name}`), { recursive: true, dereference: true })
    }
    const lonely = [path('package/dist/cli/main.js'), ...args]
    const { status, stderr } = spawnSync(process.execPath, lonely, { cwd: path('.'), encoding: 'utf8', timeout: 30_000 }) // prettier-ignore
    assert.equal(status, 1, stderr)
    assert.match(stderr, /works with gray-matter, zod, not found from .*npm install gray-matter zod/)
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
      '--rounds',
      '5',
      '--json',
      '-',
    ]
    // Node opens the modules of the command side by side, so it needs some itself.
    const via = ['sh', '-c', 'ulimit -n 250 && exec "$@"', 'sh']
    const { code, stdout, stderr } = await run(args, { via })
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
