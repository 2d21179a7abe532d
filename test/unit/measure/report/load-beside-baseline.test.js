import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  besideBaseline,
  isLoadResult,
} from '../../../../build/measure/report/terminal/load-beside-baseline.js'

const settings = { rate: null, poisson: false, connections: 10, pipelining: 1, method: 'GET' }
const statuses = { 200: 500 }

function run({ throughput = 100, p50 = 80, p99 = 160, ...rest } = {}) {
  const latency = { p50, p90: p99, p99, p999: p99, max: p99 }
  const counts = { requests: 500, errors: 0, statuses, complete: true, limited: false }
  return {
    url: 'http://localhost:3000/report',
    loop: 'closed',
    settings,
    throughput,
    latency,
    ...counts,
    ...rest,
  }
}
const beside = (now, result) => besideBaseline(run(now), { file: 'before.json', result: run(result) })

test('tells by how many times more is answered, and how long answers take now', () => {
  assert.deepEqual(
    beside({ throughput: 183, p50: 51.8, p99: 80.5 }, { throughput: 113, p50: 80.5, p99: 167 }),
    [
      'Beside before.json: 1.62x the answers (183/s instead of 113/s), p50 51.8 ms instead of 80.5 ms, p99 80.5 ms instead of 167 ms.',
    ],
  )
})

test('does not let a small difference of two runs count', () => {
  assert.match(beside({ throughput: 110 })[1], /may be the machine.*takes turns/)
  assert.equal(beside({ throughput: 130 }).length, 1)
})

test('compares only times at a rate, and only by them', () => {
  const open = { loop: 'open', settings: { ...settings, rate: 200 } }
  assert.deepEqual(beside({ ...open, p50: 10, p99: 20 }, open), [
    'Beside before.json: p50 10 ms instead of 80 ms, p99 20 ms instead of 160 ms.',
  ])
})

const cases = {
  'another load': [
    { settings: { ...settings, connections: 100 } },
    {},
    /had --connections 10, and this run has --connections 100/,
  ],
  'a rate beside none': [
    { settings: { ...settings, rate: 50 } },
    {},
    /had no --rate, and this run has --rate 50/,
  ],
  'requests that failed before': [{}, { errors: 200 }, /in before\.json requests failed/],
  'refusals now': [{ statuses: { 200: 300, 503: 200 } }, {}, /in this run requests failed/],
  'nothing that was answered': [{}, { requests: 0 }, /in before\.json nothing was answered/],
  'a generator that was the bottleneck': [
    { limited: true },
    {},
    /in this run the generator was the bottleneck/,
  ],
  'a run that was interrupted': [{}, { complete: false }, /before\.json was interrupted/],
}
for (const [name, [now, before, expected]] of Object.entries(cases))
  test(`compares nothing with ${name}`, () => {
    const told = beside(now, before)
    assert.equal(told.length, 1)
    assert.match(told[0], /^Not compared with before\.json: /)
    assert.match(told[0], expected)
  })

test('compares no other page, and the same one at another port', () => {
  const told = (before, now = {}) => beside(now, { throughput: 50, ...before })[0]
  assert.match(
    told({ url: 'http://localhost:3000/old' }),
    /^Not compared.*: it asked for \/old, and this run for \/report\.$/,
  )
  assert.match(
    told({ url: 'http://localhost:3000/report?day=1' }),
    /^Not compared.*: it asked for \/report\?day=1, /,
  )
  assert.match(told({ url: 'http://localhost:4000/report' }), /^Beside before\.json: 2\.00x /)
})

test('knows the result of a load', () => {
  assert.equal(isLoadResult(run()), true)
  for (const other of [null, 1, {}, { cells: [] }, { ...run(), url: 'x' }, { ...run(), latency: null }])
    assert.equal(isLoadResult(other), false)
})
