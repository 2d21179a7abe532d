// The search for a commit, on a history that is a list of numbers: which commit it names, and what it does with those that cannot be tested.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bisect, bisectSentence } from '../../../../build/measure/compare/bisect.js'

/** Commits 0 (good) to `last` (bad), in a line, of which `first` is the first bad one. */
function history(last, first, untestable = []) {
  const tested = []
  const outside = {
    async suspects(bad, goods) {
      const from = Math.max(...goods.map(Number)) + 1
      const all = Array.from({ length: Number(bad) - from + 1 }, (_, i) => from + i)
      const middle = (from + Number(bad) - 1) / 2
      return all.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle)).map(String)
    },
    async test(commit) {
      tested.push(Number(commit))
      if (untestable.includes(Number(commit))) return { skipped: 'it does not build' }
      return { isBad: Number(commit) >= first }
    },
  }
  return { tested, run: () => bisect('0', String(last), outside) }
}

describe('a search by halves', () => {
  test('finds each commit of a history, in as many tests as halves need', async () => {
    for (let first = 1; first <= 33; first++) {
      const { run, tested } = history(33, first)
      assert.deepEqual((await run()).suspects, [String(first)])
      assert.ok(tested.length <= 6, `${tested.length} tests for ${first}`)
      assert.equal(new Set(tested).size, tested.length, 'no commit is tested twice')
    }
  })

  test('tests neither end again, also where they are neighbours', async () => {
    const { run, tested } = history(1, 1)
    assert.deepEqual((await run()).suspects, ['1'])
    assert.deepEqual(tested, [])
  })

  test('goes past commits that cannot be tested, and says why they were not', async () => {
    const { run } = history(20, 7, [9, 10, 11, 12])
    const { suspects, skipped } = await run()
    assert.deepEqual(suspects, ['7'])
    assert.equal(skipped.get('10'), 'it does not build')
  })

  test('names all that are left where the commit is among those, the bad one first', async () => {
    const { run } = history(20, 10, [9, 10, 11])
    const { suspects } = await run()
    assert.equal(suspects[0], '12')
    assert.deepEqual([...suspects].sort(), ['10', '11', '12', '9'])
  })

  test('all of them are named where none between the ends can be tested', async () => {
    const { run, tested } = history(4, 2, [1, 2, 3])
    assert.deepEqual([...(await run()).suspects].sort(), ['1', '2', '3', '4'])
    assert.equal(tested.length, 3)
  })
})

test('the sentence names the commit, or those among which it is, or that there is nothing to find', () => {
  const facts = { workload: 'w', metric: 'time', first: null, suspects: [], tested: [], skipped: [] }
  assert.match(bisectSentence(facts, 'slower<5%'), /^Nothing to find: .*slower<5%/)
  const commit = 'a'.repeat(40)
  const first = { commit, subject: 'Keep more', author: 'Ada', date: '2026-01-02T03:04:05Z' }
  const found = bisectSentence({ ...facts, first, suspects: [commit] }, 'slower<5%')
  assert.match(found, /in time is aaaaaaaaaa, "Keep more" \(Ada, 2026-01-02\)/)
  const some = bisectSentence({ ...facts, suspects: [commit, 'b'.repeat(40)], skipped: [{ commit, reason: 'x' }] }, 'slower<5%') // prettier-ignore
  assert.match(some, /one of aaaaaaaaaa, bbbbbbbbbb: 1 could not be tested/)
})
