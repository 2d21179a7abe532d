import { describe, test } from 'node:test'
import assert from 'node:assert/strict'
import {
  bandOf,
  bullmq,
  concurrent,
  course,
  inline,
  noiseFacts,
  processes,
  scout,
  settings,
  threads,
} from '../cells.js'
import { findReasons } from '../../../../build/measure/findings/all-findings.js'

/** The reason that a rule finds in these facts, or undefined. */
function find(id, { cells, ...changes }) {
  const context = {
    task: 'renderLove',
    cpus: cells[0].cpus,
    cells,
    scout: scout(),
    settings: settings(),
    noise: noiseFacts(),
    band: bandOf(),
    course: course(),
    chosen: null,
    ...changes,
  }
  return findReasons(context).find((reason) => reason.id === id)
}

describe('wait-bound', () => {
  const waiting = scout({ callUs: 12_000, cpuUs: 1200 })
  const cells = [inline(), concurrent(8, { ratio: 6.1 }), threads(2, { ratio: 1.9 })]

  test('a call that mostly waits is for concurrent', () => {
    const reason = find('wait-bound', { cells, scout: waiting })
    assert.match(reason.sentence, /waits for 90 % of its 12 ms/)
    assert.match(reason.sentence, /8 calls at once \(concurrent\) reach 6.10x inline/)
    assert.equal(reason.evidence.cpuShare, 0.1)
  })

  test('a call that computes is not', () => {
    assert.equal(find('wait-bound', { cells, scout: scout({ callUs: 12_000, cpuUs: 4000 }) }), undefined)
  })

  test('the share alone is silent where a pool beats concurrent', () => {
    const other = [inline(), concurrent(8, { ratio: 1.5 }), threads(2, { ratio: 1.9 })]
    assert.equal(find('wait-bound', { cells: other, scout: waiting }), undefined)
  })
})

describe('uv-pool', () => {
  const reading = scout({ callUs: 10_000, cpuUs: 1000, uvWork: ['FSREQPROMISE'] })
  const plain = concurrent(16, { ratio: 3.8, inFlight: 16 })

  test('a measured gain is told', () => {
    const cells = [inline(), plain, concurrent(16, { uv: 16, ratio: 7.6, inFlight: 16 })]
    const reason = find('uv-pool', { cells, scout: reading })
    assert.match(
      reason.sentence,
      /FSREQPROMISE.*16 calls at once \(concurrent\) with UV_THREADPOOL_SIZE=16 give 2\.00x/,
    )
  })

  test('a measured pool without gain silences the guess', () => {
    const cells = [inline(), plain, concurrent(16, { uv: 16, ratio: 3.85 })]
    assert.equal(find('uv-pool', { cells, scout: reading }), undefined)
  })

  test('unmeasured, it takes libuv work, waiting and more calls than threads together', () => {
    const cells = [inline(), plain]
    assert.match(find('uv-pool', { cells, scout: reading }).sentence, /runs 4 of its 16 calls at once/)
    assert.equal(find('uv-pool', { cells, scout: scout({ callUs: 10_000, cpuUs: 1000 }) }), undefined)
    assert.equal(find('uv-pool', { cells, scout: { ...reading, cpuShare: 0.9 } }), undefined)
    assert.equal(find('uv-pool', { cells: [inline(), concurrent(4)], scout: reading }), undefined)
  })
})

