// threadwise compare --against on real repositories: what it compares, and that nothing is left behind however it ends.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../helpers/files.js'
import { leftCheckouts, repository, stateOf } from '../helpers/git-repository.js'
import { measuredCodes, run, signalUntilEnded, start, stderrSays } from '../helpers/program.js'
import { waitUntil } from '../helpers/waiting.js'

const short = ['--budget', '8', '--processes', '2']
const against = [
  'compare',
  'src/tasks.js',
  '--task',
  'render',
  '--args',
  '[[3]]',
  '--against',
  'main',
  ...short,
]

function changed(t) {
  const repo = repository(join(temporaryFolder(t), 'a repository'))
  repo.commit({
    'package.json': '{"type":"module"}',
    'src/tasks.js': 'export const render = (n) => "x".repeat(n)\n',
  })
  repo.write({ 'src/tasks.js': 'export const render = (n) => Array(n + 1).join("x")\n' })
  return repo
}

describe('threadwise compare --against', () => {
  test('compares what is not committed with a branch', async (t) => {
    const repo = changed(t)
    const before = stateOf(repo)
    const outcome = await run([...against, '--json', '-'], { cwd: repo.folder })
    assert.ok(measuredCodes.includes(outcome.code), outcome.stderr)
    const { versions, results } = JSON.parse(outcome.stdout)
    assert.deepEqual(versions, [
      { name: 'main', kind: 'ref', ref: repo.git('rev-parse', 'main').trim() },
      { name: 'working tree', kind: 'ref', ref: null },
    ])
    assert.deepEqual([results.equal, results.differing], [1, 0])
    assert.equal(stateOf(repo), before)
  })

  test('takes a workload that the old state does not have', async (t) => {
    const repo = changed(t)
    repo.write({ 'bench/a.workload.js': `export default { module: new URL('../src/tasks.js', import.meta.url), task: 'render', inputs: [[5], [6]] }` }) // prettier-ignore
    const words = ['compare', 'bench/a.workload.js', '--against', 'HEAD', ...short, '--json', '-']
    const outcome = await run(words, { cwd: repo.folder })
    assert.ok(measuredCodes.includes(outcome.code), outcome.stderr)
    assert.equal(JSON.parse(outcome.stdout).results.equal, 2)
  })

  for (const [what, signal, isTwice] of [
    ['Ctrl-C', 'SIGINT', false],
    ['two of them', 'SIGINT', true],
    ['kill -9', 'SIGKILL', false],
  ])
    test(`leaves nothing behind after ${what}`, async (t) => {
      const repo = changed(t)
      const before = stateOf(repo)
      const others = leftCheckouts()
      const { child, ended } = start([...against, '--budget', '40'], { cwd: repo.folder })
      await stderrSays(child, /warming up|measuring/)
      child.kill(signal)
      const { code } = await (isTwice ? signalUntilEnded({ child, ended }, signal) : ended)
      if (what === 'Ctrl-C') assert.equal(code, 130)
      await waitUntil(() => !existsSync(join(repo.folder, '.git/worktrees')))
      await waitUntil(() => leftCheckouts().every((name) => others.includes(name)))
      assert.equal(stateOf(repo), before)
    })

  test('a file that the old state does not have is told, and nothing is left', async (t) => {
    const repo = changed(t)
    repo.write({ 'src/new.js': 'export const render = () => 1\n' })
    const outcome = await run(['compare', 'src/new.js', '--task', 'render', '--against', 'main'], {
      cwd: repo.folder,
    })
    assert.equal(outcome.code, 1)
    assert.match(outcome.stderr, /has no file src\/new\.js; if that is built, add --build/)
    assert.equal(existsSync(join(repo.folder, '.git/worktrees')), false)
  })

  test('--build without --against is refused', async (t) => {
    const { folder } = changed(t)
    const outcome = await run(['compare', 'src/tasks.js', '--build', 'npm run build'], { cwd: folder })
    assert.equal(outcome.code, 2)
    assert.match(outcome.stderr, /used together with --against/)
  })
})
