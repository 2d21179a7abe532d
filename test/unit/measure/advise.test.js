import { describe, test } from 'node:test'
import assert from 'node:assert/strict'
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
import { advise } from '../../../build/measure/advise.js'

const adviceFor = (cells, changes) => advise(situation(cells, changes))

/** [executor, size, verdict] of the only advice. */
function choiceFor(cells, changes) {
  const [{ executor, size, verdict }] = adviceFor(cells, changes)
  return [executor, size, verdict]
}

const sentenceFor = (cells, changes) => adviceFor(cells, changes)[0].sentence
/** Half of a call is no computing: what else works at the same time may gain. */
const waiting = { scout: { love: scout({ cpuUs: 5000 }) } }
const responsive = (loopDelayMs) => ({ settings: settings({ goal: { kind: 'responsive', loopDelayMs } }) })

describe('the goal throughput', () => {
  const cases = [
    ['a clear winner', [inline(), threads(1), threads(2, { ratio: 1.86 })], ['threads', 2, 'faster']],
    [
      'the smaller of two within the band',
      [inline(), threads(4, { ratio: 1.9 }), threads(2, { ratio: 1.86 })],
      ['threads', 2, 'faster'],
    ],
    [
      'the larger when it gains more than the band',
      [inline(), threads(2, { ratio: 1.86 }), threads(4, { ratio: 3.5 })],
      ['threads', 4, 'faster'],
    ],
    [
      'threads before processes',
      [inline(), processes(2, { ratio: 1.9 }), threads(2, { ratio: 1.86 })],
      ['threads', 2, 'faster'],
    ],
    [
      'many threads before few processes',
      [inline(), processes(1, { ratio: 1.9 }), threads(4, { ratio: 1.87 })],
      ['threads', 4, 'faster'],
    ],
    [
      'concurrent before threads, and little concurrency before much',
      [inline(), threads(2, { ratio: 5 }), concurrent(16, { ratio: 5.1 }), concurrent(8, { ratio: 5 })],
      ['concurrent', 8, 'faster'],
    ],
    [
      'inline when nothing differs',
      [inline(), threads(1), threads(2, { ratio: 1.01 })],
      ['inline', 1, 'same'],
    ],
    ['inline when all is slower', [inline(), threads(1, { ratio: 0.3 })], ['inline', 1, 'slower']],
    [
      'inline when the gain is certain but not worth it',
      [inline(), threads(2, { ratio: [1.12, 1.08, 1.15] })],
      ['inline', 1, 'faster'],
    ],
    [
      'inline when the interval is too wide',
      [inline(), threads(2, { ratio: [1.25, 0.97, 1.61] })],
      ['inline', 1, 'cannot-tell'],
    ],
    [
      'the certain winner, not the wide one that looks better',
      [inline(), threads(2, { ratio: 1.5 }), threads(4, { ratio: [1.9, 0.9, 4] })],
      ['threads', 2, 'faster'],
    ],
    [
      'no cell that failed',
      [inline(), threads(2, { ratio: 1.86 }), threads(1, { ratio: 1.86, failed: 'crashed' })],
      ['threads', 2, 'faster'],
    ],
    [
      'no cell whose calls throw where those of inline do not',
      [inline(), threads(2, { ratio: 9, errorRate: 0.5, firstError: 'x' })],
      ['inline', 1, 'faster'],
    ],
    [
      'inline when everything else failed',
      [inline(), threads(1, { failed: 'x' })],
      ['inline', 1, 'cannot-tell'],
    ],
    ['inline when it is alone', [inline()], ['inline', 1, 'cannot-tell']],
  ]
  for (const [title, cells, expected] of cases) {
    test(`advises ${title}`, () => assert.deepEqual(choiceFor(cells), expected))
  }

  test('within one standard error of the best a smaller executor wins', () => {
    const two = threads(2, { ratio: 1.6 })
    const four = threads(4, { ratio: 1.9 })
    assert.deepEqual(choiceFor([inline(), two, four]), ['threads', 4, 'faster'])
    const unsure = [inline(), { ...two, standardError: 0.15 }, { ...four, standardError: 0.15 }]
    assert.deepEqual(choiceFor(unsure), ['threads', 2, 'faster'])
  })

  test('worth is a setting', () => {
    const cells = [inline(), threads(2, { ratio: 1.5 })]
    assert.deepEqual(choiceFor(cells, { settings: settings({ worth: 1.6 }) }), ['inline', 1, 'faster'])
    assert.deepEqual(choiceFor(cells, { settings: settings({ worth: 1.1 }) }), ['threads', 2, 'faster'])
  })

  test("libuv's pool size is part of the advice, and left alone when it gains nothing", () => {
    const plain = concurrent(16, { ratio: 3.8 })
    const [gain] = adviceFor([inline(), plain, concurrent(16, { uv: 16, ratio: 7.6 })])
    assert.deepEqual([gain.executor, gain.size, gain.uv], ['concurrent', 16, 16])
    assert.match(
      gain.sentence,
      /^Run renderLove with 16 calls at once \(concurrent\) with UV_THREADPOOL_SIZE=16: 7\.60x/,
    )
    const [none] = adviceFor([inline(), concurrent(16, { uv: 16, ratio: 3.9 }), plain])
    assert.equal(none.uv, null)
  })
})

