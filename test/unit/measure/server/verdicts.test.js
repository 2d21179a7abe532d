// What a measurement of a server concludes, from trials with exact figures.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'node:test'
import { adviseServer } from '../../../../build/measure/server/advise-server.js'
import { judgeRows } from '../../../../build/measure/server/judge-rows.js'
import { measureServer } from '../../../../build/measure/server/measure-server.js'
import { createRandom } from '../../../../build/measure/stats/random.js'
import { fakeMachine } from '../../../helpers/fake-trials.js'
import { fakeServerTrials } from '../../../helpers/fake-server-trials.js'

const file = fileURLToPath(new URL('../../../fixtures/servers/measured/computing.js', import.meta.url))

async function measured(server = {}, options = {}, machine = {}) {
  const { runTrial, requests } = fakeServerTrials(server)
  const surroundings = { runTrial, startMachineCheck: fakeMachine(machine), available: () => 8 }
  const result = await measureServer(file, { seed: 1, cpus: [2], quick: true, ...options }, surroundings)
  const named = (name) => result.cells.find((cell) => cell.name === name)
  return { result, requests, named }
}

/** The rows of one limit with made-up saturations; the machine has 2 CPUs. */
function judged(figures, changes = {}) {
  const records = figures.map(
    ({
      role = 'other',
      instances = 1,
      speed,
      serverCpus = 1,
      generatorCpu = 0.1,
      limited = null,
      latency = [],
    }) => ({
      // prettier-ignore
      row: { name: `${role === 'other' ? 'cluster' : role} ${instances}`, way: role === 'other' ? 'cluster' : 'single', path: '/', instances, cpus: 2, role }, // prettier-ignore
      saturation: [1, 1.001, 0.999, 1.002, 0.998, 1].map((drift) => ({
        ...{ kind: 'saturation', throughput: speed * drift, errorRate: 0, firstError: null, timeouts: 0 },
        ...{ generatorCpu, limitedBecause: limited, serverCpus, answerBytes: 1, startMs: 1 },
      })),
      ...{ latency, enforcement: undefined, unavailable: undefined },
    }),
  )
  return judgeRows(records, { rounds: 6, usable: true, available: 2, ...changes }, createRandom(1))
}

const both = (speed) => [{ role: 'baseline', speed }, { role: 'again', speed }] // prettier-ignore

