// What measure() does when something goes wrong on the way, and what its result holds.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { measure, measureIn } from '../../../build/measure/measure.js'
import { fakeSurroundings } from '../../helpers/fake-trials.js'
import { rejection } from '../../helpers/executors.js'

const file = new URL('../../fixtures/measured/tasks.js', import.meta.url)

function start(task, options = {}, noise = {}) {
  const fake = fakeSurroundings(task, noise)
  const run = measureIn(fake.surroundings, file, { task: 'add', cpus: [2], seed: 1, ...options })
  return { run, ...fake }
}

const nameOf = ({ executor, size }) => `${executor} ${size}`
const startsOf = (asked) => asked.filter(({ kind }) => kind === 'start').map(({ cell }) => nameOf(cell))

describe('measure() rejects', () => {
  test('a task of which every call fails, with its message', async () => {
    const error = await rejection(start({ errorRate: 1, firstError: 'Error: no such table' }).run)
    assert.equal(error.code, 'TW_ERR_WORKLOAD_INVALID')
    assert.match(error.message, /every call of add failed: Error: no such table/)
  })

  for (const [failed, expected] of [
    ['it ran out of memory', /a call of add failed: it ran out of memory/],
    [
      'its process ended with exit code 3',
      /a call of add ended its process, as process\.exit\(\) does \(exit code 3\)/,
    ],
    [
      'ThreadwiseError: A worker could not start file:///a.js: Error: API_KEY is not set. Check that the file loads with a plain import().',
      /: it does not load: Error: API_KEY is not set\. See/,
    ],
  ])
    test(`a task whose process fails, with the reason, and leaves nothing (${failed.slice(0, 34)})`, async () => {
      const { surroundings, stillOpen } = fakeSurroundings()
      const startTrial = async (place) => ({
        ...(await surroundings.startTrial(place)),
        ask: async () => ({ failed }),
      })
      const error = await rejection(measureIn({ ...surroundings, startTrial }, file, { task: 'add' }))
      assert.equal(error.code, 'TW_ERR_WORKLOAD_INVALID')
      assert.match(error.message, expected)
      assert.equal(stillOpen(), 0)
    })

  test('a file that is not there', async () => {
    const error = await rejection(measure(new URL('missing.js', file), {}))
    assert.equal(error.code, 'TW_ERR_WORKLOAD_INVALID')
    assert.match(error.message, /no such file/)
  })

  test('calls that are too long for the budget, with their length and what they need', async () => {
    const error = await rejection(start({ cpuUs: 12e6 }, { budget: 40 }).run)
    assert.equal(error.code, 'TW_ERR_WORKLOAD_INVALID')
    assert.match(error.message, /one call of add takes 12 s; .* takes about \d+ s, and the budget is 40 s/)
  })

  test('with the reason of its signal, when that is aborted before anything is known', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const { run, stillOpen } = start({ onAsk: () => controller.abort(reason) }, { signal: controller.signal })
    assert.equal(await rejection(run), reason)
    assert.equal(stillOpen(), 0)
  })
})

describe('a rate', () => {
  test('is put on each cell once, and tells how long callers wait; what cannot keep it is not flooded', async () => {
    const { run, asked } = start({ cpuUs: 8000 }, { rate: 150, sizes: [1, 2], executors: ['threads'], quick: true }) // prettier-ignore
    const { cells, advice } = await run
    const due = asked.filter(({ kind }) => kind === 'due').map(({ cell, rate }) => `${nameOf(cell)}: ${rate}`)
    assert.deepEqual(due.sort(), ['inline 1: 150', 'threads 1: 150', 'threads 2: 150'])
    assert.deepEqual(cells.map(({ atRate }) => [atRate.rate, atRate.isKept]), [[150, false], [150, false], [150, true]]) // prettier-ignore
    assert.ok(Math.abs(cells[2].atRate.p99 - 8) < 0.5)
    const { sentence } = advice[0].reasons.find(({ id }) => id === 'at-rate')
    assert.match(sentence, /^When 150 calls are due each second, inline callers wait longer and longer: .* with 2 threads half of the callers wait at most 8 ms, 99 of 100 at most 8 ms\.$/) // prettier-ignore
    const flooded = start({ cpuUs: 8000 }, { rate: 5000, executors: ['threads'], sizes: [1], quick: true })
    assert.ok((await flooded.run).cells.every(({ atRate }) => atRate.isKept === false && atRate.p50 === null))
    assert.ok(!flooded.asked.some(({ kind }) => kind === 'due'))
  })

  test('is not put on anything unless it is asked for', async () => {
    const { run, asked } = start({}, { rounds: 1 })
    assert.ok((await run).cells.every(({ atRate }) => atRate === null))
    assert.ok(!asked.some(({ kind }) => kind === 'due'))
  })
})