describe('the sentence', () => {
  test('recommends and ends with the evidence', () => {
    assert.equal(
      sentenceFor([inline(), threads(2, { ratio: [1.86, 1.8, 1.92] })]),
      'Run renderLove on 2 threads: 1.86x the calls of inline (95 % interval 1.80-1.92) at 2 CPUs.',
    )
  })

  test('says why inline stays, and what the quota does', () => {
    const cells = [
      inline({ cpus: 0.6, throttled: 40 }),
      threads(1, { cpus: 0.6, throttled: 41, ratio: 0.9 }),
      threads(2, { cpus: 0.6, throttled: 70, ratio: [1.01, 0.97, 1.05] }),
    ]
    assert.equal(
      sentenceFor(cells),
      'Keep renderLove inline at 0.6 CPU: 2 threads give 1.01x the calls (0.97-1.05), which is no gain, and the quota freezes them 70 % of the time.',
    )
  })

  for (const [title, ratio, pattern] of [
    [
      'slower',
      0.43,
      /^Keep renderLove inline at 2 CPUs: 1 thread gives 0\.43x the calls \(0\.42-0\.44\), which is slower\.$/,
    ],
    [
      'not worth it',
      [1.12, 1.08, 1.15],
      /1\.12x the calls \(1\.08-1\.15\), less than the 1\.20x that would be worth it\.$/,
    ],
    [
      'undecided but surely not worth it',
      [1.05, 0.98, 1.12],
      /^Keep renderLove inline at 2 CPUs: .* less than the 1\.20x that would be worth it\.$/,
    ],
    [
      'undecided',
      [1.25, 0.97, 1.61],
      /^Keep renderLove inline at 2 CPUs for now: 1 thread gives 1\.25x the calls, but .*0\.97-1\.61 is too wide to tell, since .*; give it more time: --budget 180/,
    ],
  ]) {
    test(`says that the nearest is ${title}`, () => {
      assert.match(sentenceFor([inline(), threads(1, { ratio })], waiting), pattern)
    })
  }

  test('of an unfinished interval says that its end is unknown', () => {
    const once = threads(2, { ratio: [1.9, 0, Infinity], windows: 4 })
    assert.match(sentenceFor([inline(), once]), /interval of 0\.00-unknown is too wide/)
  })

  test('names what kept it from telling, and never others that did not run', () => {
    const undecided = [inline(), threads(2, { ratio: [1.25, 0.97, 1.61] })]
    const why = (changes) => sentenceFor(undecided, { courses: [course(changes)] })
    assert.doesNotMatch(why({}), /other programs/)
    assert.match(
      why({ disturbed: 0.4, otherCpus: 0.8 }),
      /other programs used the CPUs in 40 % of the windows \(0\.8 CPUs/,
    )
    assert.match(why({ ended: 'stopped' }), /since the run was ended early/)
    assert.match(why({ aloneBecause: 'EADDRINUSE' }), /cannot live side by side/)
  })

  test('tells of the loop beside the calls, whichever decides', () => {
    const winner = [inline({ loopMs: 26 }), threads(2, { ratio: 1.41, loopMs: 4 })]
    assert.match(
      sentenceFor(winner),
      /1\.41x the calls of inline .*, and the loop is 4 ms late \(p99\) instead of 26 ms\.$/,
    )
    const alike = [inline({ loopMs: 0.6 }), threads(2, { ratio: 1.41, loopMs: 0.4 })]
    assert.match(sentenceFor(alike), /and the loop is 600 µs late \(p99\) either way\.$/)
  })

  test('of a task that blocks the loop says first what frees it', () => {
    const cells = [
      inline({ loopMs: 70 }),
      threads(1, { ratio: 0.82, loopMs: 1.2 }),
      threads(2, { ratio: 1.02, loopMs: 2 }),
    ]
    const [advice] = adviceFor(cells)
    assert.equal(advice.executor, 'inline', 'throughput decides')
    assert.match(
      advice.sentence,
      /^Inline, renderLove makes the loop 70 ms late \(p99\) at 2 CPUs; on 1 thread it is 1\.2 ms, at 0\.82x the calls: .* For throughput keep it inline: 2 threads give 1\.02x/,
    )
  })

  test('of a task that blocks the loop says first what frees it also where calls cannot be told', () => {
    const undecided = { ratio: [1.15, 0.9, 1.5], verdict: 'cannot-tell', loopMs: 2 }
    const [advice] = adviceFor([inline({ loopMs: 70 }), threads(1, undecided)], waiting)
    assert.deepEqual([advice.executor, advice.verdict, advice.isSettled], ['inline', 'cannot-tell', false])
    assert.match(
      advice.sentence,
      /^Inline, renderLove makes the loop 70 ms late \(p99\) at 2 CPUs; on 1 thread it is 2 ms, .* Whether more calls are made there cannot be told yet: 1 thread gives 1\.15x .* --budget \d+\.$/,
    )
  })

  test('is settled once no interval reaches what would be worth it, and before only by a verdict', () => {
    const isSettled = (...cells) => adviceFor([inline(), ...cells])[0].isSettled
    const unsure = (high, facts) => threads(2, { ratio: [0.9, 0.7, high], verdict: 'cannot-tell', ...facts })
    assert.equal(isSettled(threads(2, { ratio: 1.86, verdict: 'faster' })), true)
    assert.equal(isSettled(threads(2, { ratio: 0.5, verdict: 'slower' })), true)
    assert.equal(isSettled(unsure(1.1)), true)
    assert.equal(isSettled(unsure(1.1), unsure(1.15, { size: 3 })), true)
    assert.equal(isSettled(unsure(1.1), unsure(1.3, { size: 3 })), false)
    assert.equal(isSettled(unsure(Infinity)), false)
  })

  test('blames errors when only they speak against the fastest', () => {
    const cells = [inline(), threads(2, { ratio: 9, errorRate: 0.5, firstError: 'x' })]
    assert.match(sentenceFor(cells), /9\.00x .*, but 50 % of its calls threw \(inline 0 %\)/)
  })
})

describe('an unusable machine', () => {
  test('gives no advice but to measure again', () => {
    const noise = noiseFacts({ verdict: 'unusable', reasons: ['The hypervisor took 20 % of the CPUs.'] })
    const [advice] = adviceFor([inline(), threads(2, { ratio: 1.86, verdict: 'cannot-tell' })], { noise })
    assert.deepEqual([advice.executor, advice.verdict], ['inline', 'cannot-tell'])
    assert.equal(
      advice.sentence,
      'Keep renderLove inline at 2 CPUs for now: this machine was too busy to tell anything (the hypervisor took 20 % of the CPUs); measure again while nothing else runs.',
    )
    assert.deepEqual(
      advice.reasons.map(({ id }) => id),
      ['noisy-machine'],
    )
  })
})

describe('inline that failed', () => {
  const broken = inline({ failed: 'Out of memory.', ratio: NaN })

  test('leaves the smallest of what works, and says so', () => {
    const cells = [
      broken,
      threads(4, { perSecond: 500, ratio: NaN }),
      threads(2, { perSecond: 490, ratio: NaN }),
      threads(1, { perSecond: 250, ratio: NaN }),
    ]
    const [advice] = adviceFor(cells)
    assert.deepEqual([advice.executor, advice.size, advice.verdict], ['threads', 2, 'cannot-tell'])
    assert.match(
      advice.sentence,
      /^Run renderLove on 2 threads at 2 CPUs: inline failed \(Out of memory\).*490 calls/,
    )
  })

  test('with everything else leaves nothing to advise', () => {
    const [advice] = adviceFor([broken, threads(1, { failed: 'x' })])
    assert.deepEqual([advice.executor, advice.size, advice.verdict], ['inline', 1, 'cannot-tell'])
    assert.match(advice.sentence, /no executor could be measured \(Out of memory\)/)
  })

  test('respects the budget of the goal responsive', () => {
    const cells = [
      broken,
      threads(2, { perSecond: 500, loopMs: 90 }),
      processes(2, { perSecond: 300, loopMs: 3 }),
    ]
    assert.equal(adviceFor(cells, responsive(20))[0].executor, 'processes')
  })
})

describe('the goal responsive', () => {
  const cases = [
    [
      'one thread where throughput gains nothing',
      [inline({ loopMs: 45 }), threads(1, { ratio: 0.98, loopMs: 2 }), threads(2, { ratio: 1, loopMs: 3 })],
      ['threads', 1, 'same'],
    ],
    [
      'inline within the budget',
      [inline({ loopMs: 3 }), threads(2, { ratio: 1.02, loopMs: 2 })],
      ['inline', 1, 'same'],
    ],
    [
      'speed that is worth it, within the budget',
      [inline({ loopMs: 3 }), threads(1, { loopMs: 2 }), threads(2, { ratio: 1.86, loopMs: 4 })],
      ['threads', 2, 'faster'],
    ],
    [
      'no speed at the price of the budget',
      [inline({ loopMs: 3 }), threads(1, { ratio: 1, loopMs: 2 }), concurrent(8, { ratio: 3, loopMs: 60 })],
      ['inline', 1, 'same'],
    ],
    [
      'a slower pool when only that keeps the budget',
      [inline({ loopMs: 45 }), threads(1, { ratio: 0.6, loopMs: 2 })],
      ['threads', 1, 'slower'],
    ],
    [
      'the smallest of the calmest when none keeps the budget',
      [
        inline({ loopMs: 300 }),
        processes(1, { loopMs: 50 }),
        threads(1, { loopMs: 55 }),
        threads(4, { loopMs: 90 }),
      ],
      ['threads', 1, 'same'],
    ],
    [
      'inline when no executor is calmer',
      [inline({ loopMs: 60 }), threads(1, { ratio: 0.9, loopMs: 58 })],
      ['inline', 1, 'slower'],
    ],
    [
      'throughput when loop delay is unknown everywhere',
      [inline(), threads(2, { ratio: 1.86 })],
      ['threads', 2, 'faster'],
    ],
    [
      'nothing whose delay is unknown',
      [inline({ loopMs: 45 }), threads(1, { ratio: 1 }), processes(1, { ratio: 1, loopMs: 2 })],
      ['processes', 1, 'same'],
    ],
  ]
  for (const [title, cells, expected] of cases) {
    test(`advises ${title}`, () => assert.deepEqual(choiceFor(cells, responsive(20)), expected))
  }

  test('says "for responsiveness, not for speed"', () => {
    const cells = [
      inline({ cpus: 0.6, loopMs: 45 }),
      threads(1, { cpus: 0.6, ratio: [0.98, 0.95, 1.01], loopMs: 2.1 }),
    ]
    assert.equal(
      sentenceFor(cells, responsive(20)),
      'Run renderLove on 1 thread for responsiveness, not for speed: at 0.6 CPU the main loop runs 2.1 ms late (p99, 20 ms allowed), inline 45 ms, at 0.98x the throughput (0.95-1.01).',
    )
  })

  test('says that nothing keeps the budget', () => {
    const cells = [inline({ loopMs: 300 }), threads(1, { loopMs: 55 })]
    assert.match(
      sentenceFor(cells, responsive(20)),
      /^Run renderLove on 1 thread at 2 CPUs: no executor keeps the main loop within 20 ms, and with 55 ms late/,
    )
  })

  test('gives the delay of inline when inline stays', () => {
    const cells = [inline({ loopMs: 3 }), threads(2, { ratio: [1.02, 0.99, 1.04], loopMs: 2 })]
    assert.equal(
      sentenceFor(cells, responsive(20)),
      'Keep renderLove inline at 2 CPUs: the main loop runs 3 ms late (p99, 20 ms allowed), and 2 threads give 1.02x the calls (0.99-1.04), which is no gain; with them the loop is 2 ms late (p99) instead of 3 ms.',
    )
    const alone = [inline({ loopMs: 3 }), threads(1, { loopMs: 99 })]
    assert.match(sentenceFor(alone, responsive(20)), /3 ms late .* and nothing else qualifies\.$/)
  })
})

test('each CPU limit and variant has its own advice, limits ascending', () => {
  const cells = [
    inline({ variant: 'long' }),
    threads(2, { variant: 'long', ratio: 1.86 }),
    inline({ variant: 'short' }),
    threads(2, { variant: 'short', ratio: 0.2 }),
    inline({ variant: 'long', cpus: 0.6 }),
    threads(2, { variant: 'long', cpus: 0.6, ratio: 1 }),
  ]
  const advice = adviceFor(cells, {
    variants: { short: 'renderShort', long: 'renderLong' },
    scout: {},
  })
  assert.deepEqual(
    advice.map(({ cpus, variant, executor }) => `${variant} ${cpus} ${executor}`),
    ['long 0.6 inline', 'long 2 threads', 'short 2 inline'],
  )
  assert.match(advice[2].sentence, /^Keep renderShort inline/)
})

test('the reasons behind the advice know what was chosen', () => {
  const cells = [
    inline({ loopMs: 45 }),
    threads(2, { ratio: 1.86, loopMs: 2 }),
    threads(4, { ratio: 1.88, loopMs: 2 }),
  ]
  const [advice] = adviceFor(cells)
  assert.deepEqual(
    advice.reasons.map(({ id }) => id),
    ['loop-blocked', 'enough-workers'],
  )
})

test('every sentence is a single line that ends with a full stop', () => {
  const messy = 'first line.\nsecond line'
  const runs = [
    [inline({ failed: messy }), threads(1)],
    [inline(), threads(1, { failed: messy })],
    [inline(), threads(2, { ratio: 3, errorRate: 0.2, firstError: messy })],
  ]
  for (const cells of runs) {
    const [{ sentence, reasons }] = adviceFor(cells)
    for (const text of [sentence, ...reasons.map((reason) => reason.sentence)]) {
      assert.match(text, /^[A-Z0-9][^\n]*\.$/)
      assert.doesNotMatch(text, /undefined|NaN|null|\.\./)
    }
  }
})
