// The load on a row: as asked for on fast pages; on slow ones fewer connections, and windows that hold answers.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  planLoad,
  planWarmUp,
  planWider,
  planSaturationWindow,
} from '../../../../build/measure/server/plan-load.js'

const row = (instances, cpus = 8) => ({ instances, cpus })
const MOST = 32

/** What is known of a page whose answers compute for `cpuMs` and wait for `waitMs`. */
function lookAt(cell, { cpuMs, waitMs = 0, most = MOST, knowsCpus = true }) {
  const firstMs = cpuMs + waitMs
  const { connections } = planWarmUp(cell, firstMs, 3000)
  const answerMs = Math.max(firstMs, (connections * cpuMs) / Math.min(cell.instances, cell.cpus))
  return { row: cell, firstMs, warm: { answerMs, cpuMs: knowsCpus ? cpuMs : null }, most, shared: 16 }
}

const planOf = (cell, page) => planLoad(lookAt(cell, page))

describe('the load on a row', () => {
  test('of a fast page is what was asked for, in windows of 300 ms', () => {
    for (const instances of [1, 2, 8])
      for (const page of [{ cpuMs: 0.1 }, { cpuMs: 5 }, { cpuMs: 0.2, waitMs: 5 }])
        assert.deepEqual(planOf(row(instances), page), { connections: MOST, spreadMs: 0, leadMs: 100, countMs: 300 }) // prettier-ignore
  })

  test('of a page that waits begins little by little, or all its answers would come at once', () => {
    for (const [waitMs, most] of [
      [50, 32],
      [120, 32],
      [1000, 200],
    ]) {
      // prettier-ignore
      const { connections, spreadMs, leadMs } = planOf(row(1), { cpuMs: 0.2, waitMs, most })
      assert.deepEqual([connections, spreadMs], [most, 0.2 + waitMs])
      assert.equal(leadMs, Math.max(100, spreadMs))
    }
  })

  test('of a page that computes for long keeps each process busy, and lets requests wait for less than a second', () => {
    for (const cpuMs of [100, 200, 400])
      for (const instances of [1, 2, 4]) {
        const { connections, leadMs, countMs } = planOf(row(instances), { cpuMs })
        assert.ok(connections >= 2 * instances && connections <= MOST, `${connections} connections`)
        const answerMs = (connections * cpuMs) / instances
        assert.ok(answerMs <= 1000 && leadMs >= answerMs, `${answerMs} ms, after ${leadMs} ms`)
        assert.ok((countMs * instances) / cpuMs >= 4, `${countMs} ms`)
      }
  })

  test('of a page that waits for long has all connections, and windows in which some of them are answered', () => {
    for (const waitMs of [600, 2000, 10_000]) {
      const { connections, spreadMs, leadMs, countMs } = planOf(row(1), { cpuMs: 1, waitMs })
      assert.equal(connections, MOST)
      assert.ok(Math.abs(spreadMs - waitMs) < 0.01 * waitMs, `within ${spreadMs} ms`)
      assert.ok(leadMs >= spreadMs && (countMs * connections) / waitMs >= 4)
    }
  })

  test('fewer connections than were asked for keep a row busy, whatever else its answers wait for', () => {
    for (const cpuMs of [10, 50, 200])
      for (const waitMs of [0, 300, 3000]) {
        const { connections } = planOf(row(2), { cpuMs, waitMs })
        const busy = (connections * cpuMs) / (2 * (cpuMs + waitMs))
        assert.ok(connections === MOST || busy >= 1, `${connections} for ${cpuMs} and ${waitMs} ms`)
      }
  })

  test('counts the CPUs of a limit, and holds where nobody knows how many are used, or what the first look saw was too little', () => {
    const limited = planOf(row(2, 0.5), { cpuMs: 200 })
    assert.ok(limited.leadMs >= (limited.connections * 200) / 0.5)
    for (const instances of [1, 8])
      assert.equal(planOf(row(instances), { cpuMs: 200, knowsCpus: false }).connections, 16)
    const blind = planLoad({ row: row(1), firstMs: 5000, warm: null, most: MOST, shared: 4 })
    assert.deepEqual([blind.connections, blind.leadMs], [4, 20_000])
    const silent = { answerMs: null, cpuMs: null }
    assert.deepEqual(planLoad({ row: row(1), firstMs: 5000, warm: silent, most: MOST, shared: 4 }), blind)
  })

  test('grows once where a process is seen to compute on threads', () => {
    const look = lookAt(row(1, 4), { cpuMs: 250 })
    const plan = planLoad(look)
    assert.equal(planWider(look, plan, { serverCpus: 1.1 }), null)
    assert.equal(planWider(look, plan, { serverCpus: null }), null)
    const wider = planWider(look, plan, { serverCpus: 1.8 })
    assert.ok(wider.connections >= 8)
    assert.equal(planWider(look, wider, { serverCpus: 3.9 }), null)
  })

  test('of one that warms up has a connection for each instance, and not many where answers are slow', () => {
    assert.equal(planWarmUp(row(1), 2, 3000).connections, 8)
    assert.equal(planWarmUp(row(12), 2, 3000).connections, 12)
    assert.equal(planWarmUp(row(2), 5000, 3000).connections, 2)
  })
})

describe('a window', () => {
  test('of slow answers begins anywhere in their rhythm, and with a quota after two of its periods', () => {
    const slow = planOf(row(1), { cpuMs: 200 })
    const leads = [0, 0.5, 0.999].map((random) => planSaturationWindow(slow, 0, () => random).leadMs)
    assert.ok(leads[0] === slow.leadMs && leads[2] > slow.leadMs + 0.49 * slow.spreadMs)
    const fast = planOf(row(1), { cpuMs: 1 })
    assert.equal(planSaturationWindow(fast, 0, () => 0.9).leadMs, 100)
    assert.equal(planSaturationWindow(fast, 200, () => 0.9).leadMs, 200)
  })
})
