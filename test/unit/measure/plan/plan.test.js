// What a plan makes of a calibration: use, the fewest containers that hold, their order, and what is said of threads.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formsOf, fewestContainers, cpuUses } from '../../../../build/measure/plan/candidates.js'
import { demandsOf } from '../../../../build/measure/plan/ask-alone.js'
import { levelUnder } from '../../../../build/measure/plan/calibration.js'
import { rangeOf } from '../../../../build/measure/plan/draws.js'
import { judgeForm } from '../../../../build/measure/plan/judge.js'
import { moveWork } from '../../../../build/measure/plan/moved-work.js'
import { parsePrice } from '../../../../build/measure/plan/options.js'
import { rankForms } from '../../../../build/measure/plan/rank.js'

const { signal } = new AbortController()
const demand = (part) => ({ main: 0, pool: 0, uv: 0, wait: 0, ...part })
const MB = 1024 ** 2

/** Of routes { path: [share, demand] }; a process is as fast busy as idle unless `levels` say otherwise. */
function calibrationOf(routes, more = {}) {
  return {
    routes: Object.entries(routes).map(([path, [share, part]]) => ({ path, share, demands: [demand(part)] })),
    levels: [
      { busy: 0.3, main: 1, rest: 1 },
      { busy: 0.7, main: 1, rest: 1 },
    ],
    ...{
      spread: 0.03,
      fit: 1,
      at: 10,
      shadow: 0,
      threads: 0,
      memoryBytes: 100 * MB,
      disturbed: null,
      ...more,
    },
  }
}

const planOf = (more) => ({ rate: 100, arrivals: { kind: 'poisson' }, p99: 100, prices: null, spare: 0, seed: 1, signal, ...more }) // prettier-ignore

async function ranked(calibration, { cpus, movable = null, ...more }) {
  const plan = planOf(more)
  const forms = formsOf(calibration, moveWork(calibration, movable), cpus)
  return rankForms(await Promise.all(forms.map((form) => judgeForm(form, plan))), plan.p99)
}

describe('use', () => {
  const calibration = calibrationOf({ '/': [1, { main: 10, pool: 20, uv: 4 }] }, { threads: 2, shadow: 0.1 })
  const [form] = formsOf(calibration, null, [1])

  test('follows from the demands of a request', () => {
    const { cpus, main, pool, uv } = cpuUses(form, 40, 2)
    assert.deepEqual(
      [cpus, main, pool, uv].map((value) => Number(value.toFixed(4))),
      [0.7, 0.2, 0.2, 0.02],
    )
  })

  test('says how many containers are needed at least', () => {
    assert.equal(fewestContainers(form, { kind: 'poisson' }, 100), Math.ceil((100 * 0.035) / 0.85))
    assert.equal(
      fewestContainers(form, { kind: 'burst', factor: 7, seconds: 10 }, 50),
      Math.ceil((100 * 0.035) / 0.85),
    )
    assert.equal(fewestContainers(form, { kind: 'poisson' }, 0.001), 1)
  })

  test('takes the cost of a request for a process that is as busy as that', () => {
    const levels = [
      { busy: 0.2, main: 1.5, rest: 1.5 },
      { busy: 0.6, main: 1, rest: 1 },
    ]
    const busier = calibrationOf({ '/': [1, { main: 10 }] }, { levels })
    assert.equal(levelUnder(busier, 1).main, 1.5)
    assert.equal(levelUnder(busier, 90).main, 1)
    const { busy, main } = levelUnder(busier, 30)
    assert.ok(Math.abs(busy - (30 * 10 * main) / 1000) < 0.02, `${busy} ${main}`)
  })
})

describe('single requests', () => {
  const sample = (part) => ({ ms: 10, main: 2, pool: 0, other: 0, queued: 0, ...part })

  test('have waited for the threads of libuv where the time of the answer holds their work', () => {
    assert.deepEqual(demandsOf([sample({ other: 7 })]), [{ main: 2, pool: 0, uv: 7, wait: 1 }])
    assert.deepEqual(
      demandsOf([sample({ ms: 3, other: 7 })]),
      [{ main: 2, pool: 0, uv: 0, wait: 1 }],
      'beside it',
    )
  })

  test('do not count the time in which a thread waited for a CPU', () => {
    assert.deepEqual(demandsOf([sample({ ms: 30, queued: 25 })]), [{ main: 2, pool: 0, uv: 0, wait: 3 }])
  })
})