describe('a server that computes', () => {
  test('gets one instance for each CPU, and not more', async () => {
    const { result, named } = await measured()
    const [advice] = result.advice
    assert.deepEqual([advice.way, advice.instances, advice.verdict], ['cluster', 2, 'faster'])
    assert.match(advice.sentence, /^Run 2 instances at 2 CPUs: they answer 1\.9\d times \(95 % interval/)
    assert.equal(named('cluster of 1').verdict, 'same')
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
    assert.match(result.advice[0].sentence, /do the work on threads: \/offload answers .* on \/main\./)
  })

  test('gets shorter times at equal rates on two instances', async () => {
    const { named, requests } = await measured()
    const { latency, latencyVerdict, latencyRatio } = named('cluster of 2')
    assert.deepEqual(latency.map(({ share }) => share), [0.5, 0.7, 0.9]) // prettier-ignore
    assert.equal(latencyVerdict, 'faster')
    assert.ok(latencyRatio.low > 1)
    const rates = new Set(requests.flatMap((request) => request.rates.map(({ rate }) => rate)))
    assert.equal(rates.size, 3, 'every row gets the same')
  })
})

describe('a server that waits', () => {
  test('gains nothing from more instances, in requests or in latency', async () => {
    const { result, named } = await measured({ cpuMs: 0.1, waitMs: 20 })
    assert.equal(named('cluster of 2').verdict, 'same')
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
    assert.notEqual(named('cluster of 1').verdict, 'cannot-tell')
  })

  test('on a machine that is unusable', async () => {
    const { result } = await measured({}, {}, { verdict: 'unusable', reasons: ['Busy.'] })
    assert.ok(result.cells.slice(1).every(({ verdict }) => verdict === 'cannot-tell'))
  })

  test('from five rounds', async () => {
    const { result } = await measured({}, { rounds: 5 })
    assert.equal(result.advice[0].verdict, 'cannot-tell')
  })
})

describe('where server and generator used all CPUs together', () => {
  const squeezed = { instances: 2, serverCpus: 1.7, generatorCpu: 0.3 }

  test('faster holds, as a lower bound', () => {
    const [, cluster] = judged([...both(100), { ...squeezed, speed: 160 }])
    assert.deepEqual([cluster.verdict, cluster.isAtLeast], ['faster', true])
  })

  test('slower and same do not hold', () => {
    for (const speed of [70, 100]) {
      const [, cluster] = judged([...both(100), { ...squeezed, speed }])
      assert.deepEqual([cluster.verdict, cluster.isAtLeast], ['cannot-tell', true])
    }
  })

  test('nothing holds when it was so for the baseline', () => {
    const [one, again] = both(100)
    const [, cluster] = judged([{ ...one, serverCpus: 1.8, generatorCpu: 0.2 }, again, { ...squeezed, speed: 160 }]) // prettier-ignore
    assert.equal(cluster.verdict, 'cannot-tell')
  })

  test('a limit that leaves the generator its room is no such case', () => {
    const [, cluster] = judged([...both(100), { ...squeezed, speed: 160 }], { available: 4 })
    assert.deepEqual([cluster.verdict, cluster.isAtLeast], ['faster', false])
  })
})

describe('latency at equal rates', () => {
  const at = (p99, errorRate = 0) =>
    [1, 1.001, 0.999, 1.002, 0.998, 1].map((drift) => ({
      kind: 'latency',
      runs: [{ share: 0.7, rate: 70, p50: 1, p99: p99 * drift, errorRate, timeouts: 0, limitedBecause: null }], // prettier-ignore
    }))
  const timed = (changes = {}) => both(100).map((row) => ({ ...row, latency: at(20), ...changes }))

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
    assert.equal(named('cluster of 1').verdict, 'cannot-tell')
    assert.equal(result.advice[0].isSettled, true)
    assert.match(result.advice[0].sentence, /^Keep one process at 2 CPUs: cluster of 1 answers 0\.9/)
  })

  test('but not where something failed, was limited, or was measured too rarely', async () => {
    const limitedBecause = ({ instances }) => (instances === 2 ? 'it was slow' : null)
    assert.equal(await settled({ cpuMs: 0.1, waitMs: 20, limitedBecause }), false)
    assert.equal(await settled({ cpuMs: 0.1, waitMs: 20 }, { rounds: 5 }), false)
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
    const rows = [...both(100), two, { instances: 3, speed: 240, limited }, { instances: 4, speed: 185, limited }] // prettier-ignore
    const { instances, isSettled, sentence } = advised(rows, { available: 8 })
    assert.deepEqual([instances, isSettled], [2, false])
    assert.match(sentence, /\. Whether cluster 3 or cluster 4 would be better cannot be told\.$/)
  })

  test('but not where a row is only known to be faster at least', () => {
    const rows = [...both(100), { ...two, serverCpus: 1.5 }, { instances: 3, speed: 170, serverCpus: 1.9 }]
    assert.equal(advised(rows).isSettled, false)
  })

  test('where the generator held back both alike, and the other is not better by the band', () => {
    const rows = [...both(100), { ...two, serverCpus: 1.9 }, { instances: 3, speed: 192, serverCpus: 1.9 }]
    assert.deepEqual([advised(rows).instances, advised(rows).isSettled], [2, true])
    rows.push({ instances: 4, speed: 240, serverCpus: 1.9 })
    assert.deepEqual([advised(rows).instances, advised(rows).isSettled], [4, true])
  })

  test('but not where one with fewer processes, or a much better one, may lie within its interval', () => {
    const cells = judged([...both(100), { instances: 2, speed: 150 }, { instances: 3, speed: 160 }, { instances: 4, speed: 150 }], { available: 8 }) // prettier-ignore
    const [one, smaller, chosen, larger] = cells.map((cell) => ({ ...cell, band: 0.02 }))
    const settledWith = (...open) => adviseServer({ cells: [one, ...open], noise, worth: 1.2 })[0].isSettled
    const unsure = (cell, high) => ({ ...cell, verdict: 'cannot-tell', ratio: { ...cell.ratio, high } })
    assert.equal(settledWith(smaller, chosen, larger), true)
    assert.equal(settledWith(unsure(smaller, 1.5), chosen, larger), true)
    assert.equal(settledWith(unsure(smaller, 1.59), chosen, larger), false)
    assert.equal(settledWith(smaller, chosen, unsure(larger, 1.62)), true)
    assert.equal(settledWith(smaller, chosen, unsure(larger, 1.7)), false)
    assert.equal(settledWith(smaller, chosen, { ...unsure(larger, 1.1), rounds: 5 }), false)
  })
})

describe('failures', () => {
  test('of the server itself end the run before the first round', async () => {
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
    const { result, named, requests } = await measured({ failureOf })
    assert.equal(named('cluster of 3').failed, 'it has no memory')
    assert.equal(named('cluster of 2').verdict, 'faster')
    assert.ok(result.advice[0].reasons.some(({ id }) => id === 'failed-rows'))
    assert.equal(requests.filter(({ row }) => row.instances === 3).length, 2, 'it is not tried for ever')
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

describe('the rounds', () => {
  test('measure one process twice in each, all rows shuffled, saturation before latency', async () => {
    const { requests } = await measured()
    const rows = requests.slice(1) // after the first look
    const first = rows.slice(0, 5).map(({ row }) => row.name)
    const second = rows.slice(5, 10).map(({ row }) => row.name)
    assert.deepEqual([...first].sort(), [...second].sort())
    assert.equal(first.filter((name) => name === 'one process').length, 2)
    assert.notDeepEqual(first, second)
    const kinds = rows.map(({ rates }) => (rates.length > 0 ? 'latency' : 'saturation')) // prettier-ignore
    assert.deepEqual(kinds, [...kinds].sort().reverse())
    assert.equal(rows.length, 2 * 6 * 5)
  })

  test('end early when they are aborted, and the result says so', async () => {
    const stop = new AbortController()
    const onTrial = (_, count) => count === 20 && stop.abort(new Error('enough'))
    const { result } = await measured({ onTrial }, { signal: stop.signal })
    assert.equal(result.complete, false)
    assert.ok(result.cells.every(({ rounds }) => rounds >= 3))
  })

  test('reject when they are aborted before anything is known', async () => {
    const signal = AbortSignal.abort(new Error('no'))
    await assert.rejects(measured({}, { signal }), /no/)
  })
})
