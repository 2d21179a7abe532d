// What measure() advises, on tasks whose times are known exactly.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { measureIn } from '../../../build/measure/measure.js'
import { fakeSurroundings } from '../../helpers/fake-trials.js'

const file = new URL('../../fixtures/measured/tasks.js', import.meta.url)

async function measureFake(task, options = {}) {
  const { surroundings, asked } = fakeSurroundings(task)
  const result = await measureIn(surroundings, file, { task: 'add', cpus: [2], seed: 1, ...options })
  const find = (executor, size = 1, cpus = result.cells[0].cpus) =>
    result.cells.find((cell) => cell.executor === executor && cell.size === size && cell.cpus === cpus)
  const reasons = result.advice[0]?.reasons.map(({ id }) => id)
  return { result, asked, advice: result.advice[0], reasons, find }
}

const within = (value, low, high) => assert.ok(value >= low && value <= high, `${value} in ${low} to ${high}`)

describe('measure() advises', () => {
  test('inline for a task of nanoseconds: it is too small to hand over', async () => {
    const { advice, reasons, find } = await measureFake({ cpuUs: 0.3 })
    assert.deepEqual([advice.executor, advice.size], ['inline', 1])
    assert.equal(find('threads', 1).verdict, 'slower')
    assert.ok(find('threads', 2).ratio.high < 0.1)
    assert.ok(reasons.includes('task-too-small'), reasons.join())
  })

  test('2 threads for 5 ms of CPU on 2 CPUs, though 2 processes are as fast', async () => {
    const { advice, find } = await measureFake({ cpuUs: 5000 })
    assert.deepEqual([advice.executor, advice.size, advice.verdict], ['threads', 2, 'faster'])
    within(find('threads', 2).ratio.value, 1.9, 2.05)
    within(find('processes', 2).ratio.value, 1.9, 2.05)
    within(find('threads', 1).ratio.value, 0.93, 1.07)
    assert.ok(find('threads', 1).noGain)
    assert.match(
      advice.sentence,
      /^Run add on 2 threads: [12]\.\d\dx the calls of inline .*, and the loop is/,
    )
  })

  test('concurrent, and not threads, for a timer of 20 ms', async () => {
    const { advice, reasons, find } = await measureFake({ cpuUs: 20, waitUs: 20_000 })
    assert.equal(advice.executor, 'concurrent')
    assert.equal(advice.size, 64)
    assert.ok(reasons.includes('wait-bound'), reasons.join())
    assert.equal(find('threads', 2).inFlight, 64, 'pools get as many open calls')
  })

  test('no threads for 5 ms of CPU at 0.6 CPU, and says what they cost', async () => {
    const { advice, reasons, find } = await measureFake({ cpuUs: 5000 }, { cpus: [0.6], sizes: [1, 2] })
    assert.equal(advice.executor, 'inline')
    assert.ok(find('threads', 2).noGain)
    assert.ok(reasons.includes('quota-below-one'), reasons.join())
    within(find('inline').throttled, 39, 41)
    within(find('threads', 2).throttled, 69, 71)
  })

  test('each limit for itself: 2 threads at 2 CPUs, inline at 0.6', async () => {
    const { result } = await measureFake({ cpuUs: 5000 }, { cpus: [2, 0.6] })
    assert.deepEqual(
      result.advice.map(({ cpus, executor, size }) => [cpus, executor, size]),
      [
        [0.6, 'inline', 1],
        [2, 'threads', 2],
      ],
    )
  })

  test('inline for a little work on megabytes: copying them costs more', async () => {
    const { advice, reasons } = await measureFake({ cpuUs: 1000, copyUs: 3000, argumentBytes: 5e6 })
    assert.equal(advice.executor, 'inline')
    assert.ok(reasons.includes('copy-bound'), reasons.join())
    assert.ok(!reasons.includes('task-too-small'), reasons.join())
  })

  test('concurrent for asynchronous file reads', async () => {
    const { advice } = await measureFake({ cpuUs: 60, waitUs: 140, uvWork: ['FSREQPROMISE'], handOverUs: 60 })
    assert.equal(advice.executor, 'concurrent')
    assert.equal(advice.verdict, 'faster')
  })

  test('a larger pool of libuv where that is what limits the task', async () => {
    const task = { cpuUs: 100, waitUs: 8000, uvWork: ['PBKDF2REQUEST'] }
    const { advice, reasons } = await measureFake(task, { uv: [16] })
    assert.deepEqual([advice.executor, advice.uv], ['concurrent', 16])
    assert.ok(reasons.includes('uv-pool'), reasons.join())
  })

  test('inline where everything is equal, and is sure of it', async () => {
    const { advice, result } = await measureFake({ throughputOf: () => 1000 })
    assert.deepEqual([advice.executor, advice.isSettled], ['inline', true])
    for (const { executor, noGain } of result.cells) assert.equal(noGain, executor !== 'inline')
  })

  test('inline when the gain is smaller than what is worth it', async () => {
    const { advice, find } = await measureFake({ cpuUs: 5000 }, { worth: 3 })
    assert.equal(find('threads', 2).verdict, 'faster')
    assert.equal(advice.executor, 'inline')
    assert.match(advice.sentence, /less than the 3\.00x that would be worth it/)
  })

  test('a thread for responsiveness where it is no faster, if that is the goal', async () => {
    const task = { cpuUs: 60_000 }
    const forSpeed = await measureFake(task, { cpus: [1] })
    assert.equal(forSpeed.advice.executor, 'inline')
    const { advice, find } = await measureFake(task, { cpus: [1], goal: { responsive: 20 } })
    assert.ok(find('inline').loopDelay.p99 > 50)
    assert.deepEqual([advice.executor, advice.size], ['threads', 1])
    assert.match(advice.sentence, /for responsiveness, not for speed/)
  })
})

