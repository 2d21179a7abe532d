// What fails a build: missed expectations, and what is slower than before.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { missedExpectations, parseExpectation, slowerThan } from '../../../build/measure/gate.js'
import { stepSummary } from '../../../build/cli/measuring/step-summary.js'
import { inline, processes, threads } from './cells.js'

const advice = {
  variant: 'love',
  cpus: 2,
  executor: 'threads',
  size: 2,
  uv: null,
  sentence: 'Run love on 2 threads.',
}
const resultOf = (cells, changes = {}) => ({
  cells,
  advice: [{ ...advice, ...changes }],
  workload: { variants: { love: 'love' } },
})
const fast = resultOf([inline(), threads(1), threads(2, { ratio: [1.5, 1.4, 1.6] })])
const missed = (text, result = fast) => missedExpectations(result, [parseExpectation(text)])

describe('an expectation', () => {
  test('of a verdict holds when some size has it', () => {
    assert.deepEqual(missed('faster=threads'), [])
    const [sentence] = missed('faster=processes')
    assert.match(
      sentence,
      /^love at 2 CPUs: processes should be faster, and is not \(it was not measured\)\.$/,
    )
    const slow = resultOf([inline(), threads(2, { ratio: [1.01, 0.97, 1.05] })])
    assert.match(missed('faster=threads', slow)[0], /threads 2: same, 1\.01x \(0\.97-1\.05\)/)
  })

  test('says of a cell that failed why', () => {
    const failing = resultOf([inline(), threads(2, { failed: 'Error: the port is taken.', verdict: 'cannot-tell' })], { executor: 'inline', size: 1 }) // prettier-ignore
    for (const text of ['faster=threads', 'cannot-tell=threads'])
      assert.match(missed(text, failing)[0], /threads should be .*, and is not \(threads 2: failed, Error: the port is taken\)\.$/) // prettier-ignore
    assert.equal(missed('ratio>1', failing).length, 1)
    assert.deepEqual(missed('ratio<=1', failing), [])
  })

  test('of a ratio holds only for sure', () => {
    assert.deepEqual(missed('ratio>=1.3'), [])
    assert.match(missed('ratio>=1.45')[0], /should be >= 1\.45 for sure, and is 1\.50x \(1\.40-1\.60\)/)
    assert.deepEqual(missed('ratio<1.7'), [])
    assert.equal(missed('ratio<1.55').length, 1)
  })

  test('is about what is advised', () => {
    const kept = resultOf([inline(), threads(2, { ratio: 1.1 })], { executor: 'inline', size: 1 })
    assert.equal(missed('ratio>=1.05', kept).length, 1)
  })

  for (const text of ['faster', 'faster=inline', 'quick=threads', 'ratio', 'ratio=1', 'ratio>=x', '']) {
    test(`that is no expectation is refused: ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseExpectation(text), { code: 'TW_ERR_INVALID_OPTION' })
    })
  }
})

describe('a baseline', () => {
  const before = { cells: [inline(), threads(2, { ratio: 1.5 }), processes(2, { ratio: 1.4 })] }

  test('passes nothing by silence: what cannot be measured any more, or compared at all, is told', () => {
    const broken = { cells: [inline(), threads(2, { failed: 'it ended' }), processes(2, { ratio: 1.4 })] }
    assert.deepEqual(slowerThan(before, broken), ['love on threads 2 at 2 CPUs was measured in the baseline, and could not be measured now: it ended.']) // prettier-ignore
    const other = { cells: [inline(), threads(4, { ratio: 1.5 })] }
    assert.match(slowerThan(before, other)[0], /^Nothing can be compared with the baseline: it has no cell of the same/) // prettier-ignore
  })

  test('names what is slower by more than chance and the band', () => {
    const now = { cells: [inline(), threads(2, { ratio: 1.2 }), processes(2, { ratio: 1.38 })] }
    const sentences = slowerThan(before, now)
    assert.equal(sentences.length, 1)
    assert.match(
      sentences[0],
      /^love on threads 2 at 2 CPUs is slower .*: 1\.20x .* of inline, and 1\.50x .* before\.$/,
    )
  })

  test('says nothing of what is faster, unsure, or new', () => {
    const now = (cell) => slowerThan(before, { cells: [inline(), processes(2, { ratio: 1.4 }), cell] })
    assert.deepEqual(now(threads(2, { ratio: 1.9 })), [])
    assert.deepEqual(now(threads(2, { ratio: 1.2, standardError: 0.2 })), [])
    assert.deepEqual(now(threads(4, { ratio: 0.5 })), [])
  })
})

test('the summary of a step has the advice, a table and what was missed, and no markup of others', () => {
  const text = stepSummary(resultOf([inline(), threads(2, { failed: 'a|b <script>' })]), [
    'love is *slower*.',
  ])
  assert.match(
    text,
    /^### threadwise: love\n\nRun love on 2 threads\.\n\n\*\*Missed:\*\*\n\n- love is \\\*slower\\\*\./,
  )
  assert.match(text, /\| love \| 2 \| threads 2 \|.*failed: a\\\|b \\<script\\>/)
})
