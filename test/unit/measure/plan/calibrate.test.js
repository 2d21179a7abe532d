// What windows at the load say of a server.
import assert from 'node:assert/strict'
import { cpus as hostCpus } from 'node:os'
import { describe, test } from 'node:test'
import { cpuBudget } from '../../../../build/cpu/cpu-budget.js'
import { fitOf, levelOf } from '../../../../build/measure/plan/calibrate.js'
import { draw } from '../../../../build/measure/plan/draws.js'
import { quantile, simulate } from '../../../../build/measure/plan/model/simulate.js'
import { createRandom } from '../../../../build/measure/stats/random.js'

const { cpus } = cpuBudget({ env: {} })
const demand = { main: 10, pool: 0, uv: 0, wait: 0 }
const routesOf = (part) => [{ path: '/', share: 1, demands: [{ ...demand, ...part }] }]
const timesOf = (part) => ({ main: 0, pool: 0, other: 0, queued: 0, ...part })
const windowOf = (sent, times, p99 = null) => ({
  seen: { sent, dueMs: 1000, p99, routes: [{ sent, p50: p99, p99 }] },
  times: timesOf(times),
})
const levels = [0.3, 0.7].map((busy) => ({ busy, main: 1, rest: 1 }))
const calibration = { routes: routesOf({}), levels, threads: 0, shadow: 0, spread: 0, fit: 1 }
const shape = { cpus, cores: Math.max(hostCpus().length, cpus), instances: 1, threads: 0, shadow: 0 }

/** The p99 of so many requests in the model, 70 of them in a second. */
function modelP99(requests, random) {
  const nextRequest = () => ({ demand, route: 0 })
  const plan = {
    shape,
    containers: 1,
    arrivals: { kind: 'poisson' },
    rate: 70,
    requests,
    random,
    nextRequest,
  }
  return quantile(simulate(plan).latencies, 0.99)
}

/** Three windows of 70 requests a second, whose p99 is so many times that of the model. */
function windowsOf(requests, random, times = 1) {
  return [1, 2, 3].map(() => {
    const { seen, ...rest } = windowOf(requests, { main: 10 * requests }, times * modelP99(requests, random))
    return { ...rest, seen: { ...seen, dueMs: (1000 * requests) / 70 } }
  })
}

describe('the cost of requests at the load', () => {
  test('is that of the main thread, and as much of what is waited for where that has no counter', () => {
    assert.deepEqual(levelOf([windowOf(50, { main: 400 })], routesOf({})), {
      busy: 0.4,
      main: 0.8,
      rest: 0.8,
    })
  })

  test('is that of the pool for work of the pool, and that of other threads for work of libuv', () => {
    const withPool = levelOf([windowOf(10, { main: 50, pool: 180, other: 40 })], routesOf({ pool: 20 }))
    assert.deepEqual(withPool, { busy: 0.05, main: 0.5, rest: 0.9 })
    const inLibuv = levelOf([windowOf(10, { main: 20, other: 38 })], routesOf({ uv: 4 }))
    assert.deepEqual(inLibuv, { busy: 0.02, main: 0.2, rest: 0.95 })
  })
})

describe('how far the model is off', () => {
  test('is nothing where chance explains it: of 60 requests the p99 is the slowest', () => {
    const fits = Array.from({ length: 20 }, (_, seed) => {
      const random = createRandom(seed + 1)
      return fitOf(calibration, windowsOf(60, random), random)
    })
    assert.ok(fits.filter((fit) => fit === 1).length >= 15, fits.join(' '))
    assert.ok(
      fits.every((fit) => fit > 0.5 && fit < 2),
      fits.join(' '),
    )
  })

  test('is told of many requests, and makes predictions longer', () => {
    const random = createRandom(1)
    const fit = fitOf(calibration, windowsOf(4000, random, 1.6), random)
    assert.ok(fit > 1.3 && fit <= 1.7, String(fit))
    const plan = { calibration, arrivals: { kind: 'poisson' }, rate: 70, seed: 1 }
    const before = draw(plan, shape, 1)
    const after = draw({ ...plan, calibration: { ...calibration, fit: 1.2 } }, shape, 1)
    assert.deepEqual(
      after.p99s.map((ms) => ms.toFixed(6)),
      before.p99s.map((ms) => (1.2 * ms).toFixed(6)),
    )
  })
})
