// threadwise lab on the real program: its list, small runs, and packages that are missing. Those that read and send files: lab-files.test.js.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { testFolder } from '../helpers/files.js'
import { fiveRounds, labLimitMs, measuredCodes, run } from '../helpers/program.js'

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
      const args = ['lab', name, ...given, '--threads', '2', ...fiveRounds, '--json', '-', '--html', html]
      const { code, stdout, stderr } = await run(args, { limitMs: labLimitMs })
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
})
