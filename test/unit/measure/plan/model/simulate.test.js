// The model of a container against queues whose answers are known, and against what the kernel does with a quota.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createContainer } from '../../../../../build/measure/plan/model/container.js'
import { quantile, simulate } from '../../../../../build/measure/plan/model/simulate.js'
import { createRandom } from '../../../../../build/measure/stats/random.js'

const NOTHING = { main: 0, pool: 0, uv: 0, wait: 0 }
const WIDE = { cpus: 64, cores: 64, instances: 1, threads: 1, shadow: 0 }

/** Of requests that need what `demandOf` says. Times in ms, `rate` per second. */
function run({
  shape = WIDE,
  rate,
  demandOf,
  requests = 80_000,
  containers = 1,
  seed = 1,
  arrivals = { kind: 'poisson' },
}) {
  const random = createRandom(seed)
  const nextRequest = () => ({ demand: { ...NOTHING, ...demandOf(random) }, route: 0 })
  return simulate({
    shape,
    rate,
    containers,
    arrivals,
    nextRequest,
    requests,
    random: createRandom(seed + 1),
  })
}

const exponential = (meanMs) => (random) => -Math.log(1 - random()) * meanMs
const near = (actual, expected, share, what) =>
  assert.ok(Math.abs(actual / expected - 1) <= share, `${what}: ${actual} instead of ${expected}`)

describe('the model of a container', () => {
  // Sojourn times of M/M/1 are exponential with the mean 1 / (mu - lambda).
  for (const use of [0.3, 0.5, 0.7, 0.8])
    test(`is M/M/1 where the main thread alone works, at ${use}`, () => {
      const draw = exponential(1)
      const {
        meanMs,
        latencies,
        mainBusy,
        use: cpu,
      } = run({ rate: 1000 * use, demandOf: (random) => ({ main: draw(random) }) })
      const mean = 1 / (1 - use)
      near(meanMs, mean, 0.07, 'mean')
      near(quantile(latencies, 0.5), mean * Math.LN2, 0.06, 'p50')
      // Long queues last: of so many requests the p99 is known to an eighth at 0.8.
      near(quantile(latencies, 0.99), mean * Math.log(100), 0.12, 'p99')
      near(mainBusy, use, 0.02, 'busy')
      near(cpu * WIDE.cpus, use, 0.02, 'CPUs')
    })

  // Erlang C.
  for (const [servers, use] of [
    [2, 0.5],
    [2, 0.8],
    [4, 0.7],
  ])
    test(`is M/M/${servers} where a pool of ${servers} threads works, at ${use}`, () => {
      const draw = exponential(1)
      const shape = { ...WIDE, threads: servers }
      const { meanMs } = run({
        shape,
        rate: 1000 * use * servers,
        demandOf: (random) => ({ pool: draw(random) }),
      })
      const load = use * servers
      let term = 1
      let sum = 1
      for (let k = 1; k < servers; k++) sum += term *= load / k
      const last = (term * load) / servers / (1 - use)
      const waits = last / (sum + last)
      near(meanMs, 1 + waits / (servers - load), 0.07, 'mean')
    })

  // Pollaczek and Khinchine.
  for (const use of [0.5, 0.8])
    test(`is M/D/1 where each request takes the same, at ${use}`, () => {
      const { meanMs } = run({ rate: 1000 * use, demandOf: () => ({ main: 1 }) })
      near(meanMs, 1 + use / (2 * (1 - use)), 0.03, 'mean')
    })

  // The mean of M/G/1 with processor sharing depends on the mean service alone.
  for (const [name, draw] of [
    ['exponential', exponential(1)],
    ['constant', () => 1],
  ])
    test(`shares one core equally among threads, ${name} work`, () => {
      const shape = { ...WIDE, cpus: 1, cores: 1, threads: 1000 }
      const { meanMs } = run({ shape, rate: 700, demandOf: (random) => ({ pool: draw(random) }) })
      near(meanMs, 1 / (1 - 0.7), 0.07, 'mean')
    })

  test('splits what comes among containers and instances', () => {
    const draw = exponential(1)
    const demandOf = (random) => ({ main: draw(random) })
    const { meanMs } = run({ rate: 2000, containers: 4, demandOf })
    near(meanMs, 2, 0.04, 'four containers at 0.5')
    near(
      run({ shape: { ...WIDE, instances: 2 }, rate: 2000, containers: 2, demandOf }).meanMs,
      2,
      0.04,
      'two of two',
    )
  })

  test('lets helper threads take their part of the CPUs', () => {
    const { use, meanMs } = run({
      shape: { ...WIDE, cpus: 1, cores: 1, shadow: 0.25 },
      rate: 1,
      demandOf: () => ({ main: 10 }),
      requests: 1000,
    })
    near(meanMs, 12.5, 0.01, 'one core for both')
    near(use, 0.0125, 0.1, 'CPUs')
  })
})

