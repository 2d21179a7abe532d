// Which cells a measurement consists of.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planCells } from '../../../build/measure/plan-cells.js'
import { scout } from './cells.js'

const source = { kind: 'file', url: 'file:///w.js' }
const all = ['inline', 'concurrent', 'threads', 'processes']

function plan(changes = {}) {
  return planCells({
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
const name = ({ executor, size, uv, isAgain }) =>
  `${executor} ${size}${uv === null ? '' : ` uv ${uv}`}${isAgain ? ' again' : ''}`
const find = (cells, executor, size) =>
  cells.find((cell) => cell.executor === executor && cell.size === size && cell.uv === null)

describe('planCells', () => {
  test('plans inline twice, and every size of every executor', () => {
    assert.deepEqual(plan().map(name), [
      'inline 1',
      'inline 1 again',
      'concurrent 8',
      'threads 1',
      'threads 2',
      'processes 1',
      'processes 2',
    ])
  })

  test('always measures inline, also when it was not asked for', () => {
    assert.deepEqual(plan({ executors: ['threads'], sizes: [3] }).map(name), [
      'inline 1',
      'inline 1 again',
      'threads 3',
    ])
  })

  test('does so for each limit and each variant', () => {
    const cells = plan({ scout: { long: scout(), short: scout() }, cpus: [0.6, 2], executors: [] })
    assert.deepEqual(
      cells.map(({ variant, cpus, isAgain }) => [variant, cpus, isAgain ?? false]),
      ['long', 'short'].flatMap((variant) =>
        [0.6, 2].flatMap((cpus) => [false, true].map((again) => [variant, cpus, again])),
      ),
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
      'inline 1 again',
      'threads 1',
      'inline 1 uv 4',
      'threads 1 uv 4',
      'inline 1 uv 16',
      'threads 1 uv 16',
    ])
    assert.ok(plan({ uv: [4, 16] }).every(({ uv }) => uv === null))
  })
})
