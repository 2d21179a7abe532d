// What a build expects of a load.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missedLoadExpectations, parseLoadExpectation } from '../../../../build/measure/load/expectations.js'

const result = {
  ...{ requests: 95, errors: 5, statuses: { 200: 90, 500: 5 }, throughput: 100 },
  latency: { p50: 2, p90: 10, p99: 50, p999: 80, max: 90 },
}
const missed = (...texts) => missedLoadExpectations(result, texts.map(parseLoadExpectation))

test('what holds', () => {
  assert.deepEqual(missed('p99<=50', 'p99 < 51ms', 'max<0.1s', 'p99.9<81', 'p50>1', 'errors<=10%', 'errors<11', 'throughput>=100/s'), []) // prettier-ignore
})

test('what does not, each with what was found', () => {
  assert.deepEqual(missed('p99<50', 'errors<10%', 'errors<=9', 'throughput>100'), [
    'p99<50 was expected, and p99 is 50.0 ms.',
    'errors<10% was expected, and errors is 10.00 %.',
    'errors<=9 was expected, and errors is 10.',
    'throughput>100 was expected, and throughput is 100.0/s.',
  ])
})

test('without expectations at most 5 % may fail, refusals included', () => {
  assert.match(
    missedLoadExpectations(result, [])[0],
    /^10 of 100 requests failed, more than 5 % \(choose another bound/,
  )
  const nobody = { ...result, requests: 0, errors: 7, statuses: {} }
  assert.deepEqual(missedLoadExpectations(nobody, []), ['7 of 7 requests failed, more than 5 %.'])
  assert.deepEqual(missedLoadExpectations({ ...result, errors: 0, statuses: { 200: 95 } }, []), [])
})

test('where nothing was measured nothing holds', () => {
  const nothing = { requests: 0, errors: 0, statuses: {}, throughput: 0, latency: { p99: null } }
  const found = missedLoadExpectations(nothing, ['p99<50', 'errors<1%'].map(parseLoadExpectation))
  assert.deepEqual(found.map((text) => /unknown: nothing was measured/.test(text)), [true, true]) // prettier-ignore
})

test('what is no expectation', () => {
  for (const text of [
    '',
    'p99',
    'p98<5',
    'p99<',
    'p99<5%',
    'errors<5ms',
    'throughput>5ms',
    'p99=5',
    'errors<-1',
  ])
    assert.throws(() => parseLoadExpectation(text), {
      code: 'TW_ERR_INVALID_OPTION',
      message: /^expect must be/,
    })
})