describe('the quota of a container', () => {
  /** When `workMs` at once is done that come `beforeMs` before a period begins. */
  const doneAfter = (workMs, cpus, beforeMs) => {
    let ms
    const shape = { ...WIDE, cpus, cores: 2 }
    const container = createContainer({
      shape,
      phaseMs: 50,
      onAnswer: ({ arrivedMs }, now) => (ms = now - arrivedMs),
    })
    container.arrive(150 - beforeMs, { demand: { ...NOTHING, main: workMs }, route: 0, instance: 0 })
    container.drain()
    return ms
  }

  // github.com/kubernetes-monitoring/kubernetes-mixin/issues/108
  for (const beforeMs of [13, 40, 77, 100])
    test(`makes 30 ms of work at 0.13 CPU take r + 104 ms, ${beforeMs} ms before the next period`, () => {
      assert.ok(Math.abs(doneAfter(30, 0.13, beforeMs) - (beforeMs + 104)) < 1e-6)
    })

  test('loses what is left at the end of a period, and does not save it up', () => {
    // 5 ms within the first period, the whole 13 ms of the second, and 2 of the third.
    assert.ok(Math.abs(doneAfter(20, 0.13, 5) - (5 + 100 + 2)) < 1e-6)
  })

  test('lets nothing wait that does not spend it', () => {
    const { frozen, latencies } = run({
      shape: { ...WIDE, cpus: 0.5, cores: 2 },
      rate: 10,
      demandOf: () => ({ main: 5 }),
      arrivals: { kind: 'even' },
      requests: 500,
    })
    assert.equal(frozen, 0)
    assert.ok(quantile(latencies, 1) < 5.0001)
  })

  for (const threads of [1, 4])
    test(`answers C / A requests a second when it is spent, with ${threads} threads`, () => {
      let lastMs
      const shape = { ...WIDE, cpus: 0.6, cores: 4, threads }
      const container = createContainer({ shape, phaseMs: 0, onAnswer: (job, now) => (lastMs = now) })
      for (let index = 0; index < 2000; index++)
        container.arrive(0, { demand: { ...NOTHING, main: 2, pool: 4 }, route: 0, instance: 0 })
      container.drain()
      near(2000 / lastMs, 0.6 / 6, 0.01, 'answers in a ms')
    })

  test('takes the same random numbers from the same seed', () => {
    const draw = exponential(2)
    const once = () =>
      run({
        shape: { ...WIDE, cpus: 0.5, cores: 2 },
        rate: 120,
        requests: 2000,
        demandOf: (random) => ({ main: draw(random) }),
      })
    assert.deepEqual(once(), once())
  })
})

describe('a request that waits', () => {
  test('leaves the main thread to others meanwhile', () => {
    const { meanMs, mainBusy } = run({
      rate: 100,
      requests: 5000,
      arrivals: { kind: 'even' },
      demandOf: () => ({ main: 1, wait: 100 }),
    })
    near(meanMs, 101, 0.01, 'mean')
    near(mainBusy, 0.1, 0.02, 'busy')
  })

  test('queues for one of four threads of libuv', () => {
    const { latencies } = run({
      rate: 1e9,
      requests: 8,
      arrivals: { kind: 'even' },
      demandOf: () => ({ uv: 10 }),
    })
    assert.deepEqual([...latencies].map(Math.round), [10, 10, 10, 10, 20, 20, 20, 20])
  })
})