describe('measure() finds', () => {
  test('a leak', async () => {
    const { advice } = await measureFake({ cpuUs: 100, leakBytesPerCall: 5000 })
    const leak = advice.reasons.find(({ id }) => id === 'leak')
    assert.equal(leak.evidence.leakBytesPerCall, 5000)
  })

  test('no leak where there is none', async () => {
    const { reasons } = await measureFake({ cpuUs: 100 })
    assert.ok(!reasons.includes('leak'))
  })

  test('errors of one call in ten, and still gives verdicts', async () => {
    const { advice, find } = await measureFake({ cpuUs: 500, errorRate: 0.1, firstError: 'Error: no luck' })
    const errors = advice.reasons.find(({ id }) => id === 'errors')
    within(errors.evidence.errorRate, 0.09, 0.11)
    assert.equal(errors.evidence.firstError, 'Error: no luck')
    assert.equal(find('threads', 2).failed, null)
    assert.equal(find('threads', 2).verdict, 'faster')
    assert.deepEqual([advice.executor, advice.size], ['threads', 2])
  })

  test('no more than one false alarm in twenty among equal cells with 3 % noise', async () => {
    let alarms = 0
    for (let seed = 1; seed <= 40; seed++) {
      const { result } = await measureFake({ throughputOf: () => 1000, noise: 0.03, seed }, { seed })
      if (result.cells.some(({ verdict }) => verdict === 'faster' || verdict === 'slower')) alarms++
    }
    assert.ok(alarms <= 2, `${alarms} of 40 runs`)
  })

  test('a gain of half as much again despite 3 % noise, in every run', async () => {
    const throughputOf = ({ executor }) => (executor === 'threads' ? 1500 : 1000)
    for (let seed = 1; seed <= 5; seed++) {
      const { advice } = await measureFake({ throughputOf, noise: 0.03, seed }, { seed })
      assert.deepEqual([advice.executor, advice.size, advice.verdict], ['threads', 1, 'faster'])
    }
  })
})
