// What measure() does when something goes wrong on the way, and what its result holds.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { measure } from '../../../build/measure/measure.js'
import { fakeMachine, fakeTrials } from '../../helpers/fake-trials.js'
import { rejection } from '../../helpers/executors.js'

const file = new URL('../../fixtures/measured/tasks.js', import.meta.url)

function start(task, options = {}, noise = {}) {
  const { runTrial, requests } = fakeTrials(task)
  const surroundings = { runTrial, startMachineCheck: fakeMachine(noise) }
  const run = measure(file, { task: 'add', cpus: [2], seed: 1, ...options }, surroundings)
  return { run, requests }
}

const cellRequests = (requests) => requests.filter(({ request }) => request.kind === 'cell')
const nameOf = ({ executor, size }) => `${executor} ${size}`

describe('measure() rejects', () => {
  test('a task of which every call fails, with its message', async () => {
    const error = await rejection(start({ errorRate: 1, firstError: 'Error: no such table' }).run)
    assert.equal(error.code, 'TW_ERR_WORKLOAD_INVALID')
    assert.match(error.message, /every call of add failed: Error: no such table/)
  })

  test('a task whose process fails, with the reason', async () => {
    const runTrial = async () => ({ answer: { kind: 'failed', reason: 'it ran out of memory' } })
    const surroundings = { runTrial, startMachineCheck: fakeMachine() }
    const error = await rejection(measure(file, { task: 'add' }, surroundings))
    assert.equal(error.code, 'TW_ERR_WORKLOAD_INVALID')
    assert.match(error.message, /a call of add failed: it ran out of memory/)
  })

  test('a file that is not there', async () => {
    const error = await rejection(measure(new URL('missing.js', file), {}))
    assert.equal(error.code, 'TW_ERR_WORKLOAD_INVALID')
    assert.match(error.message, /no such file/)
  })

  test('with the reason of its signal, when that is aborted before anything is known', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const runTrial = async () => {
      controller.abort(reason)
      return { answer: { kind: 'failed', reason: 'interrupted' } }
    }
    const surroundings = { runTrial, startMachineCheck: fakeMachine() }
    const run = measure(file, { task: 'add', signal: controller.signal }, surroundings)
    assert.equal(await rejection(run), reason)
  })
})

describe('a cell that fails', () => {
  const failureOf = ({ executor, size }) =>
    executor === 'concurrent' && size === 64 ? 'EMFILE: too many open files' : null

  test('is reported beside those that work, and not tried for ever', async () => {
    const { run, requests } = start({ cpuUs: 50, waitUs: 5000, failureOf }, { executors: ['concurrent'] })
    const result = await run
    const failed = result.cells.filter((cell) => cell.failed !== null)
    assert.deepEqual(failed.map(nameOf), ['concurrent 64'])
    assert.match(failed[0].failed, /EMFILE/)
    assert.equal(failed[0].verdict, 'cannot-tell')
    assert.equal(result.complete, true)
    assert.deepEqual([result.advice[0].executor, result.advice[0].size], ['concurrent', 16])
    assert.ok(result.advice[0].reasons.some(({ id }) => id === 'failed-cells'))
    const tries = cellRequests(requests).filter(({ request }) => nameOf(request.cell) === 'concurrent 64')
    assert.equal(tries.length, 2)
  })

  test('does not keep the hopeless others in the race', async () => {
    const options = { executors: ['concurrent', 'threads'], concurrency: [64], rounds: 10, sizes: [1, 2] }
    const throughputOf = ({ executor, size }) => (executor === 'threads' ? 1000 * size : 1000)
    const { run, requests } = start({ throughputOf, failureOf }, options)
    await run
    const tries = (name) =>
      cellRequests(requests).filter(({ request }) => nameOf(request.cell) === name).length
    assert.equal(tries('threads 2'), 10)
    assert.equal(tries('threads 1'), 6)
  })
})

describe('a CPU limit that is not available here', () => {
  test('is skipped with its reason, and is in no cell', async () => {
    const { run } = start({ cpuUs: 5000, cpus: 2 }, { cpus: [2, 64] })
    const result = await run
    assert.deepEqual(
      result.skipped.map(({ cpus }) => cpus),
      [64],
    )
    assert.match(result.skipped[0].reason, /A CPU limit of 64 cannot be applied here: too many/)
    assert.deepEqual([...new Set(result.cells.map(({ cpus }) => cpus))], [2])
    assert.deepEqual(
      result.advice.map(({ cpus }) => cpus),
      [2],
    )
  })

  test('gives an empty result when it was the only one', async () => {
    const onlyScout = fakeTrials({ cpus: 64 })
    const runTrial = (request, where) =>
      onlyScout.runTrial(request, request.kind === 'scout' ? where : { ...where, cpus: 65 })
    const surroundings = { runTrial, startMachineCheck: fakeMachine() }
    const result = await measure(file, { task: 'add', cpus: [32] }, surroundings)
    assert.deepEqual([result.cells, result.advice, result.predictions], [[], [], []])
    assert.equal(result.skipped.length, 1)
  })
})

