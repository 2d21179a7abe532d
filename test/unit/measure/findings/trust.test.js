import { describe, test } from 'node:test'
import assert from 'node:assert/strict'
import { NOT_MEASURED } from '../../../../build/measure/findings/context.js'
import { bandOf, concurrent, course, inline, noiseFacts, scout, settings, threads } from '../cells.js'
import { findReasons } from '../../../../build/measure/findings/all-findings.js'

function contextOf({ cells, ...changes }) {
  return {
    task: 'renderLove',
    cpus: 2,
    cells,
    scout: scout(),
    settings: settings(),
    noise: noiseFacts(),
    band: bandOf(),
    course: course(),
    chosen: null,
    ...changes,
  }
}

function find(id, facts) {
  return findReasons(contextOf(facts)).find((reason) => reason.id === id)
}

describe('noisy-machine', () => {
  test('says why, and what follows', () => {
    const noise = noiseFacts({
      verdict: 'noisy',
      reasons: ['Other programs used 0.7 CPUs.', 'CPU speed drifted by 8 %.'],
    })
    assert.equal(
      find('noisy-machine', { cells: [inline()], noise }).sentence,
      'The machine was noisy: other programs used 0.7 CPUs and CPU speed drifted by 8 %; small differences may have been missed.',
    )
  })

  test('an unusable machine silences every explanation', () => {
    const cells = [inline({ loopMs: 300 }), threads(2, { ratio: 1, loopMs: 1 })]
    const ids = (noise) => findReasons(contextOf({ cells, noise })).map(({ id }) => id)
    assert.deepEqual(ids(noiseFacts()), ['loop-blocked', 'no-difference'])
    assert.deepEqual(ids(noiseFacts({ verdict: 'unusable', reasons: ['x'] })), ['noisy-machine'])
  })

  test('a quiet machine is not mentioned', () => {
    assert.equal(find('noisy-machine', { cells: [inline()] }), undefined)
  })
})

describe('errors', () => {
  test('the worst cell and its first message', () => {
    const cells = [inline(), threads(2, { errorRate: 0.25, firstError: 'Bad row.\n    at x' })]
    const reason = find('errors', { cells })
    assert.equal(reason.level, 'warning')
    assert.match(reason.sentence, /^25 % of the calls of renderLove threw with 2 threads \(first: Bad row\)/)
  })

  test('calls that threw before the first round count too', () => {
    const failing = scout({ errorRate: 0.004, firstError: 'no such file' })
    assert.match(find('errors', { cells: [inline()], scout: failing }).sentence, /^0\.4 % .*no such file/)
  })

  test('no errors, no reason', () => {
    assert.equal(find('errors', { cells: [inline(), threads(1)] }), undefined)
  })
})

describe('failed-cells', () => {
  test('names the first three and counts the rest', () => {
    const cells = [inline(), ...[1, 2, 4, 8].map((size) => threads(size, { failed: 'Too many open files' }))]
    assert.equal(
      find('failed-cells', { cells }).sentence,
      'Not considered because measuring failed: 1 thread, 2 threads, 4 threads and 1 more (Too many open files).',
    )
  })
})

describe('what had no turn', () => {
  test('is told apart from what failed', () => {
    const late = threads(1, { failed: NOT_MEASURED })
    const { sentence } = find('failed-cells', {
      cells: [inline(), late, threads(2, { failed: 'no memory' })],
    })
    assert.match(sentence, /^Not considered because measuring failed: 2 threads \(no memory\)\. Not measured: 1 thread; the time was up before; give it more time: --budget \d+\.$/) // prettier-ignore
    assert.match(find('failed-cells', { cells: [inline(), late] }).sentence, /^Not measured: 1 thread; /)
  })
})

describe('leak', () => {
  test('heap that stays per call and adds up', () => {
    const cells = [inline({ leakBytesPerCall: 4096, latency: { p50: 1, p99: 2, count: 5000 } })]
    assert.match(find('leak', { cells }).sentence, /4 KiB of heap behind per call \(20 MiB in 5000 calls\)/)
  })

  test('a little per call, or a little in all, is no leak', () => {
    const little = inline({ leakBytesPerCall: 30, latency: { p50: 1, p99: 2, count: 1e6 } })
    const few = concurrent(4, { leakBytesPerCall: 4096, latency: { p50: 1, p99: 2, count: 20 } })
    assert.equal(find('leak', { cells: [little, few] }), undefined)
  })
})

describe('cannot-tell', () => {
  const wide = threads(2, { ratio: [1.25, 0.97, 1.61] })

  test('says why, and what would narrow the interval', () => {
    const { sentence } = find('cannot-tell', { cells: [inline(), wide] })
    assert.match(
      sentence,
      /1\.25x with a 95 % interval of 0\.97-1\.61, too wide to tell, since .*: give it more time: --budget 180/,
    )
  })

  test('silent when the interval excludes what would be worth it, or something won', () => {
    const small = threads(2, { ratio: [1.07, 1.01, 1.13] })
    assert.equal(find('cannot-tell', { cells: [inline(), small] }), undefined)
    const chosen = threads(4, { ratio: 1.9 })
    assert.equal(find('cannot-tell', { cells: [inline(), wide, chosen], chosen }), undefined)
  })
})

describe('unequal-twins', () => {
  test('two processes of inline that differ by more than chance', () => {
    const twin = { value: 1.2, low: 1.05, high: 1.37 }
    assert.match(
      find('unequal-twins', { cells: [inline()], course: course({ twin }) }).sentence,
      /differ: 1\.20x/,
    )
    assert.equal(find('unequal-twins', { cells: [inline()] }), undefined)
  })
})

describe('fresh-inputs', () => {
  test('a task that changes its arguments', () => {
    const facts = { cells: [inline()], scout: scout({ changesInput: true }) }
    assert.match(find('fresh-inputs', facts).sentence, /changes its arguments, so each call got a fresh copy/)
    assert.equal(find('fresh-inputs', { cells: [inline()] }), undefined)
  })
})

describe('not-side-by-side', () => {
  test('says what kept them apart', () => {
    const facts = { cells: [inline()], course: course({ aloneBecause: 'EADDRINUSE: port 80' }) }
    assert.match(
      find('not-side-by-side', facts).sentence,
      /could not live side by side \(EADDRINUSE: port 80\)/,
    )
  })
})
