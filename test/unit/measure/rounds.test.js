// In which order cells are measured, when one is dropped, and when everything stops.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ThreadwiseError } from '../../../build/errors/errors.js'
import { isDecided } from '../../../build/measure/judge-cells.js'
import { createRandom } from '../../../build/measure/stats/random.js'
import { runRounds, throughputOf } from '../../../build/measure/rounds.js'
import { settings } from './cells.js'

const timing = { warmUpMs: { least: 1, most: 1 }, measureMs: 1 }
const cell = (executor, size = 1, changes = {}) => ({
  source: { kind: 'file', url: 'file:///w.js' },
  variant: 'love',
  executor,
  size,
  cpus: 2,
  uv: null,
  inFlight: 1,
  ...changes,
})
const success = (rate = 100) => ({ kind: 'cell', completed: rate, failed: 0, callsPerSecond: rate })
const failure = { kind: 'failed', reason: 'EMFILE' }

/** Runs the rounds; `answer(cell, round)` is what a trial gives. */
async function run({ cells, rounds = 3, answer = () => success(), seed = 1, ...changes }) {
  const asked = []
  const progress = []
  let round = 0
  const result = await runRounds({
    cells,
    rounds,
    timingOf: () => timing,
    runTrial: async ({ cell: plan }) => {
      asked.push({ round, name: `${plan.executor} ${plan.size}` })
      return { answer: answer(plan, round), enforcement: { method: 'none', exact: true, note: '' } }
    },
    random: createRandom(seed),
    signal: undefined,
    isDecided: () => false,
    beforeRound: () => void round++,
    onProgress: (step) => progress.push(step),
    isTimeUp: () => false,
    ...changes,
  })
  const orderOf = (number) => asked.filter((each) => each.round === number).map(({ name }) => name)
  return { ...result, asked, progress, orderOf }
}

const four = [cell('inline'), cell('concurrent', 8), cell('threads', 1), cell('threads', 2)]
const names = four.map(({ executor, size }) => `${executor} ${size}`)

describe('a round', () => {
  test('measures every cell once, in an order of its own', async () => {
    const { orderOf, complete } = await run({ cells: four, rounds: 12 })
    const orders = Array.from({ length: 12 }, (_, i) => orderOf(i + 1))
    for (const order of orders) assert.deepEqual([...order].sort(), [...names].sort())
    assert.ok(new Set(orders.map(String)).size > 4, 'the orders differ')
    assert.equal(complete, true)
  })

  test('tells its progress: every trial, with the number that is left', async () => {
    const answer = ({ executor }) => (executor === 'concurrent' ? failure : success(50))
    const { progress } = await run({ cells: four, rounds: 1, answer })
    assert.deepEqual(
      progress.map(({ round, rounds, done, total }) => [round, rounds, done, total]),
      [1, 2, 3, 4].map((done) => [1, 1, done, 4]),
    )
    const shown = Object.fromEntries(progress.map(({ cell, throughput }) => [cell.executor, throughput]))
    assert.deepEqual(shown, { inline: 50, concurrent: null, threads: 50 })
  })

  test('asks for the timing with the number of trials that are left', async () => {
    const remaining = []
    const timingOf = (_cell, left) => (remaining.push(left), timing)
    await run({ cells: four, rounds: 2, timingOf })
    assert.deepEqual(remaining, [8, 7, 6, 5, 4, 3, 2, 1])
  })
})

