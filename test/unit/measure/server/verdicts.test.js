// What a measurement of a server concludes, from trials with exact figures.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adviseServer } from '../../../../build/measure/server/advise-server.js'
import { judgeRows } from '../../../../build/measure/server/judge-rows.js'
import { measured } from '../../../helpers/fake-server-trials.js'

/** The rows of one limit with made-up saturations, each known to 2 %; the machine has 2 CPUs. */
function judged(figures, changes = {}) {
  const base = figures[0].speed
  const rows = figures.map(
    ({
      role = 'other',
      instances = 1,
      speed,
      serverCpus = 1,
      generatorCpu = 0.1,
      limited = null,
      latency = [],
    }) => {
      const value = speed / base
      const ratio = { value, low: value * 0.98, high: value * 1.02 }
      const verdict = ratio.low > 1.05 ? 'faster' : ratio.high < 1 / 1.05 ? 'slower' : 'same'
      const way = role === 'other' ? 'cluster' : 'single'
      return {
        row: {
          name: `${role === 'other' ? 'cluster' : role} ${instances}`,
          way,
          path: '/',
          instances,
          cpus: 2,
          role,
        },
        result: role === 'baseline' ? undefined : { ratio, verdict },
        failure: undefined,
        rates: Array(20).fill(speed),
        saturations: Array.from({ length: 20 }, () => ({
          ...{ throughput: speed, errorRate: 0, firstError: null, timeouts: 0 },
          ...{ generatorCpu, limitedBecause: limited, serverCpus },
        })),
        latency,
        facts: {
          enforcement: { method: 'none', exact: true, note: '' },
          answerBytes: 1,
          startMs: 1,
          connections: 32,
        },
      }
    },
  )
  return judgeRows(rows, { usable: true, available: 2, ...changes })
}

const one = (speed) => ({ role: 'baseline', speed })

