import { test } from 'node:test'
import assert from 'node:assert/strict'
import { addResults, compareResults } from '../../../../build/measure/compare/compare-results.js'
import { checkExpectations, parseCompareExpectation } from '../../../../build/measure/compare/expectation.js'
import { isEnough } from '../../../../build/measure/compare/enough.js'
import { verdictOf } from '../../../../build/measure/compare/judge.js'

const gave = (name, ...values) => ({ name, results: values.map((value) => ({ value, isSteady: true })) })

test('results are compared by value, input by input, and the first that differ are shown', () => {
  const seen = compareResults('render', [
    gave('old', { a: 1 }, [1, 2], NaN),
    gave('new', { a: 1 }, [1, 3], NaN),
  ])
  assert.deepEqual([seen.equal, seen.differing, seen.unsteady], [2, 1, 0])
  assert.deepEqual(seen.examples, [
    { workload: 'render', name: 'new', input: 1, old: '[ 1, 2 ]', new: '[ 1, 3 ]' },
  ])
})

test('an error is a result, and so is what it says', () => {
  const failing = (error) => ({ name: error, results: [{ error, isSteady: true }] })
  assert.equal(compareResults('x', [failing('Error: a'), failing('Error: a')]).equal, 1)
  assert.equal(compareResults('x', [failing('Error: a'), gave('new', 1)]).differing, 1)
})

test('what is another result each time says nothing', () => {
  const random = { name: 'old', results: [{ value: 0.1, isSteady: false }] }
  const seen = compareResults('x', [random, gave('new', 0.2)])
  assert.deepEqual([seen.equal, seen.differing, seen.unsteady], [0, 0, 1])
  assert.equal(addResults(seen, seen).unsteady, 2)
})

test('a verdict needs the whole interval on one side, and "same" the whole interval within the tolerance', () => {
  assert.equal(verdictOf({ low: 1.01, high: 1.1 }, 0.05), 'slower')
  assert.equal(verdictOf({ low: 0.9, high: 0.99 }, 0.05), 'faster')
  assert.equal(verdictOf({ low: 0.97, high: 1.03 }, 0.05), 'same')
  assert.equal(verdictOf({ low: 0.97, high: 1.06 }, 0.05), 'cannot-tell')
  assert.equal(verdictOf({ low: 1.005, high: 1.01 }, 0.05, 0.02), 'same')
})

const comparison = (metric, low, high) => ({ workload: 'w', name: 'new', metric, ratio: { value: (low + high) / 2, low, high }, verdict: 'cannot-tell' }) // prettier-ignore
const result = (...comparisons) => ({ comparisons, skipped: [], results: { equal: 1, differing: 0, unsteady: 0, examples: [] } }) // prettier-ignore

test('an expectation is missed only where the whole interval lies beyond it', () => {
  const expected = [parseCompareExpectation('slower<5%')]
  const of = (low, high) => checkExpectations(result(comparison('time', low, high)), expected)
  assert.equal(of(1.06, 1.2).missed.length, 1)
  assert.deepEqual([of(1.01, 1.2).missed.length, of(1.01, 1.2).untold.length], [0, 1])
  assert.deepEqual(of(1.01, 1.04), { missed: [], untold: [] })
})

test('fewer requests are slower', () => {
  const { missed } = checkExpectations(result(comparison('throughput', 0.8, 0.9)), [parseCompareExpectation('slower<5%')]) // prettier-ignore
  assert.equal(missed.length, 1)
})

test('what was not measured, and results that differ, cannot be told', () => {
  const expected = [parseCompareExpectation('allocated<10%')]
  assert.match(
    checkExpectations(result(comparison('time', 1, 1)), expected).untold[0],
    /nothing of that was measured/,
  )
  const differing = { ...result(comparison('allocated', 1, 1)), results: { equal: 0, differing: 2, unsteady: 0, examples: [] } } // prettier-ignore
  assert.match(checkExpectations(differing, expected).untold[0], /other results for 2 inputs/)
})

test('an expectation that says nothing is refused, with what may stand there', () => {
  for (const text of ['faster<5%', 'slower<5', 'slower>5%', 'slower<0%', 'slower<500%', ''])
    assert.throws(() => parseCompareExpectation(text), { code: 'TW_ERR_INVALID_OPTION' })
  assert.equal(parseCompareExpectation('slower < 2.5%').most, 0.025)
})

test('without a gate a run goes on until a difference, or that there is none, is known finely', () => {
  const of = (low, high, isGate = false) => isEnough({ value: Math.sqrt(low * high), low, high }, { tolerance: 0.05, isGate }) // prettier-ignore
  assert.equal(of(0.995, 1.005), true)
  assert.equal(of(0.97, 1.03), false)
  assert.equal(of(0.97, 1.03, true), true, 'within the tolerance of a gate')
  assert.equal(of(0.9, 1.03, true), false)
  assert.equal(of(0.6, 0.7), true, 'a large difference, known to a quarter of itself')
})