describe('a cell is dropped', () => {
  const roundsOf = ({ asked }, name) => asked.filter((each) => each.name === name).map(({ round }) => round)

  test('after two trials without a success', async () => {
    const answer = ({ executor }) => (executor === 'concurrent' ? failure : success())
    const result = await run({ cells: four, rounds: 5, answer })
    assert.deepEqual(roundsOf(result, 'concurrent 8'), [1, 2])
    assert.deepEqual(roundsOf(result, 'threads 2'), [1, 2, 3, 4, 5])
  })

  test('not after two failures beside a success', async () => {
    const answer = ({ executor }, round) => (executor === 'concurrent' && round !== 2 ? failure : success())
    const result = await run({ cells: four, rounds: 5, answer })
    assert.deepEqual(roundsOf(result, 'concurrent 8'), [1, 2, 3, 4, 5])
  })

  test('at once when its limit is not available, and only it', async () => {
    const asked = []
    const runTrial = async ({ cell: plan }) => {
      asked.push(plan.cpus)
      if (plan.cpus === 9) throw new ThreadwiseError('TW_ERR_LIMIT_UNAVAILABLE', { cpus: 9, reason: 'no' })
      return { answer: success(), enforcement: { method: 'none', exact: true, note: '' } }
    }
    const cells = [cell('inline'), cell('inline', 1, { cpus: 9 })]
    const { records } = await run({ cells, rounds: 3, runTrial })
    assert.equal(asked.filter((cpus) => cpus === 9).length, 1)
    assert.match(records[1].unavailable, /9 cannot be applied here: no/)
    assert.equal(records[0].unavailable, undefined)
  })

  test('when racing has decided it, which is asked before every round', async () => {
    const asked = []
    const isDecided = ({ cell: plan, trials }) => {
      asked.push(plan.executor)
      return plan.executor === 'concurrent' && trials.length >= 3
    }
    const result = await run({ cells: four, rounds: 5, isDecided })
    assert.deepEqual(roundsOf(result, 'concurrent 8'), [1, 2, 3])
    assert.equal(asked.filter((executor) => executor === 'inline').length, 5)
  })

  test('any other error of a trial ends the run', async () => {
    const runTrial = async () => {
      throw new RangeError('a bug')
    }
    await assert.rejects(run({ cells: four, runTrial }), RangeError)
  })
})

describe('the rounds stop', () => {
  test('when the time is up, also within a round', async () => {
    let started = 0
    const answer = () => {
      started++
      return success()
    }
    const { asked, complete } = await run({ cells: four, answer, isTimeUp: () => started >= 6 })
    assert.equal(asked.length, 6)
    assert.equal(complete, false)
  })

  test('at once when the signal is aborted, and keep what is known', async () => {
    const controller = new AbortController()
    let trials = 0
    const answer = () => {
      if (++trials === 6) controller.abort()
      return success()
    }
    const { asked, complete, records } = await run({ cells: four, answer, signal: controller.signal })
    assert.equal(asked.length, 6)
    assert.equal(complete, false)
    assert.equal(records.flatMap(({ trials }) => trials.filter(Boolean)).length, 6)
  })

  test('before the first trial when the signal was aborted already', async () => {
    const { asked, complete } = await run({ cells: four, signal: AbortSignal.abort() })
    assert.deepEqual([asked.length, complete], [0, false])
  })
})

describe('racing', () => {
  const record = (plan, rate, rounds = 6) => ({
    cell: plan,
    trials: Array.from({ length: rounds }, (_, i) => (rate === null ? failure : success(rate + (i % 3)))),
  })
  const records = (rounds, changes = {}) => [
    record(cell('inline'), 1000, rounds),
    record(cell('threads', 1), changes.slow ?? 500, rounds),
    record(cell('threads', 2), 1900, rounds),
  ]
  const decided = (all, changes) => all.map((each) => isDecided(each, all, settings(changes)))

  test('drops a cell that is far behind, after round 6 and not before', () => {
    assert.deepEqual(decided(records(5)), [false, false, false])
    assert.deepEqual(decided(records(6)), [false, true, false])
  })

  test('keeps what is near the best, since the smaller may still win', () => {
    assert.deepEqual(decided(records(6, { slow: 1850 })), [false, false, false])
  })

  test('drops nothing with the goal responsive: throughput alone does not decide there', () => {
    assert.deepEqual(decided(records(6), { goal: { kind: 'responsive', loopDelayMs: 10 } }), [
      false,
      false,
      false,
    ])
  })

  test('drops nothing while inline was not measured', () => {
    assert.deepEqual(decided(records(6).slice(1)), [false, false])
  })
})

test('the throughput of a trial counts results only', () => {
  assert.equal(throughputOf({ kind: 'cell', completed: 30, failed: 70, callsPerSecond: 50 }), 15)
  assert.equal(throughputOf({ kind: 'cell', completed: 0, failed: 70, callsPerSecond: 50 }), null)
  assert.equal(throughputOf(failure), null)
  assert.equal(throughputOf(undefined), null)
})
