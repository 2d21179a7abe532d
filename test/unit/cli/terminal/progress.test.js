// Progress on a terminal and elsewhere.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createProgress } from '../../../../build/cli/terminal/progress.js'

const step = (changes) => ({
  variant: 'love',
  cpus: 2,
  comparison: 1,
  comparisons: 1,
  phase: 'measuring',
  seconds: 12.4,
  budgetSeconds: 40,
  live: 3,
  best: null,
  ...changes,
})

function shown(stream, steps) {
  let written = ''
  const view = createProgress({ ...stream, write: (text) => (written += text) })
  for (const each of steps) {
    if (typeof each === 'string') view.note(each)
    else view.show(each)
  }
  view.end()
  return written
}

describe('progress', () => {
  test('elsewhere is a plain line for each phase of each comparison', () => {
    const text = shown({}, [
      step({ phase: 'starting', seconds: 1 }),
      step({ phase: 'warming up', seconds: 2 }),
      step(),
      step({ seconds: 20 }),
      step({ comparison: 2, comparisons: 2 }),
    ])
    const lines = text.split('\n')
    assert.equal(lines.length, 5)
    assert.equal(lines[0], '1 of at most 40 s, love at 2 CPUs: starting')
    assert.equal(lines[2], '12 of at most 40 s, love at 2 CPUs: comparing 3 with inline')
    assert.match(lines[3], /love at 2 CPUs \(2\/2\): comparing/)
    assert.ok(!text.includes('\r'))
  })

  test('says who leads', () => {
    const best = { cell: { executor: 'threads', size: 2 }, ratio: 1.412 }
    assert.match(shown({}, [step({ best })]), /comparing 3 with inline; threads 2 leads with 1\.41$/m)
  })

  test('on a terminal is one line, which is rewritten and removed at the end', () => {
    const text = shown({ isTTY: true, columns: 30 }, [step(), step({ seconds: 13 })])
    assert.ok(!text.includes('\n'))
    assert.ok(text.endsWith('\r\u001b[K'))
    const [, first] = text.split('\r\u001b[K')
    assert.equal(first.length, 29, 'it never wraps')
  })

  test('on a terminal makes room for a note', () => {
    const text = shown({ isTTY: true }, [step(), 'Report: here'])
    assert.ok(text.endsWith('\r\u001b[KReport: here\n'), JSON.stringify(text))
  })
})
