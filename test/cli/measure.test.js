// threadwise measure on the real program: what it prints and writes. How fast the machine is plays no part.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { testFolder } from '../helpers/files.js'
import { fixture, measuredCodes, run, small, smallInline } from '../helpers/program.js'

const tasks = fixture('measured/tasks.js')
const measureAdd = ['measure', tasks, '--task', 'add', ...small]
const measureInline = ['measure', tasks, '--task', 'add', ...smallInline]
const escape = '\u001b'
const assertMeasured = ({ code, stderr }) =>
  assert.ok(measuredCodes.includes(code), `exit code ${code}: ${stderr}`)

const fields = {
  cell: [
    'variant',
    'executor',
    'size',
    'cpus',
    'throughput',
    'ratio',
    'verdict',
    'latency',
    'loopDelay',
  ].concat(['memoryBytes', 'cpuSecondsPerTask', 'throttled', 'failed']),
  advice: ['cpus', 'variant', 'executor', 'size', 'verdict', 'isSettled', 'sentence', 'reasons'],
  result: ['version', 'workload', 'machine', 'noise', 'cells', 'advice', 'predictions'],
}
const assertHas = (value, names) => {
  for (const name of names) assert.ok(name in value, `${name} of ${Object.keys(value)}`)
}

describe('threadwise measure', () => {
  test('--json - prints nothing but JSON, with every fixed field', async () => {
    const outcome = await run([...measureAdd, '--json', '-'])
    assertMeasured(outcome)
    const result = JSON.parse(outcome.stdout)
    assertHas(result, fields.result)
    assert.equal(result.version, 1)
    assert.deepEqual(
      result.cells.map(({ executor, size }) => [executor, size]),
      [
        ['inline', 1],
        ['threads', 1],
      ],
    )
    for (const cell of result.cells) {
      assertHas(cell, fields.cell)
      assertHas(cell.throughput, ['median', 'low', 'high'])
      assertHas(cell.ratio, ['value', 'low', 'high'])
      assertHas(cell.latency, ['p50', 'p99'])
      assertHas(cell.loopDelay, ['p50', 'p99'])
      assert.equal(cell.failed, null)
      assert.ok(cell.throughput.median > 0)
    }
    assert.equal(result.cells[1].verdict, 'cannot-tell', 'one round gives no verdict')
    for (const advice of result.advice) assertHas(advice, fields.advice)
    assert.equal(result.complete, true)
    assert.match(
      result.settings.command,
      /^npx threadwise measure .*tasks\.js --task add --quick --rounds 1 /,
    )
  })

  test('prints the advice, and writes JSON, a page and the profile', async (t) => {
    const path = testFolder(t)
    mkdirSync(path('src'))
    writeFileSync(path('package.json'), '{"type":"module"}')
    copyFileSync(tasks, path('src/tasks.js'))
    const files = ['--json', 'result.json', '--html', 'page.html', '--save']
    const args = [
      'measure',
      'src/tasks.js',
      '--task',
      'add',
      '--args',
      '[[1,2],[3,4]]',
      ...small,
      '--sizes',
      '2',
      ...files,
    ]
    const outcome = await run(args, { cwd: path('') })
    assertMeasured(outcome)
    assert.equal(JSON.parse(readFileSync(path('result.json'), 'utf8')).advice[0].executor, 'inline')
    assert.ok(outcome.stdout.includes('Keep add inline'), outcome.stdout)
    assert.ok(!outcome.stdout.includes(escape), 'no colour in a pipe')

    const page = readFileSync(path('page.html'), 'utf8')
    assert.match(page, /^<!doctype html>/i)
    assert.doesNotMatch(page, /(src|href)\s*=\s*["']?(https?:)?\/\//i)
    assert.doesNotMatch(page, /url\(\s*["']?(https?:)?\/\//i)
    assert.doesNotMatch(page, /<script[^>]*\ssrc|@import|<link[^>]*stylesheet/i)
    assert.match(outcome.stderr, /^Report: file:\/\/.*page\.html$/m)

    assert.match(outcome.stderr, /^Not saved: nothing could be told/m) // one round tells nothing
    assert.equal(existsSync(path('threadwise.json')), false)
  })

  test('saves the advice of a run that could tell, for executor()', async (t) => {
    const path = testFolder(t)
    writeFileSync(path('package.json'), '{"type":"module"}')
    copyFileSync(tasks, path('tasks.js'))
    const what = ['--task', 'add', '--args', '[[1,2]]', '--executors', 'threads', '--sizes', '1']
    const outcome = await run(['measure', 'tasks.js', ...what, '--quick', '--save', '--json', '-'], {
      cwd: path(''),
    })
    assertMeasured(outcome)
    const { advice, noise } = JSON.parse(outcome.stdout)
    const isTold = noise.verdict !== 'unusable' && advice[0].isSettled
    assert.equal(existsSync(path('threadwise.json')), isTold)
    if (!isTold) {
      assert.match(outcome.stderr, /^Not saved: nothing could be told/m)
      return t.diagnostic('the machine was too busy to tell anything')
    }
    const { modules } = JSON.parse(readFileSync(path('threadwise.json'), 'utf8'))
    assert.equal(modules['tasks.js'].add[0].executor, advice[0].executor)
    assert.match(outcome.stderr, /^Saved: .*threadwise\.json$/m)
  })

  test('takes a workload file', async () => {
    const args = ['measure', fixture('workloads/render.workload.js'), ...smallInline]
    const outcome = await run([...args, '--json', '-'])
    assertMeasured(outcome)
    const { workload, cells } = JSON.parse(outcome.stdout)
    assert.deepEqual(workload.variants, { add: 'add' })
    assert.deepEqual(
      cells.map(({ executor }) => executor),
      ['inline'],
    )
  })

  test('shows its progress in a pipe as plain lines, one for each phase', async () => {
    const { stderr } = await run([...measureInline, '--rounds', '2'])
    assert.ok(!stderr.includes('\r') && !stderr.includes(escape), JSON.stringify(stderr))
    const steps = stderr.split('\n').filter((line) => / of at most 40 s, add at /.test(line))
    assert.deepEqual(steps.map((line) => line.split(': ')[1]), ['starting', 'warming up', 'comparing 0 with inline']) // prettier-ignore
  })

  test('colours what it prints when FORCE_COLOR says so, and never when NO_COLOR is set', async () => {
    const quick = measureInline
    const forced = await run(quick, { env: { FORCE_COLOR: '1' } })
    assert.ok(forced.stdout.includes(`${escape}[`))
    const both = await run(quick, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })
    assert.ok(!both.stdout.includes(escape))
    const none = await run(quick, { env: { FORCE_COLOR: '0' } })
    assert.ok(!none.stdout.includes(escape))
  })

  test('reports a limit that is more than there is, beside those that work', async () => {
    const outcome = await run([...measureAdd, '--cpus', '4096', '--json', '-'])
    const { cells, skipped, advice } = JSON.parse(outcome.stdout)
    assert.equal(outcome.code, 1, 'nothing was measured')
    assert.deepEqual([cells, advice], [[], []])
    assert.equal(skipped[0].cpus, 4096)
  })

  test('stops within its budget, says that it is not complete, and saves nothing then', async (t) => {
    const path = testFolder(t)
    copyFileSync(tasks, path('tasks.mjs'))
    const args = ['measure', path('tasks.mjs'), '--task', 'add', '--quick', '--budget', '0.4', '--save']
    const outcome = await run([...args, '--json', '-'])
    assert.equal(outcome.code, 1, 'nothing could be measured in that time')
    const { complete, cells } = JSON.parse(outcome.stdout)
    assert.equal(complete, false)
    assert.ok(cells.every(({ failed, windows }) => failed !== null && windows === 0))
    assert.match(outcome.stderr, /^Not saved: the run was not completed\.$/m)
    assert.equal(existsSync(path('threadwise.json')), false)
  })

  const onLinux = { skip: process.platform !== 'linux' } // whose /proc is a folder in which nobody can make a file
  test('prints what it found also when a file cannot be written, and says why that is', onLinux, async () => {
    const { code, stdout, stderr } = await run([...measureInline, '--json', '/proc/result.json']) // prettier-ignore
    assert.equal(code, 1)
    assert.match(stdout, /Keep add inline/)
    assert.match(stderr, /^threadwise: E[A-Z]+: .*result\.json'$/m)
    assert.doesNotMatch(stderr, /\n\s+at /)
  })
})