describe('an interruption', () => {
  async function interruptAt(trial, { inside = false, ...options } = {}) {
    const controller = new AbortController()
    const fake = fakeTrials({ cpuUs: 5000 })
    const runTrial = async (request, where) => {
      const answer = await fake.runTrial(request, where)
      if (fake.requests.length !== trial) return answer
      controller.abort()
      return inside ? { ...answer, answer: { kind: 'failed', reason: 'interrupted' } } : answer
    }
    const surroundings = { runTrial, startMachineCheck: fakeMachine() }
    const all = { task: 'add', cpus: [2], executors: ['threads'], sizes: [2], ...options }
    const result = await measure(file, { ...all, signal: controller.signal }, surroundings)
    return { result, trials: fake.requests.length }
  }

  test('ends the run at once, and the result holds what is known', async () => {
    const { result, trials } = await interruptAt(12)
    assert.equal(trials, 12)
    assert.equal(result.complete, false)
    assert.equal(result.advice.length, 1)
    const inline = result.cells.find(({ executor }) => executor === 'inline')
    assert.ok(inline.rounds >= 3 && inline.throughput.median > 0)
    assert.ok(inline.samples.length === 8 && inline.samples.at(-1) === null)
  })

  test('is no failure of the cell that it hit', async () => {
    const { result } = await interruptAt(2, { inside: true })
    assert.ok(result.cells.every(({ failed }) => failed === null))
  })

  test('in the very last trial leaves the run incomplete', async () => {
    const rounds = 2
    const { result, trials } = await interruptAt(1 + 3 * rounds, { inside: true, rounds })
    assert.equal(trials, 1 + 3 * rounds)
    assert.equal(result.complete, false)
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
    assert.match(advice.sentence, /too noisy to tell anything/)
  })

  test('are given on a noisy machine, with a warning', async () => {
    const noise = { verdict: 'noisy', reasons: ['The hypervisor took away 5 %.'] }
    const result = await start({ cpuUs: 5000 }, {}, noise).run
    assert.ok(verdictsOf(result).has('faster'))
    assert.ok(result.advice[0].reasons.some(({ id }) => id === 'noisy-machine'))
  })

  test('are all cannot-tell after fewer than 6 rounds, and words after 6', async () => {
    const five = await start({ cpuUs: 5000 }, { rounds: 5 }).run
    assert.deepEqual(verdictsOf(five), new Set(['cannot-tell']))
    assert.equal(five.advice[0].executor, 'inline')
    const six = await start({ cpuUs: 5000 }, { rounds: 6 }).run
    assert.ok(verdictsOf(six).has('faster'))
  })
})

describe('the plan of measure()', () => {
  test('has sizes of the libuv pool only where the task uses that pool', async () => {
    const without = await start({ cpuUs: 100, waitUs: 900 }, { uv: [2, 8] }).run
    assert.deepEqual([...new Set(without.cells.map(({ uv }) => uv))], [null])
    const task = { cpuUs: 100, waitUs: 900, uvWork: ['FSREQCALLBACK'] }
    const { run, requests } = start(task, { uv: [2, 8] })
    const uses = await run
    assert.deepEqual([...new Set(uses.cells.map(({ uv }) => uv))], [null, 2, 8])
    for (const { request, where } of cellRequests(requests)) assert.equal(where.uv, request.cell.uv)
  })

  test('does not show the second inline cell, which gives the band', async () => {
    const result = await start({ cpuUs: 5000 }).run
    assert.equal(result.cells.filter(({ executor }) => executor === 'inline').length, 1)
    assert.ok(result.cells.every(({ band }) => band >= 0.05))
  })

  test('is repeatable from its seed', async () => {
    const orderOf = async (seed) => {
      const { run, requests } = start({ cpuUs: 5000 }, { seed })
      await run
      return cellRequests(requests)
        .map(({ request }) => nameOf(request.cell))
        .join()
    }
    assert.equal(await orderOf(7), await orderOf(7))
    assert.notEqual(await orderOf(7), await orderOf(8))
  })

  test('stops before the next round when a hard budget is used up', async () => {
    const { run, requests } = start({ cpuUs: 5000 }, { budget: 1e-6 })
    const result = await run
    assert.equal(result.complete, false)
    assert.equal(cellRequests(requests).length, 0)
    assert.equal(result.settings.budgetSeconds, 1e-6)
  })
})
