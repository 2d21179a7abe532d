// Which cells a measurement consists of, and which of them the time is enough for.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planFamilies } from '../../../build/measure/plan-cells.js'
import { fitBudget } from '../../../build/measure/fit-budget.js'
import { scout } from './cells.js'

const source = { kind: 'file', url: 'file:///w.js' }
const all = ['inline', 'concurrent', 'threads', 'processes']

function families(changes = {}) {
  return planFamilies({
    source,
    scout: { love: scout() },
    executors: all,
    sizes: [1, 2],
    concurrency: undefined,
    cpus: [2],
    uv: [],
    quick: false,
    ...changes,
  })
}
const plan = (changes) => families(changes).flatMap(({ entries }) => entries.map(({ cell }) => cell))
const name = ({ executor, size, uv }) => `${executor} ${size}${uv === null ? '' : ` uv ${uv}`}`
const find = (cells, executor, size) =>
  cells.find((cell) => cell.executor === executor && cell.size === size && cell.uv === null)

describe('planFamilies', () => {
  test('plans inline as the baseline, and every size of every executor', () => {
    const [{ entries }] = families()
    assert.deepEqual(
      entries.map(({ cell, role }) => `${name(cell)} ${role}`),
      [
        'inline 1 baseline',
        'concurrent 8 control',
        'threads 1 rival',
        'threads 2 rival',
        'processes 1 rival',
        'processes 2 rival',
      ],
    )
  })

  test('lets concurrent compete where calls can overlap, or where somebody asks for it', () => {
    const roleOf = (changes) =>
      families(changes)[0].entries.find(({ cell }) => cell.executor === 'concurrent').role
    assert.equal(roleOf({ scout: { love: scout({ cpuUs: 5000 }) } }), 'rival')
    assert.equal(roleOf({ scout: { love: scout({ uvWork: ['FSREQPROMISE'] }) } }), 'rival')
    assert.equal(roleOf({ concurrency: [2] }), 'rival')
  })

  test('always measures inline, also when it was not asked for', () => {
    assert.deepEqual(plan({ executors: ['threads'], sizes: [3] }).map(name), ['inline 1', 'threads 3'])
  })

  test('makes a family for each limit and each variant', () => {
    const made = families({ scout: { long: scout(), short: scout() }, cpus: [0.6, 2], executors: [] })
    assert.deepEqual(
      made.map(({ variant, cpus }) => [variant, cpus]),
      [
        ['long', 0.6],
        ['short', 0.6],
        ['long', 2],
        ['short', 2],
      ],
    )
  })

  test('tries several concurrencies where calls wait, fewer of them when quick, and those given', () => {
    const waiting = { scout: { love: scout({ cpuUs: 1000 }) }, executors: ['concurrent'] }
    const sizes = (changes) =>
      plan({ ...waiting, ...changes })
        .filter(({ executor }) => executor === 'concurrent')
        .map(({ size }) => size)
    assert.deepEqual(sizes({}), [4, 16, 64])
    assert.deepEqual(sizes({ quick: true }), [8, 64])
    assert.deepEqual(sizes({ concurrency: [3, 5] }), [3, 5])
  })

  test('keeps as many calls open for a pool as for the widest concurrent cell, where calls wait', () => {
    const cells = plan({ scout: { love: scout({ cpuUs: 1000 }) } })
    assert.deepEqual([find(cells, 'threads', 1).inFlight, find(cells, 'threads', 2).inFlight], [64, 64])
    assert.equal(find(cells, 'inline', 1).inFlight, 1)
  })

  test('treats work in the libuv pool as waiting, though it is CPU time of the process', () => {
    const cells = plan({ scout: { love: scout({ uvWork: ['PBKDF2REQUEST'] }) } })
    assert.equal(find(cells, 'concurrent', 64).inFlight, 64)
  })

  test('keeps two long calls open for each worker, and up to 64 short ones', () => {
    const inFlight = (callUs) => find(plan({ scout: { love: scout({ callUs }) } }), 'threads', 2).inFlight
    assert.equal(inFlight(5000), 4)
    assert.equal(inFlight(100), 20)
    assert.equal(inFlight(0.5), 128)
  })

  test('repeats the cells for each size of the libuv pool, only where the task uses it', () => {
    const uses = { love: scout({ uvWork: ['FSREQPROMISE'] }) }
    const cells = plan({ scout: uses, uv: [4, 16], executors: ['threads'], sizes: [1] })
    assert.deepEqual(cells.map(name), [
      'inline 1',
      'threads 1',
      'inline 1 uv 4',
      'threads 1 uv 4',
      'inline 1 uv 16',
      'threads 1 uv 16',
    ])
    assert.ok(plan({ uv: [4, 16] }).every(({ uv }) => uv === null))
  })

  test('gives fresh arguments to a task that changes them', () => {
    assert.ok(plan({ scout: { love: scout({ changesInput: true }) } }).every(({ fresh }) => fresh))
    assert.ok(plan().every(({ fresh }) => !fresh))
  })
})

describe('fitBudget', () => {
  const fit = (callUs, seconds, changes = {}) => {
    const facts = scout({ callUs, ...changes })
    const { entries, dropped, neededSeconds } = fitBudget(
      families({ scout: { love: facts } })[0],
      facts,
      seconds,
    )
    return {
      left: entries.map(({ cell }) => name(cell)),
      dropped: dropped.map(({ cell }) => name(cell)),
      neededSeconds,
    }
  }

  test('leaves out nothing while calls are short', () => {
    assert.deepEqual(fit(10_000, 1).dropped, [])
  })

  test('leaves out the control first, then processes, then the smaller threads', () => {
    assert.deepEqual(fit(0.35e6, 20).dropped, ['concurrent 8'])
    assert.deepEqual(fit(1e6, 30).dropped, ['concurrent 8', 'processes 1', 'processes 2'])
    assert.deepEqual(fit(2e6, 30).left, ['inline 1', 'threads 2'])
  })

  test('says how long even the least would take', () => {
    assert.equal(fit(10e6, 40).neededSeconds, 120)
    assert.equal(fit(2e6, 30).neededSeconds, null)
  })

  test('counts calls that wait only once, since they are made at the same time', () => {
    assert.deepEqual(fit(4e6, 40, { cpuUs: 100 }).dropped, [])
    assert.equal(fit(10e6, 40, { cpuUs: 100 }).neededSeconds, 60)
  })
})
