// threadwise compare on the real program: what it prints and writes. How fast the machine is plays no part.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../helpers/files.js'
import { measuredCodes, run } from '../helpers/program.js'

const short = ['--budget', '8', '--processes', '2']

const tasks = `
export const join = (n) => Array.from({ length: n }, (_, i) => i).join()
export const joinLoop = (n) => { let text = '0'; for (let i = 1; i < n; i++) text += ',' + i; return text }
export const joinWrong = (n) => join(n) + (n > 3 ? '!' : '')
export const sortOwn = (list) => list.sort((a, b) => a - b)[0]
export const sortCopy = (list) => [...list].sort((a, b) => a - b)[0]
export async function* pieces(n) { for (let i = 0; i < n; i++) yield i }
export const piecesList = async (n) => Array.from({ length: n }, (_, i) => i)
export const fails = () => { throw new RangeError('no') }
export const random = () => Math.random()
export const lists = (n) => { let last; for (let i = 0; i < n; i++) last = { i, text: [i] }; return last.i }
export const listsMore = (n) => { let last; for (let i = 0; i < n; i++) last = { i, text: [i, [i]] }; return last.i }
`

function folderWithTasks(t) {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'tasks.mjs'), tasks)
  return folder
}

const assertCompared = ({ code, stderr }) =>
  assert.ok(measuredCodes.includes(code), `exit code ${code}: ${stderr}`)

async function compared(folder, words) {
  const outcome = await run(['compare', ...words, ...short, '--json', '-'], { cwd: folder })
  assertCompared(outcome)
  return JSON.parse(outcome.stdout)
}

