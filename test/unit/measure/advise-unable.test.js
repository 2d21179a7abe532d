// The advice where the others cannot run the task, had no turn, or fail by chance.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  concurrent,
  course,
  inline,
  noiseFacts,
  processes,
  scout,
  settings,
  situation,
  threads,
} from './cells.js'
import { NOT_MEASURED } from '../../../build/measure/findings/context.js'
import { advise } from '../../../build/measure/advise.js'

const adviceFor = (cells, changes) => advise(situation(cells, changes))

const sentenceFor = (cells, changes) => adviceFor(cells, changes)[0].sentence
/** Half of a call is no computing: what else works at the same time may gain. */
const waiting = { scout: { love: scout({ cpuUs: 5000 }) } }

test('the advice for a task that nothing else can run is settled, and says why', () => {
  const failed = 'Error: listen EADDRINUSE: address already in use.'
  const pools = [threads(1, { failed }), threads(2, { failed }), processes(2, { failed })]
  const [alone] = adviceFor([inline(), ...pools])
  assert.deepEqual([alone.executor, alone.isSettled], ['inline', true])
  assert.equal(
    alone.sentence,
    'Keep renderLove inline at 2 CPUs: nothing else runs it: 1 thread, 2 threads and 2 processes fail (Error: listen EADDRINUSE: address already in use).',
  )
  const overlapping = concurrent(8, { ratio: [1.01, 0.7, 1.5], verdict: 'cannot-tell' })
  const [kept] = adviceFor([inline(), overlapping, threads(2, { failed })])
  assert.deepEqual([kept.executor, kept.isSettled], ['inline', true])
  assert.match(
    kept.sentence,
    /: 2 threads fail \(.*in use\), and 8 calls at once \(concurrent\) give 1\.01x .*, and calls that compute all/,
  )
  assert.ok(kept.reasons.every(({ id }) => id !== 'cannot-tell'))
})

test('the advice is not settled by what had no turn, or no time', () => {
  const failed = 'Error: listen EADDRINUSE: address already in use.'
  const short = threads(3, { ratio: NaN, verdict: 'cannot-tell' })
  const isDisturbed = { courses: [course({ disturbed: 0.9 })] }
  for (const [open, expected, changes] of [
    [[threads(2, { failed: NOT_MEASURED })], /for now: 2 threads could not be compared, since the time was up; give it more time: --budget 180\.$/], // prettier-ignore
    [[short, threads(2, { failed })], /for now: 2 threads fail \(.*\), and 3 threads could not be compared/],
    [[short], /since other programs used the CPUs in 90 % .*; measure again while they do not run\.$/, isDisturbed], // prettier-ignore
    [[], /for now: nothing else was measured\.$/],
  ]) {
    const [{ isSettled, verdict, sentence }] = adviceFor([inline(), ...open], changes)
    assert.deepEqual([isSettled, verdict], [false, 'cannot-tell'])
    assert.match(sentence, expected)
  }
})

test('the advice for a module that can be loaded once is settled where a call computes: one worker gains nothing', () => {
  const failed =
    'ThreadwiseError: A worker could not start file:///app/tasks.js: Error: listen EADDRINUSE. Check that the file loads with a plain import().'
  const unknown = { ratio: NaN, verdict: 'cannot-tell' }
  const cells = [
    ...[inline(), concurrent(8, unknown), threads(1, unknown), processes(1, unknown)],
    ...[threads(2, { failed }), processes(2, { failed })],
  ]
  const [{ isSettled, executor, sentence, reasons }] = adviceFor(cells)
  assert.deepEqual([isSettled, executor], [true, 'inline'])
  assert.equal(
    sentence,
    'Keep renderLove inline at 2 CPUs: 2 threads and 2 processes fail (it does not load: Error: listen EADDRINUSE), and calls that compute all the time gain nothing from 8 calls at once (concurrent), 1 thread and 1 process.',
  )
  assert.ok(reasons.every(({ id }) => id !== 'cannot-tell'))
  assert.equal(adviceFor(cells, waiting)[0].isSettled, false)
})

test('the advice leaves no doubt about calls that compute one at a time, however wide the interval', () => {
  const wide = { ratio: [1.25, 0.7, 1.6], verdict: 'cannot-tell' }
  const kept = (cell, changes) => adviceFor([inline(), cell], changes)[0]
  assert.equal(kept(concurrent(8, wide)).isSettled, true)
  assert.match(
    kept(concurrent(8, wide)).sentence,
    /give 1\.25x .*, and calls that compute all the time gain nothing/,
  )
  assert.equal(kept(threads(1, wide)).isSettled, true)
  assert.equal(kept(threads(2, wide)).isSettled, false)
  assert.equal(kept(concurrent(8, wide), waiting).isSettled, false)
  assert.equal(kept(concurrent(8, wide), { settings: settings({ worth: 1.05 }) }).isSettled, false)
})

test('where nothing had its turn the advice says so, and what to do', () => {
  const cells = [inline(), threads(2)].map((one) => ({ ...one, failed: NOT_MEASURED }))
  assert.equal(
    sentenceFor(cells),
    'Keep renderLove inline at 2 CPUs for now: the time was up before anything was measured; give it more time: --budget 180.',
  )
  assert.match(
    sentenceFor(cells, { courses: [course({ ended: 'stopped' })] }),
    /: the run was ended before anything/,
  )
  const noise = noiseFacts({ verdict: 'unusable', reasons: ['Others used 2 CPUs.'] })
  assert.match(
    sentenceFor(cells, { noise }),
    /this machine was too busy to tell anything \(others used 2 CPUs\)/,
  )
})

test('a task that throws sometimes is not left out for what chance gives', () => {
  const latency = { p50: 1, p99: 2, count: 300 }
  const cells = [inline({ errorRate: 0.1, latency }), threads(2, { ratio: 1.8, errorRate: 0.13, latency })]
  const [{ executor, size, verdict }] = adviceFor(cells)
  assert.deepEqual([executor, size, verdict], ['threads', 2, 'faster'])
})