describe('task-too-small', () => {
  const tiny = scout({ callUs: 2 })
  const main = inline({ cpuSeconds: 2e-6 })
  const pool = threads(1, { ratio: 0.2, cpuSeconds: 9e-6, mainCpuSeconds: 4e-6 })

  test('a slower pool and a call shorter than ten times its price', () => {
    const reason = find('task-too-small', { cells: [main, pool], scout: tiny })
    assert.match(reason.sentence, /renderLove takes 2 µs.*costs 7 µs of CPU: 1 thread gives 0\.20x/)
    assert.equal(Math.round(reason.evidence.priceUs), 7)
  })

  test('a pool that racing dropped before it had a verdict counts', () => {
    const dropped = { ...pool, rounds: 3, verdict: 'cannot-tell' }
    assert.notEqual(find('task-too-small', { cells: [main, dropped], scout: tiny }), undefined)
  })

  test('the price is at least what the main thread pays', () => {
    const cheap = { ...pool, cpuSecondsPerTask: 1e-6 }
    assert.equal(
      Math.round(find('task-too-small', { cells: [main, cheap], scout: tiny }).evidence.priceUs),
      4,
    )
  })

  test('a long call, a pool that is not slower, and a large payload have other reasons', () => {
    assert.equal(find('task-too-small', { cells: [main, pool], scout: scout({ callUs: 100 }) }), undefined)
    const fair = { ...pool, ratio: { value: 0.98, low: 0.93, high: 1.03 } }
    assert.equal(find('task-too-small', { cells: [main, fair], scout: tiny }), undefined)
    const faster = threads(2, { ratio: 1.5, cpuSeconds: 9e-6, mainCpuSeconds: 4e-6 })
    assert.equal(find('task-too-small', { cells: [main, pool, faster], scout: tiny }), undefined)
    assert.equal(
      find('task-too-small', { cells: [main, pool], scout: { ...tiny, argumentBytes: 1e6 } }),
      undefined,
    )
  })

  test('without CPU times nothing is said', () => {
    const unknown = { ...pool, cpuSecondsPerTask: null }
    assert.equal(find('task-too-small', { cells: [main, unknown], scout: tiny }), undefined)
  })
})

describe('copy-bound', () => {
  const big = scout({ callUs: 22_000, argumentBytes: 16 * 1024 ** 2, resultBytes: 0 })
  const cells = [inline(), threads(2, { ratio: 0.8, mainCpuSeconds: 0.0165 })]

  test('a main thread that copies for half the call or more', () => {
    const reason = find('copy-bound', { cells, scout: big })
    assert.match(
      reason.sentence,
      /Copying 16 MiB per call.*busy for 17 ms with 2 threads.*inline takes 22 ms/,
    )
  })

  test('either indicator alone is silent', () => {
    assert.equal(find('copy-bound', { cells, scout: { ...big, argumentBytes: 500 } }), undefined)
    const quick = [inline(), threads(2, { mainCpuSeconds: 0.005 })]
    assert.equal(find('copy-bound', { cells: quick, scout: big }), undefined)
  })

  test('a pool that avoids the copy speaks against it', () => {
    const shared = [...cells, processes(1, { mainCpuSeconds: 0.001 })]
    assert.equal(find('copy-bound', { cells: shared, scout: big }), undefined)
  })

  test('what cannot be cloned has no size', () => {
    assert.equal(find('copy-bound', { cells, scout: { ...big, argumentBytes: null } }), undefined)
  })
})

describe('quota-below-one', () => {
  const cells = [
    inline({ cpus: 0.6, throttled: 40 }),
    threads(1, { cpus: 0.6, throttled: 40, ratio: 0.99 }),
    threads(2, { cpus: 0.6, throttled: 70, ratio: 1.01 }),
  ]

  test('no second CPU, only stalls', () => {
    const reason = find('quota-below-one', { cells })
    assert.equal(
      reason.sentence,
      'Under a limit of 0.6 CPU threads add no CPU: 2 threads give 1.01x, and the quota freezes 2 threads for 70 % of the time (inline 40 %).',
    )
  })

  test('a whole CPU without a quota has no stalls to cite', () => {
    const taskset = [inline({ cpus: 1 }), threads(1, { cpus: 1, ratio: 0.97 })]
    assert.equal(
      find('quota-below-one', { cells: taskset }).sentence,
      'Under a limit of 1 CPU threads add no CPU: 1 thread gives 0.97x.',
    )
  })

  test('silent above one CPU, and where a pool was faster all the same', () => {
    assert.equal(find('quota-below-one', { cells: [inline(), threads(2)] }), undefined)
    assert.equal(
      find('quota-below-one', { cells: [...cells, threads(4, { cpus: 0.6, ratio: 1.4 })] }),
      undefined,
    )
  })
})