describe('a cell that fails', () => {
  const failureOf = ({ executor, size }) =>
    executor === 'concurrent' && size === 64 ? 'EMFILE: too many open files' : null

  test('is reported beside those that work', async () => {
    const { run, stillOpen } = start({ cpuUs: 50, waitUs: 5000, failureOf }, { executors: ['concurrent'] })
    const result = await run
    const failed = result.cells.filter((cell) => cell.failed !== null)
    assert.deepEqual(failed.map(nameOf), ['concurrent 64'])
    assert.match(failed[0].failed, /EMFILE/)
    assert.equal(failed[0].verdict, 'cannot-tell')
    assert.equal(result.complete, true)
    assert.deepEqual([result.advice[0].executor, result.advice[0].size], ['concurrent', 16])
    assert.ok(result.advice[0].reasons.some(({ id }) => id === 'failed-cells'))
    assert.equal(stillOpen(), 0)
  })

  test('only beside others makes each window a process of its own', async () => {
    const fake = fakeSurroundings({
      cpuUs: 5000,
      failureOf: () => (fake.stillOpen() > 1 ? 'EADDRINUSE' : null),
    })
    const result = await measureIn(fake.surroundings, file, {
      ...{ task: 'add', cpus: [2], executors: ['threads'], seed: 1, budget: 200 },
    })
    assert.match(result.courses[0].aloneBecause, /EADDRINUSE/)
    assert.deepEqual([result.advice[0].executor, result.advice[0].size], ['threads', 2])
    assert.ok(result.advice[0].reasons.some(({ id }) => id === 'not-side-by-side'))
    assert.ok(startsOf(fake.asked).length > 10)
    assert.equal(fake.stillOpen(), 0)
  })
})

describe('a CPU limit that is not available here', () => {
  test('is skipped with its reason, and is in no cell', async () => {
    const { run } = start({ cpuUs: 5000, cpus: 2 }, { cpus: [2, 64] })
    const result = await run
    assert.deepEqual(result.skipped.map(({ cpus }) => cpus), [64]) // prettier-ignore
    assert.match(result.skipped[0].reason, /A CPU limit of 64 cannot be applied here: too many/)
    assert.deepEqual([...new Set(result.cells.map(({ cpus }) => cpus))], [2])
    assert.deepEqual(result.advice.map(({ cpus }) => cpus), [2]) // prettier-ignore
  })

  test('gives an empty result when it was the only one', async () => {
    const result = await start({ cpus: 31 }, { cpus: [32] }).run
    assert.deepEqual([result.cells, result.advice, result.predictions], [[], [], []])
    assert.equal(result.skipped.length, 1)
  })
})

describe('an interruption', () => {
  test('ends the run at once, and the result holds what is known', async () => {
    const controller = new AbortController()
    const onAsk = (kind, number) => number === 80 && controller.abort()
    const options = { executors: ['threads'], sizes: [2], signal: controller.signal }
    const { run, asked, stillOpen } = start({ cpuUs: 5000, onAsk }, options)
    const result = await run
    const windowsAfter = asked.slice(80).filter(({ kind }) => kind === 'window')
    assert.equal(windowsAfter.length, 0)
    assert.equal(result.complete, false)
    assert.equal(result.courses[0].ended, 'stopped')
    assert.equal(result.advice.length, 1)
    const inline = result.cells.find(({ executor }) => executor === 'inline')
    assert.ok(inline.windows > 5 && inline.throughput.median > 0 && inline.loopDelay.p99 !== null)
    assert.ok(result.cells.every(({ failed }) => failed === null))
    assert.equal(stillOpen(), 0)
  })
})