describe('a plan', () => {
  test('takes the fewest containers that keep the p99, and says why others fall', async () => {
    const { configurations, first, sentence } = await ranked(calibrationOf({ '/': [1, { main: 10 }] }), {
      cpus: [0.5, 1],
    })
    assert.ok(first.cpus * first.containers >= 100 * 0.01, 'capacity')
    assert.deepEqual(configurations[0].reason, 'the cheapest that holds')
    assert.ok(configurations[0].holds >= 10 / 12)
    assert.match(sentence, /^(Scale|Bigger) containers here: \d+ containers of [\d.]+ CPU\. /)
    const costs = configurations
      .filter(({ reason }) => reason.startsWith('holds'))
      .map(({ containers, cpus }) => containers * cpus)
    assert.ok(costs.length > 0 && Math.min(...costs) >= first.cpus * first.containers * 0.97, costs.join())
    for (const row of configurations) assert.ok(row.reason !== '', JSON.stringify(row))
  })

  test('is the same from the same seed', async () => {
    const once = () => ranked(calibrationOf({ '/': [1, { main: 8 }] }), { cpus: [1] })
    assert.deepEqual(await once(), await once())
  })

  test('lets containers be lost', async () => {
    const calibration = calibrationOf({ '/': [1, { main: 5 }] })
    const without = await ranked(calibration, { cpus: [1] })
    const { first } = await ranked(calibration, { cpus: [1], spare: 1 })
    assert.equal(first.containers, without.first.containers + 1)
  })

  test('takes prices of CPUs and memory, and the shorter p99 of equal ones', async () => {
    const { configurations } = await ranked(calibrationOf({ '/': [1, { main: 5 }] }), {
      cpus: [1],
      prices: { cpu: 20, gb: 10.24 },
    })
    const { price, containers, instances } = configurations.find(({ threads }) => threads === 0)
    assert.equal(instances, 1)
    assert.ok(Math.abs(price - containers * 21) < 1e-9, String(price))
  })

  test('says that threads shorten a path and not the bill, and never advises what has to be changed first', async () => {
    const routes = { '/report': [0.1, { main: 30 }], '/health': [0.9, { main: 0.3 }] }
    const { first, sentence, configurations } = await ranked(calibrationOf(routes), { cpus: [2], p99: 400 })
    assert.deepEqual(first.moves, [])
    assert.match(sentence, /Threads would (shorten|save)/)
    assert.ok(configurations.some(({ moves, threads }) => moves.includes('/report') && threads === 1))
  })

  test('says that there is nothing for threads where no path computes for long', async () => {
    const { sentence } = await ranked(calibrationOf({ '/': [1, { main: 0.4, wait: 30 }] }), { cpus: [0.5] })
    assert.match(
      sentence,
      /One process in one container of 0\.5 CPU is enough\. Threads have nothing to do here/,
    )
  })

  test('moves no more than doctor has found', () => {
    const calibration = calibrationOf({ '/a': [0.5, { main: 10 }], '/b': [0.5, { main: 1 }] })
    const { calibration: moved, paths } = moveWork(calibration, { names: ['f'], msPerRequest: 1 })
    assert.deepEqual(paths, ['/a'])
    const { main, pool } = moved.routes[0].demands[0]
    assert.deepEqual(
      [main, pool].map((value) => Number(value.toFixed(2))),
      [8.1, 2],
    )
    assert.deepEqual(moved.routes[1], calibration.routes[1])
    assert.equal(
      moveWork(calibrationOf({ '/': [1, { main: 10 }] }, { threads: 2 }), null),
      null,
      'it has a pool',
    )
  })

  test('says that none holds where one request takes longer, with the nearest', async () => {
    const { first, sentence, configurations } = await ranked(calibrationOf({ '/': [1, { main: 300 }] }), { cpus: [0.5, 1], rate: 1, p99: 50 }) // prettier-ignore
    assert.equal(first, null)
    assert.match(
      sentence,
      /^None of these keeps a p99 of 50 ms\. The nearest, \d+ x 1 CPU, has a p99 of \d+ ms\./,
    )
    for (const { reason } of configurations) assert.match(reason, /no number of them keeps 50 ms/)
  })

  test('ends at once when it is interrupted', async () => {
    const plan = planOf({ signal: AbortSignal.abort(new Error('interrupted')) })
    const [form] = formsOf(calibrationOf({ '/': [1, { main: 5 }] }), null, [1])
    await assert.rejects(judgeForm(form, plan), { message: 'interrupted' })
  })
})

test('a range holds four of five', () => {
  assert.deepEqual(rangeOf([5, 1, 4, 2, 3]), { value: 3, low: 1, high: 5 })
})

describe('prices', () => {
  test('are of a CPU, of memory, or of both', () => {
    assert.deepEqual(parsePrice('cpu=29.55,gb=3.24'), { cpu: 29.55, gb: 3.24 })
    assert.deepEqual(parsePrice('gb=3'), { cpu: 0, gb: 3 })
    assert.equal(parsePrice(undefined), null)
  })
  for (const text of ['', 'x', 'cpu', 'cpu=', 'cpu=-1', 'ram=3', 'cpu=1,', 'cpu=0'])
    test(`refuse "${text}"`, () => assert.throws(() => parsePrice(text), { code: 'TW_ERR_INVALID_OPTION' }))
})