describe('quota-stall', () => {
  const stalled = threads(2, { cpus: 0.6, throttled: 70, loopMs: 62 })

  test('a frozen program with a late loop, as a warning when it is the one advised', () => {
    const cells = [inline({ cpus: 0.6, throttled: 40, loopMs: 5 }), stalled]
    const reason = find('quota-stall', { cells })
    assert.equal(reason.level, 'hint')
    assert.match(reason.sentence, /quota of 0.6 CPU freezes 2 threads for 70 %.* 62 ms late/)
    assert.equal(find('quota-stall', { cells, chosen: stalled }).level, 'warning')
  })

  test('either indicator alone is silent', () => {
    assert.equal(find('quota-stall', { cells: [{ ...stalled, throttled: 10 }] }), undefined)
    assert.equal(find('quota-stall', { cells: [{ ...stalled, loopDelay: { p50: 1, p99: 3 } }] }), undefined)
  })
})

describe('main-thread-full', () => {
  const one = threads(1, { perSecond: 900, mainCpuSeconds: 0.001 })
  const two = threads(2, { perSecond: 930, mainCpuSeconds: 0.001 })

  test('a main thread without time, and no gain from more workers', () => {
    const reason = find('main-thread-full', { cells: [inline(), one, two] })
    assert.match(reason.sentence, /93 % busy.*2 threads are no faster than 1 thread: run more copies/)
  })

  test('either indicator alone is silent', () => {
    assert.equal(find('main-thread-full', { cells: [inline(), two] }), undefined, 'only one size')
    const growing = [inline(), { ...one, throughput: { median: 500 } }, two]
    assert.equal(find('main-thread-full', { cells: growing }), undefined, 'throughput grows')
    const idle = [one, two].map((cell) => ({ ...cell, mainCpuSecondsPerTask: 0.0001 }))
    assert.equal(find('main-thread-full', { cells: [inline(), ...idle] }), undefined, 'time left')
  })
})

describe('loop-blocked', () => {
  const cells = [inline({ loopMs: 45 }), threads(1, { ratio: 0.98, loopMs: 2 }), threads(2, { loopMs: 3 })]

  test('the smallest pool that frees the loop is named', () => {
    const reason = find('loop-blocked', { cells })
    assert.match(
      reason.sentence,
      /45 ms late \(p99\); with 1 thread it is 2 ms, at 0\.98x the throughput: worth it for responsiveness/,
    )
  })

  test('a pool that is faster too is not called slow', () => {
    const faster = [inline({ loopMs: 45 }), threads(2, { ratio: 1.86, loopMs: 2 })]
    assert.match(find('loop-blocked', { cells: faster }).sentence, /it is 2 ms, at 1\.86x the throughput\.$/)
  })

  test('a stricter goal replaces the threshold', () => {
    const calm = [inline({ loopMs: 12 }), threads(1, { loopMs: 2 })]
    assert.equal(find('loop-blocked', { cells: calm }), undefined)
    const goal = { kind: 'responsive', loopDelayMs: 5 }
    assert.notEqual(find('loop-blocked', { cells: calm, settings: settings({ goal }) }), undefined)
  })

  test('silent when the calls are far too short to block it: the machine was busy', () => {
    const short = inline({ loopMs: 108, latency: { p50: 0.0002, p99: 0.004, count: 2000 } })
    assert.equal(find('loop-blocked', { cells: [short, threads(2, { ratio: 0.25, loopMs: 2 })] }), undefined)
  })

  test('silent when no pool was measured to free it, or the delay is unknown', () => {
    assert.equal(
      find('loop-blocked', { cells: [inline({ loopMs: 45 }), threads(1, { loopMs: 40 })] }),
      undefined,
    )
    assert.equal(find('loop-blocked', { cells: [inline({ loopMs: 45 }), threads(1)] }), undefined)
    assert.equal(find('loop-blocked', { cells: [inline(), threads(1, { loopMs: 1 })] }), undefined)
  })
})

