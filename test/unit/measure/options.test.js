// Options of measure(): what they become, and what is refused.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resolveOptions } from '../../../build/measure/options.js'

const bad = [
  ['executors', []],
  ['executors', ['thread']],
  ['executors', 'threads'],
  ['sizes', []],
  ['sizes', [0]],
  ['sizes', [1.5]],
  ['sizes', [2000]],
  ['sizes', ['2']],
  ['sizes', 2],
  ['concurrency', []],
  ['concurrency', [0]],
  ['concurrency', 8],
  ['concurrency', 0],
  ['cpus', []],
  ['cpus', [0]],
  ['cpus', [-1]],
  ['cpus', [NaN]],
  ['cpus', [Infinity]],
  ['cpus', ['2']],
  ['cpus', 2],
  ['uv', [0]],
  ['uv', [1025]],
  ['uv', 4],
  ['uv', {}],
  ['rounds', 0],
  ['rounds', 2.5],
  ['rounds', '8'],
  ['budget', 0],
  ['budget', -1],
  ['budget', NaN],
  ['budget', '60'],
  ['precision', 0],
  ['precision', 1],
  ['precision', '0.1'],
  ['worth', 0.9],
  ['worth', NaN],
  ['worth', '2'],
  ['goal', 'responsive'],
  ['goal', null],
  ['goal', {}],
  ['goal', { responsive: 0 }],
  ['goal', { responsive: '20' }],
  ['seed', 1.5],
  ['seed', '1'],
]

describe('resolveOptions refuses', () => {
  for (const [name, value] of bad) {
    test(`${name}: ${JSON.stringify(value)}${Number.isNaN(value) ? ' (NaN)' : ''}`, () => {
      assert.throws(
        () => resolveOptions({ [name]: value }),
        (error) => {
          assert.equal(error.code, 'TW_ERR_INVALID_OPTION', String(error))
          assert.ok(error.message.startsWith(`${name} must be `), error.message)
          return true
        },
      )
    })
  }
})

describe('resolveOptions', () => {
  test('fills in the defaults', () => {
    const { settings, ...rest } = resolveOptions({ cpus: [2], seed: 1 })
    assert.deepEqual(settings, {
      quick: false,
      precision: 0.07,
      worth: 1.2,
      goal: { kind: 'throughput' },
      budgetSeconds: null,
      seed: 1,
      command: 'measure() from threadwise/measure',
    })
    assert.deepEqual(rest.executors, ['inline', 'concurrent', 'threads', 'processes'])
    assert.deepEqual([rest.sizes, rest.uv, rest.concurrency], [[1, 2], [], undefined])
    assert.deepEqual([rest.secondsForEach, rest.rounds], [60, Infinity])
  })

  test('takes powers of two up to the whole CPUs of the largest limit', () => {
    const sizes = (...cpus) => resolveOptions({ cpus }).sizes
    assert.deepEqual(sizes(0.6), [1])
    assert.deepEqual(sizes(1.5), [1])
    assert.deepEqual(sizes(2, 0.6), [1, 2])
    assert.deepEqual(sizes(6), [1, 2, 4, 6])
    assert.deepEqual(sizes(8), [1, 2, 4, 8])
  })

  test('sorts lists and drops what is double', () => {
    const { cpus, sizes, uv } = resolveOptions({ cpus: [2, 0.6, 2], sizes: [4, 1, 4], uv: [8, 4] })
    assert.deepEqual(
      [cpus, sizes, uv],
      [
        [0.6, 2],
        [1, 4],
        [4, 8],
      ],
    )
  })

  test('has a budget for all and less precision when quick', () => {
    const { settings } = resolveOptions({ quick: true })
    assert.deepEqual([settings.precision, settings.budgetSeconds, settings.quick], [0.1, 40, true])
    assert.equal(resolveOptions({ quick: true, budget: 7 }).settings.budgetSeconds, 7)
  })

  test('takes the goal of a responsive loop', () => {
    const { goal } = resolveOptions({ goal: { responsive: 20 } }).settings
    assert.deepEqual(goal, { kind: 'responsive', loopDelayMs: 20 })
  })
})
