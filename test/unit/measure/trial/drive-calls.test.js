// The load of a trial: how many calls are open, and what is counted.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CallDriver } from '../../../../build/measure/trial/drive-calls.js'
import { nextTurn } from '../../../helpers/waiting.js'

/** Calls that end when the test says so. */
function manualCalls() {
  const open = new Map()
  const started = []
  const call = (index) => {
    started.push(index)
    return new Promise((resolve, reject) => open.set(index, { resolve, reject }))
  }
  const end = async (index, error) => {
    const { resolve, reject } = open.get(index)
    open.delete(index)
    if (error) reject(error)
    else resolve()
    await nextTurn()
  }
  return { call, open, started, end }
}

describe('CallDriver', () => {
  test('keeps exactly as many calls open as it was told', async () => {
    const { call, open, started, end } = manualCalls()
    const driver = new CallDriver({ inFlight: 3, ownThread: false, call })
    assert.deepEqual(started, [0, 1, 2])
    await end(1)
    assert.deepEqual(started, [0, 1, 2, 3])
    assert.equal(open.size, 3)
    const stopped = driver.stop()
    for (const index of [...open.keys()]) await end(index)
    await stopped
    assert.equal(open.size, 0, 'and starts none after stop()')
    assert.equal(started.length, 4)
  })

  test('counts results and failures apart, with the first message', async () => {
    const { call, open, end } = manualCalls()
    const driver = new CallDriver({ inFlight: 1, ownThread: false, call })
    const run = driver.runFor(0)
    await end(0, new Error('first'))
    const { counts, seconds } = await run
    assert.deepEqual([counts.completed, counts.failed, counts.firstError], [0, 1, 'Error: first'])
    assert.equal(counts.latency.count, 1)
    assert.ok(seconds > 0)

    const next = driver.runFor(0)
    await end(1)
    const after = await next
    assert.deepEqual([after.counts.completed, after.counts.failed, after.counts.firstError], [1, 0, null])
    const stopped = driver.stop()
    await end([...open.keys()][0])
    await stopped
  })

  test('counts until the first call that ends after the time', async () => {
    let calls = 0
    const call = async () => void calls++
    const driver = new CallDriver({ inFlight: 2, ownThread: true, call })
    const { counts, seconds } = await driver.runFor(5)
    await driver.stop()
    assert.ok(seconds >= 0.005)
    assert.ok(counts.completed > 0 && counts.completed <= calls)
    assert.equal(counts.latency.count, counts.completed)
  })

  test('sees the rate of calls that all end together, as long as it waits for enough of them', async (t) => {
    const clock = { ms: 1000 }
    t.mock.method(performance, 'now', () => clock.ms)
    const open = []
    const driver = new CallDriver({
      inFlight: 50,
      ownThread: false,
      call: () => new Promise((resolve) => open.push(resolve)),
    })
    let isDone = false
    const measured = driver.runFor(300, { calls: 100 }).finally(() => (isDone = true))
    for (let turns = 0; !isDone && turns < 20; turns++) {
      clock.ms += 500 // 50 calls in each 500 ms
      for (const resolve of open.splice(0)) resolve()
      await nextTurn()
    }
    const { callsPerSecond } = await measured
    assert.equal(callsPerSecond, 100)
  })

  for (let phase = 0; phase < 100; phase += 10) {
    test(`sees the same rate wherever in a quota's period a window begins (${phase} ms)`, async (t) => {
      const clock = { ms: 1000 + phase }
      t.mock.method(performance, 'now', () => clock.ms)
      /** 8 ms of CPU under a quota of 60 ms in each 100 ms; frozen for the rest. */
      const call = async () => {
        for (let left = 8; left > 0; clock.ms++) if (clock.ms % 100 < 60) left--
      }
      const driver = new CallDriver({ inFlight: 1, ownThread: true, call })
      await driver.runFor(70 + phase / 2)
      await nextTurn()
      const { callsPerSecond } = await driver.runFor(300)
      await driver.stop()
      assert.ok(Math.abs(callsPerSecond / 75 - 1) < 0.04, `${callsPerSecond} calls/s, true are 75`)
    })
  }

  test('lets the event loop turn between calls that never wait', async () => {
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const driver = new CallDriver({ inFlight: 1, ownThread: true, call: async () => {} })
    await driver.runFor(200)
    isOver = true
    await driver.stop()
    assert.ok(turns > 1, `${turns} turns`)
  })

  test('survives what is thrown that is no error', async () => {
    const { call, end, open } = manualCalls()
    const driver = new CallDriver({ inFlight: 1, ownThread: false, call })
    const run = driver.runFor(0)
    open.get(0).reject('just text')
    open.delete(0)
    assert.equal((await run).counts.firstError, 'just text')
    const stopped = driver.stop()
    await nextTurn()
    await end([...open.keys()][0])
    await stopped
  })
})
