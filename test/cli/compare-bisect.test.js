// threadwise compare --bisect on real repositories: it names the commit, goes past those that cannot be tested, and leaves nothing behind.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../helpers/files.js'
import { leftCheckouts, repository, stateOf } from '../helpers/git-repository.js'
import { run, start, stderrSays } from '../helpers/program.js'
import { waitUntil } from '../helpers/waiting.js'

const lean = 'export const lists = (n) => { let last; for (let i = 0; i < n; i++) last = { i, text: [i] }; return last.i }\n' // prettier-ignore
const heavy = lean.replace('[i]', '[i, [i], { i }]')
// What is counted is exact on any machine: how fast this one is plays no part.
const words = ['compare', 'src/tasks.js', '--task', 'lists', '--args', '[[3000]]', '--expect', 'allocated<10%', '--budget', '4', '--processes', '2'] // prettier-ignore

/** Of its commits the third does not load, the fourth has no such function, and the sixth allocates twice as much. */
function history(t) {
  const repo = repository(join(temporaryFolder(t), 'a repository'))
  const commit = (tasks, message) =>
    repo.commit({ 'package.json': '{"type":"module"}', 'src/tasks.js': tasks }, message)
  commit(lean, 'first')
  repo.git('tag', 'good')
  commit('const ;\n', 'does not load')
  commit('export const other = () => 1\n', 'has no such function')
  commit(`${lean}// 4\n`, 'a comment')
  const slow = commit(heavy, 'Keep more for later')
  commit(`${heavy}// 6\n`, 'another comment')
  repo.write({ 'src/tasks.js': 'what is not committed\n', 'notes.txt': 'mine\n' })
  return { repo, slow }
}

describe('threadwise compare --bisect', () => {
  test('finds the commit, past those that cannot be tested, whatever lies in the folder', async (t) => {
    const { repo, slow } = history(t)
    const before = stateOf(repo)
    const outcome = await run([...words, '--bisect', 'good..main', '--json', '-'], { cwd: repo.folder })
    assert.equal(outcome.code, 0, outcome.stderr)
    const { bisect, sentence, comparisons, versions } = JSON.parse(outcome.stdout)
    assert.deepEqual([bisect.first.commit, bisect.first.subject], [slow, 'Keep more for later'])
    assert.deepEqual(bisect.suspects, [slow])
    assert.match(sentence, /"Keep more for later"/)
    assert.equal(versions[1].ref, slow)
    assert.equal(versions[0].ref, repo.git('rev-parse', `${slow}^`).trim(), 'its figures are to the one before it') // prettier-ignore
    assert.ok(comparisons.find(({ metric }) => metric === 'allocated').ratio.low > 1.5)
    assert.equal(stateOf(repo), before)
    assert.equal(existsSync(join(repo.folder, '.git/worktrees')), false)
  })

  test('leaves nothing behind after Ctrl-C', async (t) => {
    const { repo } = history(t)
    const before = stateOf(repo)
    const others = leftCheckouts()
    const { child, ended } = start([...words, '--bisect', 'good..main'], { cwd: repo.folder })
    await stderrSays(child, /warming up|measuring/)
    child.kill('SIGINT')
    assert.equal((await ended).code, 130)
    await waitUntil(() => !existsSync(join(repo.folder, '.git/worktrees')))
    await waitUntil(() => leftCheckouts().every((name) => others.includes(name)))
    assert.equal(stateOf(repo), before)
  })

  for (const [what, more, expected] of [
    ['a range that is none', ['--bisect', 'good'], /two commits.*such as v1\.0\.0\.\.main/],
    ['the wrong way round', ['--bisect', 'main..good'], /no ancestor of good/],
    ['nothing between', ['--bisect', 'main..HEAD'], /the same commit as HEAD/],
    ['no such commit', ['--bisect', 'nothing..main'], /no such branch, tag or commit/],
    [
      'another way to make versions',
      ['--bisect', 'good..main', '--against', 'good'],
      /used without --against/,
    ],
  ])
    test(`${what} is refused, with what to do`, async (t) => {
      const { repo } = history(t)
      const outcome = await run([...words, ...more], { cwd: repo.folder })
      assert.ok([1, 2].includes(outcome.code), `exit code ${outcome.code}`)
      assert.match(outcome.stderr, expected)
      assert.equal(existsSync(join(repo.folder, '.git/worktrees')), false)
    })
})