describe('no-difference', () => {
  test('the nearest cell is the same', () => {
    const cells = [inline(), threads(1, { ratio: 0.7 }), threads(2, { ratio: [1.01, 0.98, 1.04] })]
    assert.match(
      find('no-difference', { cells }).sentence,
      /2 threads give 1\.01x .*0\.98-1\.04.* within the 5 %/,
    )
  })

  test('silent when the nearest is anything else', () => {
    assert.equal(
      find('no-difference', { cells: [inline(), threads(1), threads(2, { ratio: 1.5 })] }),
      undefined,
    )
    assert.equal(find('no-difference', { cells: [inline()] }), undefined)
  })
})

describe('enough-workers', () => {
  const chosen = threads(2, { ratio: 1.86, memoryBytes: 12 * 1024 ** 2 })

  test('more workers within the band cost memory for nothing', () => {
    const cells = [inline(), chosen, threads(4, { ratio: 1.9, memoryBytes: 12 * 1024 ** 2 })]
    assert.equal(
      find('enough-workers', { cells, chosen }).sentence,
      'Beyond 2 threads nothing is gained: 4 threads reach 1.90x against 1.86x, within the 5 % that count as no difference, and staying smaller saves 24 MiB.',
    )
  })

  test('silent when more workers help, none were measured, or inline is chosen', () => {
    const more = [inline(), chosen, threads(4, { ratio: 3 })]
    assert.equal(find('enough-workers', { cells: more, chosen }), undefined)
    assert.equal(find('enough-workers', { cells: [inline(), chosen], chosen }), undefined)
    assert.equal(find('enough-workers', { cells: more, chosen: more[0] }), undefined)
  })
})

describe('through-queue', () => {
  const pools = [inline({ perSecond: 100 }), threads(2, { ratio: 1.9, perSecond: 190 })]

  test('short jobs stay on one machine, and it is told how many would do the same', () => {
    const cells = [...pools, bullmq(2, { ratio: 0.6, perSecond: 60, mainCpuSeconds: 0.002 })]
    const { sentence, evidence } = find('through-queue', { cells })
    assert.match(sentence, /^Stay on one machine with renderLove: at 2 CPUs 2 workers of a queue \(bullmq\) give 0\.32x the calls of 2 threads/) // prettier-ignore
    assert.match(
      sentence,
      /takes 4 such machines.* A job takes 2 ms of the threads .*, and 10 ms of a worker\./,
    )
    assert.equal(evidence.machines, 4)
  })

  test('for long jobs it costs little', () => {
    const cells = [...pools, bullmq(2, { ratio: 1.8, perSecond: 180 })]
    assert.match(find('through-queue', { cells }).sentence, /loses little: .* 0\.95x the calls of 2 threads/)
  })

  test('without a measured queue nothing is said', () => {
    assert.equal(find('through-queue', { cells: pools }), undefined)
    const failed = bullmq(2, { failed: 'no store' })
    assert.equal(find('through-queue', { cells: [...pools, failed] }), undefined)
  })
})

describe('at-rate', () => {
  const due = (changes) => ({ atRate: { rate: 80, isKept: true, p50: 12, p99: 30, ...changes } })

  test('how long callers wait is told of inline and of what is advised', () => {
    const chosen = threads(2, { ratio: 1.9, ...due({ p50: 11, p99: 14 }) })
    const reason = find('at-rate', { cells: [inline(due()), chosen], chosen })
    assert.equal(
      reason.sentence,
      'When 80 calls are due each second, inline half of the callers wait at most 12 ms, 99 of 100 at most 30 ms, and with 2 threads half of the callers wait at most 11 ms, 99 of 100 at most 14 ms.',
    )
    assert.deepEqual(reason.evidence, { rate: 80, inlineP99Ms: 30, p99Ms: 14 })
  })

  test('a rate that inline does not keep has no times', () => {
    const cells = [inline(due({ isKept: false })), threads(2, { ratio: 1.9, ...due() })]
    const { sentence, evidence } = find('at-rate', { cells })
    assert.match(sentence, /inline callers wait longer and longer: so many cannot be done/)
    assert.deepEqual(evidence, { rate: 80, p99Ms: 30 })
  })

  test('without a rate it is silent', () => {
    assert.equal(find('at-rate', { cells: [inline(), threads(2, { ratio: 1.9 })] }), undefined)
  })
})