describe('a server that computes', () => {
  test('gets one instance for each CPU, and not more', async () => {
    const { result, named } = await measured()
    const [advice] = result.advice
    assert.deepEqual([advice.way, advice.instances, advice.verdict], ['cluster', 2, 'faster'])
    assert.match(advice.sentence, /^Run 2 instances at 2 CPUs: they answer 1\.9\d times \(95 % interval/)
    assert.ok(named('cluster of 1').noGain)
    assert.ok(advice.reasons.some(({ id }) => id === 'too-many-instances'))
  })

  test('keeps one process at 0.6 CPU', async () => {
    const { result } = await measured({}, { cpus: [0.6] })
    assert.deepEqual(result.cells.map(({ name }) => name), ['one process', 'cluster of 1', 'cluster of 2']) // prettier-ignore
    assert.equal(result.advice[0].way, 'single')
    assert.match(result.advice[0].sentence, /^Keep one process at 0\.6 CPUs?: /)
  })

  test('may keep one process where a path gives its work to threads', async () => {
    const { result } = await measured({}, { path: '/main', offloadPath: '/offload' })
    assert.deepEqual([result.advice[0].way, result.advice[0].path], ['single', '/offload'])
    assert.match(
      result.advice[0].sentence,
      /do the work on threads: \/offload answers .* on \/main; at 140 requests\/s 99 of 100 answers come within [\d.]+ ms instead of [\d.]+ ms\./,
    )
  })

  test('gets shorter times at equal rates on two instances', async () => {
    const { named, asked } = await measured()
    const { latency, latencyVerdict, latencyRatio } = named('cluster of 2')
    assert.deepEqual(latency.map(({ share }) => share), [0.5, 0.7, 0.9]) // prettier-ignore
    assert.equal(latencyVerdict, 'faster')
    assert.ok(latencyRatio.low > 1)
    const rates = new Set(asked.flatMap(({ kind, rate }) => (kind === 'latency' ? [rate] : [])))
    assert.equal(rates.size, 3, 'every row gets the same')
  })
})

describe('a server that waits', () => {
  test('gains nothing from more instances, in requests or in latency', async () => {
    const { result, named } = await measured({ cpuMs: 0.1, waitMs: 20 })
    assert.ok(named('cluster of 2').noGain)
    assert.equal(named('cluster of 2').latencyVerdict, 'same')
    assert.equal(result.advice[0].way, 'single')
    assert.match(result.advice[0].sentence, /^Keep one process at 2 CPUs: /)
  })
})

describe('there is no verdict', () => {
  test('where the load generator was the bottleneck, and it says so', async () => {
    const { result, named } = await measured({ limitedBecause: () => 'it used 95 % of one core' })
    assert.equal(named('cluster of 2').verdict, 'cannot-tell')
    assert.equal(result.advice[0].verdict, 'cannot-tell')
    assert.match(result.advice[0].sentence, /^Cannot tell at 2 CPUs: the load generator was the bottleneck/)
    assert.ok(result.advice[0].reasons.some(({ id }) => id === 'generator-limited'))
  })

  test('for a row alone where it was the bottleneck only there', async () => {
    const limitedBecause = ({ instances }) => (instances === 2 ? 'it used 95 % of one core' : null)
    const { named } = await measured({ limitedBecause })
    assert.equal(named('cluster of 2').verdict, 'cannot-tell')
    assert.ok(named('cluster of 1').noGain)
  })

  test('on a machine that is unusable', async () => {
    const { result } = await measured({}, {}, { verdict: 'unusable', reasons: ['Busy.'] })
    assert.ok(result.cells.slice(1).every(({ verdict }) => verdict === 'cannot-tell'))
  })

  test('of a row without a figure, nor a reason that rests on it', () => {
    for (const speed of [NaN, Infinity]) {
      const cells = judged([one(100), { instances: 2, speed: 180 }, { instances: 4, speed }])
      const [advice] = adviseServer({ cells, noise: { verdict: 'quiet', reasons: [] }, worth: 1.2 })
      assert.ok(!advice.reasons.some(({ id }) => id === 'too-many-instances'))
      assert.doesNotMatch(JSON.stringify(advice), /NaN|Infinity/)
    }
  })

  test('from two rounds', async () => {
    const { result } = await measured({}, { rounds: 2 })
    assert.equal(result.advice[0].verdict, 'cannot-tell')
  })
})

describe('where server and generator used all CPUs together', () => {
  const squeezed = { instances: 2, serverCpus: 1.7, generatorCpu: 0.3 }

  test('faster holds, as a lower bound', () => {
    const [, cluster] = judged([one(100), { ...squeezed, speed: 160 }])
    assert.deepEqual([cluster.verdict, cluster.isAtLeast], ['faster', true])
  })

  test('slower and same do not hold', () => {
    for (const speed of [70, 100]) {
      const [, cluster] = judged([one(100), { ...squeezed, speed }])
      assert.deepEqual([cluster.verdict, cluster.isAtLeast], ['cannot-tell', true])
    }
  })

  test('nothing holds when it was so for the baseline', () => {
    const [, cluster] = judged([
      { ...one(100), serverCpus: 1.8, generatorCpu: 0.2 },
      { ...squeezed, speed: 160 },
    ])
    assert.equal(cluster.verdict, 'cannot-tell')
  })

  test('a limit that leaves the generator its room is no such case', () => {
    const [, cluster] = judged([one(100), { ...squeezed, speed: 160 }], { available: 4 })
    assert.deepEqual([cluster.verdict, cluster.isAtLeast], ['faster', false])
  })
})

describe('latency at equal rates', () => {
  const at = (p99, errorRate = 0) =>
    [1, 1.001, 0.999, 1.002, 0.998, 1].map((drift) => ({
      ...{
        share: 0.7,
        rate: 70,
        isCompared: true,
        p50: 1,
        p99: p99 * drift,
        errorRate,
        timeouts: 0,
        limitedBecause: null,
      },
    }))
  const timed = (changes = {}) => [{ ...one(100), latency: at(20), ...changes }]

  test('is told', () => {
    const [, cluster] = judged([...timed(), { instances: 2, speed: 160, latency: at(5) }])
    assert.equal(cluster.latencyVerdict, 'faster')
  })

  test('is not that of requests that failed', () => {
    const [, cluster] = judged([...timed(), { instances: 2, speed: 160, latency: at(5, 0.4) }])
    assert.deepEqual([cluster.latencyVerdict, cluster.latencyRatio], ['cannot-tell', null])
    const [, other] = judged([...timed({ latency: at(5, 0.4) }), { instances: 2, speed: 160, latency: at(20) }]) // prettier-ignore
    assert.equal(other.latencyVerdict, 'cannot-tell')
  })

  test('is not told where one process could answer more, of which the rates are shares', () => {
    for (const changes of [{ limited: 'it was slow' }, { serverCpus: 1.8, generatorCpu: 0.2 }]) {
      const cells = judged([...timed(changes), { instances: 2, speed: 160, latency: at(5) }])
      assert.equal(cells[1].latencyVerdict, 'cannot-tell')
      const [{ reasons }] = adviseServer({ cells, noise: { verdict: 'quiet', reasons: [] }, worth: 1.2 })
      assert.ok(reasons.every(({ id }) => id !== 'latency'))
    }
  })
})

describe('the advice is settled, and can be saved,', () => {
  const settled = async (...args) => (await measured(...args)).result.advice[0].isSettled

  test('when something is worth having, and when nothing is', async () => {
    assert.equal(await settled(), true)
    assert.equal(await settled({ cpuMs: 0.1, waitMs: 20 }), true)
  })

  test('also where a small difference cannot be told, since it would not be worth it', async () => {
    const { result, named } = await measured({ price: 0.05, noise: 0.1 }, { instances: [1] })
    assert.ok(named('cluster of 1').noGain)
    assert.equal(result.advice[0].isSettled, true)
    assert.match(result.advice[0].sentence, /^Keep one process at 2 CPUs: cluster of 1 answers 0\.9/)
  })

  test('but not where something failed, was limited, or was measured too rarely', async () => {
    const limitedBecause = ({ instances }) => (instances === 2 ? 'it was slow' : null)
    assert.equal(await settled({ cpuMs: 0.1, waitMs: 20, limitedBecause }), false)
    assert.equal(await settled({ cpuMs: 0.1, waitMs: 20 }, { rounds: 2 }), false)
    assert.equal(await settled({}, {}, { verdict: 'unusable', reasons: ['Busy.'] }), false)
  })
})

describe('advice to run more than one is settled', () => {
  const noise = { verdict: 'quiet', reasons: [] }
  const limited = 'it used 90 % of one core'
  const advised = (figures, changes) =>
    adviseServer({ cells: judged(figures, changes), noise, worth: 1.2 })[0]
  const two = { instances: 2, speed: 190, serverCpus: 2 }

  test('but not where the load generator was the bottleneck for another row, since that might be better', () => {
    const rows = [one(100), two, { instances: 3, speed: 240, limited }, { instances: 4, speed: 185, limited }] // prettier-ignore
    const { instances, isSettled, sentence } = advised(rows, { available: 8 })
    assert.deepEqual([instances, isSettled], [2, false])
    assert.match(sentence, /\. Whether cluster 3 or cluster 4 would be better cannot be told\.$/)
  })

  test('but not where a row is only known to be faster at least', () => {
    const rows = [one(100), { ...two, serverCpus: 1.5 }, { instances: 3, speed: 170, serverCpus: 1.9 }]
    assert.equal(advised(rows).isSettled, false)
  })

  test('where the generator held back both alike, and the other is not better by the band', () => {
    const rows = [one(100), { ...two, serverCpus: 1.9 }, { instances: 3, speed: 192, serverCpus: 1.9 }]
    assert.deepEqual([advised(rows).instances, advised(rows).isSettled], [2, true])
    rows.push({ instances: 4, speed: 240, serverCpus: 1.9 })
    assert.deepEqual([advised(rows).instances, advised(rows).isSettled], [4, true])
  })

  test('but not where one with fewer processes, or a much better one, may lie within its interval', () => {
    const cells = judged([one(100), { instances: 2, speed: 150 }, { instances: 3, speed: 160 }, { instances: 4, speed: 150 }], { available: 8 }) // prettier-ignore
    const [first, smaller, chosen, larger] = cells.map((cell) => ({ ...cell, band: 0.02 }))
    const settledWith = (...open) => adviseServer({ cells: [first, ...open], noise, worth: 1.2 })[0].isSettled
    const unsure = (cell, high) => ({ ...cell, verdict: 'cannot-tell', ratio: { ...cell.ratio, high } })
    assert.equal(settledWith(smaller, chosen, larger), true)
    assert.equal(settledWith(unsure(smaller, 1.5), chosen, larger), true)
    assert.equal(settledWith(unsure(smaller, 1.59), chosen, larger), false)
    assert.equal(settledWith(smaller, chosen, unsure(larger, 1.62)), true)
    assert.equal(settledWith(smaller, chosen, unsure(larger, 1.7)), false)
    assert.equal(settledWith(smaller, chosen, unsure(larger, Infinity)), false)
  })
})

test('a rate that is asked for is the only one, and the one that rows are compared at; words for the server reach it', async () => {
  const { result, asked } = await measured({}, { rate: 120, args: ['--config', 'a b'] })
  const due = asked.filter(({ kind }) => kind === 'latency')
  assert.ok(due.length >= 12 && due.every(({ rate, isCompared }) => rate === 120 && isCompared))
  assert.ok(asked.every(({ args }) => args.join() === '--config,a b'))
  assert.deepEqual(result.server.args, ['--config', 'a b'])
  const timed = result.cells.filter(({ latency }) => latency.length > 0)
  assert.equal(timed.length, 3)
  for (const { latency } of timed) {
    assert.deepEqual(latency.map(({ share, rate }) => [share, rate]), [[0.6, 120]]) // prettier-ignore
  }
  const { sentence } = result.advice[0].reasons.find(({ id }) => id === 'latency')
  assert.match(sentence, /^At 120 requests\/s \(60 % of what one process can\)/)
})

describe('failures', () => {
  test('of the server itself end the run before anything is compared', async () => {
    const failureOf = () => 'it ended with exit code 1: Error: no database'
    await assert.rejects(measured({ failureOf }), (error) => {
      assert.equal(error.code, 'TW_ERR_INSTANCE_FAILED')
      assert.match(error.message, /no database\. Nothing was measured\./)
      return true
    })
  })

  test('of one row are told, and the others are measured', async () => {
    const failureOf = ({ way, instances }) =>
      way === 'cluster' && instances === 3 ? 'it has no memory' : null
    const { result, named, stillOpen } = await measured({ failureOf })
    assert.equal(named('cluster of 3').failed, 'it has no memory')
    assert.equal(named('cluster of 2').verdict, 'faster')
    assert.ok(result.advice[0].reasons.some(({ id }) => id === 'failed-rows'))
    assert.equal(stillOpen(), 0)
  })

  test('a row whose requests fail measures something else', async () => {
    const errorRate = ({ instances }) => (instances === 2 ? 0.2 : 0)
    const { named } = await measured({ errorRate })
    assert.match(named('cluster of 2').failed, /20 % of its requests failed: status 500/)
  })

  test('a limit that is not there is skipped with its reason', async () => {
    const { result } = await measured({ cpus: 2 }, { cpus: [1, 2.5] })
    assert.deepEqual(result.skipped.map(({ cpus }) => cpus), [2.5]) // prettier-ignore
    assert.deepEqual([...new Set(result.cells.map(({ cpus }) => cpus))], [1])
  })
})

describe('the course', () => {
  test('is windows of all rows in turn, one process beside each, and then the same rates for the best', async () => {
    const { asked, stillOpen } = await measured()
    const kinds = asked.map(({ kind }) => kind)
    assert.deepEqual(kinds, [...kinds].sort().reverse(), 'saturation before latency')
    const windows = asked.filter(({ leadMs }) => leadMs > 0).map(({ row }) => row.name)
    const others = windows.slice(0, 6).filter((name) => name !== 'one process')
    assert.deepEqual([...others].sort(), ['cluster of 1', 'cluster of 2', 'cluster of 3'])
    assert.equal(new Set(asked.filter(({ kind }) => kind === 'latency').map(({ row }) => row.name)).size, 3)
    assert.equal(stillOpen(), 0)
  })

  test('ends as soon as it is decided, and within the budget', async () => {
    const early = await measured({}, { budget: 300 })
    assert.ok(early.clock.ms < 120_000, `${early.clock.ms} ms`)
    const late = await measured({ price: -0.2, noise: 1 }, { budget: 30 })
    assert.ok(late.clock.ms < 33_000, `${late.clock.ms} ms`)
  })

  test('ends early when it is aborted, and the result says so', async () => {
    const stop = new AbortController()
    const onAsk = (_, count) => count === 40 && stop.abort(new Error('enough'))
    const { result, stillOpen } = await measured({ onAsk }, { signal: stop.signal })
    assert.equal(result.complete, false)
    assert.ok(result.cells.every(({ windows }) => windows >= 3))
    assert.equal(stillOpen(), 0)
  })

  test('rejects when it is aborted before anything is known', async () => {
    const signal = AbortSignal.abort(new Error('no'))
    await assert.rejects(measured({}, { signal }), /no/)
  })
})