describe('the verdicts', () => {
  const verdictsOf = ({ cells }) =>
    new Set(cells.filter(({ executor }) => executor !== 'inline').map(({ verdict }) => verdict))

  test('are all cannot-tell on an unusable machine', async () => {
    const noise = { verdict: 'unusable', reasons: ['Other processes used 2.0 of 2 CPUs.'] }
    const result = await start({ cpuUs: 5000 }, {}, noise).run
    assert.deepEqual(verdictsOf(result), new Set(['cannot-tell']))
    const [advice] = result.advice
    assert.deepEqual([advice.executor, advice.verdict], ['inline', 'cannot-tell'])
    assert.match(advice.sentence, /too busy to tell anything \(other processes used 2\.0 of 2 CPUs\)/)
    assert.deepEqual(result.predictions, [])
  })

  test('are given on a noisy machine, with a warning', async () => {
    const noise = { verdict: 'noisy', reasons: ['The hypervisor took away 5 %.'] }
    const result = await start({ cpuUs: 5000 }, {}, noise).run
    assert.ok(verdictsOf(result).has('faster'))
    assert.ok(result.advice[0].reasons.some(({ id }) => id === 'noisy-machine'))
  })

  test('come as soon as they are sure, long before the budget is used up', async () => {
    const { run, clock } = start({ cpuUs: 5000 }, { budget: 300 })
    const result = await run
    assert.equal(result.courses[0].ended, 'run')
    assert.ok(clock.ms < 60_000, `${clock.ms} ms`)
  })
})

describe('the plan of measure()', () => {
  test('has sizes of the libuv pool only where the task uses that pool', async () => {
    const without = await start({ cpuUs: 100, waitUs: 900 }, { uv: [2, 8] }).run
    assert.deepEqual([...new Set(without.cells.map(({ uv }) => uv))], [null])
    const task = { cpuUs: 100, waitUs: 900, uvWork: ['FSREQCALLBACK'] }
    const { run, asked } = start(task, { uv: [2, 8] })
    const uses = await run
    assert.deepEqual([...new Set(uses.cells.map(({ uv }) => uv))], [null, 2, 8])
    for (const { cell, uv, kind } of asked) if (kind === 'start') assert.equal(uv, cell.uv)
  })

  test('starts inline twice, and shows it once', async () => {
    const { run, asked } = start({ cpuUs: 5000 })
    const result = await run
    assert.equal(
      startsOf(asked)
        .slice(0, 7)
        .filter((name) => name === 'inline 1').length,
      2,
    )
    assert.equal(result.cells.filter(({ executor }) => executor === 'inline').length, 1)
    assert.ok(result.courses[0].twin.low <= 1 && result.courses[0].twin.high >= 1)
  })

  test('is repeatable from its seed', async () => {
    const orderOf = async (seed) => {
      const { run, asked } = start({ cpuUs: 5000 }, { seed })
      await run
      return asked
        .slice(0, 100)
        .map(({ kind, cell }) => `${kind} ${cell?.executor} ${cell?.size}`)
        .join()
    }
    assert.equal(await orderOf(7), await orderOf(7))
    assert.notEqual(await orderOf(7), await orderOf(8))
  })

  test('shares the budget between limits, and ends within it', async () => {
    const { run, clock } = start({ throughputOf: () => 1000, noise: 0.3 }, { cpus: [1, 2], budget: 60 })
    const result = await run
    assert.equal(result.courses.length, 2)
    assert.ok(clock.ms < 62_000, `${clock.ms} ms`)
    assert.equal(result.settings.budgetSeconds, 60)
  })

  test('leaves out what the time is not enough for, and says so', async () => {
    const { run } = start({ cpuUs: 1e6 }, { budget: 40 })
    const result = await run
    assert.deepEqual(result.cells.map(nameOf), ['inline 1', 'threads 1', 'threads 2'])
    assert.match(result.skipped[0].reason, /processes 1, processes 2 left out: calls of 1 s leave no time/)
  })
})