describe('threadwise compare', () => {
  test('two functions of one file: --json - prints nothing but JSON, with every fixed field', async (t) => {
    const folder = folderWithTasks(t)
    const result = await compared(folder, ['tasks.mjs', '--task', 'join', '--task', 'joinLoop', '--args', '[[100], [200]]']) // prettier-ignore
    assert.equal(result.version, 1)
    assert.deepEqual(result.versions, [
      { name: 'join', kind: 'task', ref: null },
      { name: 'joinLoop', kind: 'task', ref: null },
    ])
    assert.deepEqual([result.results.equal, result.results.differing], [2, 0])
    for (const { workload, metric, ratio, verdict } of result.comparisons) {
      assert.equal(workload, 'join / joinLoop')
      assert.ok(['time', 'cpu', 'allocated', 'memory'].includes(metric))
      assert.ok(ratio.low <= ratio.value && ratio.value <= ratio.high)
      assert.ok(['faster', 'slower', 'same', 'cannot-tell'].includes(verdict))
    }
    for (const name of ['resolvable', 'noise', 'sentence']) assert.ok(name in result, name)
  })

  test('results that differ are told by name before any figure, and such a version is not called faster', async (t) => {
    const folder = folderWithTasks(t)
    const words = ['tasks.mjs', '--task', 'join', '--task', 'joinWrong', '--args', '[[3], [5]]', ...short]
    const outcome = await run(['compare', ...words], { cwd: folder })
    assertCompared(outcome)
    assert.match(outcome.stdout, /^joinWrong gives other results than join for 1 of 2 inputs/)
    assert.match(outcome.stdout.replace(/\s+/g, ' '), /joinWrong gives: '0,1,2,3,4!'/)
    assert.doesNotMatch(outcome.stdout, /is faster than/)
  })

  test('two files are two versions, called by their paths', async (t) => {
    const folder = folderWithTasks(t)
    mkdirSync(join(folder, 'new folder'))
    writeFileSync(join(folder, 'new folder', 'tasks.mjs'), tasks)
    const result = await compared(folder, ['tasks.mjs', 'new folder/tasks.mjs', '--task', 'lists', '--args', '[[20]]']) // prettier-ignore
    assert.deepEqual(result.versions.map(({ name, kind }) => [name, kind]), [['tasks.mjs', 'file'], ['new folder/tasks.mjs', 'file']]) // prettier-ignore
    assert.equal(result.results.equal, 1)
  })

  test('variants of a workload file are versions', async (t) => {
    const folder = folderWithTasks(t)
    const workload = `export default { module: new URL('./tasks.mjs', import.meta.url), variants: { short: 'join', loop: 'joinLoop' }, inputs: (call) => [call] }`
    writeFileSync(join(folder, 'a.workload.mjs'), workload)
    const result = await compared(folder, ['a.workload.mjs', '--variants', 'short,loop'])
    assert.deepEqual(
      result.versions.map(({ name }) => name),
      ['short', 'loop'],
    )
    assert.ok(result.results.equal > 10, 'all but those of short lists are equal')
  })

  test('a task that changes its arguments gets copies, a stream is read to its end, and chance is told', async (t) => {
    const folder = folderWithTasks(t)
    const own = await compared(folder, ['tasks.mjs', '--task', 'sortOwn', '--task', 'sortCopy', '--args', '[[[3, 1, 2]]]']) // prettier-ignore
    assert.equal(own.results.equal, 1)
    const pieces = await compared(folder, ['tasks.mjs', '--task', 'pieces', '--task', 'piecesList', '--args', '[[3]]']) // prettier-ignore
    assert.equal(pieces.results.equal, 1)
    const chance = await compared(folder, ['tasks.mjs', '--task', 'random', '--task', 'random'])
    assert.deepEqual([chance.results.equal, chance.results.differing, chance.results.unsteady], [0, 0, 1])
  })

  test('what a call allocates is known exactly, also where the machine is busy', async (t) => {
    const folder = folderWithTasks(t)
    const { comparisons } = await compared(folder, ['tasks.mjs', '--task', 'lists', '--task', 'listsMore', '--args', '[[1000]]']) // prettier-ignore
    const { ratio, verdict } = comparisons.find(({ metric }) => metric === 'allocated')
    assert.equal(verdict, 'slower', 'it allocates a list more for each item')
    assert.ok(ratio.value > 1.2 && ratio.high / ratio.low < 1.04, JSON.stringify(ratio))
  })

  test('two paths of Node, and a process with variables, are versions', async (t) => {
    const folder = folderWithTasks(t)
    const words = ['tasks.mjs', '--task', 'join', '--args', '[[50]]']
    const nodes = await compared(folder, [...words, '--node', process.execPath, '--node', process.execPath])
    assert.deepEqual(nodes.versions.map(({ kind }) => kind), ['runtime', 'runtime']) // prettier-ignore
    writeFileSync(join(folder, 'reads.mjs'), 'export const read = () => `${process.env.A} ${process.env.B}`')
    const sets = await compared(folder, ['reads.mjs', '--task', 'read', '--with', 'A=1 2 B=3'])
    assert.deepEqual(sets.results.examples.map((example) => example.new), ["'1 2 3'"]) // prettier-ignore
  })

  for (const [place, settings] of [
    [['--executor', 'threads', '--size', '2'], { executor: 'threads', size: 2, cpus: null }],
    [['--executor', 'processes', '--size', '1'], { executor: 'processes', size: 1, cpus: null }],
  ])
    test(`versions run ${place.join(' ')}, and what a call allocates is still exact`, async (t) => {
      const folder = folderWithTasks(t)
      const words = ['tasks.mjs', '--task', 'lists', '--task', 'listsMore', '--args', '[[1000]]', ...place]
      const result = await compared(folder, words)
      const { executor, size, cpus } = result.settings
      assert.deepEqual({ executor, size, cpus }, settings)
      const { ratio, verdict } = result.comparisons.find(({ metric }) => metric === 'allocated')
      assert.equal(verdict, 'slower')
      assert.ok(ratio.value > 1.2 && ratio.high / ratio.low < 1.04, JSON.stringify(ratio))
    })

  test('a version whose results cannot leave its executor is told, and has no figures', async (t) => {
    const folder = folderWithTasks(t)
    writeFileSync(
      join(folder, 'sends.mjs'),
      'export const plain = () => 1\nexport const maker = () => () => 1',
    )
    const words = ['sends.mjs', '--task', 'plain', '--task', 'maker', '--executor', 'threads', '--size', '1', ...short, '--budget', '40', '--json', '-'] // prettier-ignore
    const { stdout } = await run(['compare', ...words], { cwd: folder })
    const { comparisons, skipped } = JSON.parse(stdout)
    assert.match(skipped[0].reason, /maker: a call failed: .*/)
    assert.deepEqual(comparisons.filter(({ metric }) => metric === 'time'), []) // prettier-ignore
  })

  test('several workload files are a suite, each variant with its own name', async (t) => {
    const folder = folderWithTasks(t)
    for (const name of ['a', 'b'])
      writeFileSync(join(folder, `${name}.workload.mjs`), `export default { module: new URL('./tasks.mjs', import.meta.url), variants: { x: 'join', y: 'joinLoop' }, inputs: [[9]] }`) // prettier-ignore
    const words = ['a.workload.mjs', 'b.workload.mjs', '--with', 'A=1', '--budget', '16', '--processes', '2', '--json', '-'] // prettier-ignore
    const outcome = await run(['compare', ...words], { cwd: folder })
    assertCompared(outcome)
    const { comparisons, results, skipped } = JSON.parse(outcome.stdout)
    const names = new Set([...comparisons, ...skipped].map(({ workload }) => workload))
    assert.deepEqual([...names].sort(), ['a: x', 'a: y', 'b: x', 'b: y'])
    assert.equal(results.equal, 4)
  })

  test('--html writes a page, and a step of GitHub gets its summary', async (t) => {
    const folder = folderWithTasks(t)
    const words = ['tasks.mjs', '--task', 'join', '--task', 'joinLoop', '--args', '[[100]]', ...short]
    const env = { ...process.env, GITHUB_STEP_SUMMARY: join(folder, 'summary.md') }
    assertCompared(await run(['compare', ...words, '--html', 'page.html'], { cwd: folder, env }))
    assert.match(readFileSync(join(folder, 'page.html'), 'utf8'), /Is it slower\?/)
    const summary = readFileSync(join(folder, 'summary.md'), 'utf8')
    assert.match(summary, /### threadwise compare/)
    assert.match(summary, /\| time per call \|/)
    assert.ok(summary.length < 65_536)
  })

  test('a version that is far slower misses --expect, and a gate that cannot tell passes unless it is strict', async (t) => {
    const folder = folderWithTasks(t)
    const words = ['tasks.mjs', '--task', 'lists', '--task', 'listsMore', '--args', '[[1000]]', ...short]
    const outcome = await run(['compare', ...words, '--expect', 'allocated<5%'], { cwd: folder })
    assert.ok([1, 3].includes(outcome.code), `${outcome.code}: ${outcome.stderr}`)
    if (outcome.code === 1) assert.match(outcome.stderr, /Missed: .*allocated<5% is expected/)
    const untold = ['tasks.mjs', '--task', 'join', '--task', 'joinWrong', '--args', '[[5]]', ...short, '--expect', 'memory<100%'] // prettier-ignore
    const lenient = await run(['compare', ...untold], { cwd: folder })
    assert.ok([0, 3].includes(lenient.code))
    const strict = await run(['compare', ...untold, '--strict'], { cwd: folder })
    assert.ok([1, 3].includes(strict.code))
  })

  for (const [what, words, expected] of [
    ['one function', ['tasks.mjs', '--task', 'join'], /two: --task twice/],
    ['no such function', ['tasks.mjs', '--task', 'join', '--task', 'nothing'], /no function named.*nothing/],
    ['no such file', ['tasks.mjs', 'none.mjs', '--task', 'join'], /there is no such file/],
    ['a task that always fails', ['tasks.mjs', '--task', 'join', '--task', 'fails', '--args', '[[2]]'], /RangeError: no/], // prettier-ignore
    ['--strict alone', ['tasks.mjs', '--task', 'join', '--task', 'joinLoop', '--strict'], /used together with --expect/], // prettier-ignore
    ['a size without workers', ['tasks.mjs', '--task', 'join', '--task', 'joinLoop', '--size', '2'], /used with the executors threads/], // prettier-ignore
    ['an executor that is none', ['tasks.mjs', '--task', 'join', '--task', 'joinLoop', '--executor', 'thread'], /one of inline, concurrent, threads, processes/], // prettier-ignore
    ['an executor for servers', ['--server', 'tasks.mjs', 'tasks.mjs', '--executor', 'threads'], /left out with --server/], // prettier-ignore
    ['an expectation of nothing', ['tasks.mjs', '--expect', 'faster<5%'], /slower<5%/],
  ])
    test(`${what} is refused, with what to do`, async (t) => {
      const outcome = await run(['compare', ...words], { cwd: folderWithTasks(t) })
      assert.ok([1, 2].includes(outcome.code), `exit code ${outcome.code}`)
      assert.match(outcome.stderr, expected)
      assert.equal(outcome.stdout, '')
    })
})
