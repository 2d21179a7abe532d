// The load on a row: as asked for on fast pages; on slow ones fewer connections, and windows that hold answers.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planLoad, planWarmUp, planWindow } from '../../../../build/measure/server/plan-load.js'

const row = (instances, cpus = 8) => ({ instances, cpus })
const MOST = 32

/** What a page shows while it warms up: each answer computes for `cpuMs` and waits for `waitMs`. */
function warmth({ instances, cpus }, cpuMs, waitMs, knowsCpus = true) {
  const firstMs = cpuMs + waitMs
  const { connections } = planWarmUp(row(instances, cpus), firstMs, 3000)
  const throughput = Math.min((1000 * Math.min(instances, cpus)) / cpuMs, (1000 * connections) / firstMs)
  const serverCpus = knowsCpus ? (throughput * cpuMs) / 1000 : null
  return { firstMs, warm: { connections, seen: { throughput, serverCpus } } }
}

function planOf(cell, { cpuMs, waitMs = 0, most = MOST, knowsCpus }) {
  const { firstMs, warm } = warmth(cell, cpuMs, waitMs, knowsCpus)
  return planLoad(cell, most, firstMs, warm)
}

describe('the load on a row', () => {
  test('of a fast page is what was asked for, in windows of 300 ms', () => {
    for (const instances of [1, 2, 8])
      for (const page of [{ cpuMs: 0.1 }, { cpuMs: 5 }, { cpuMs: 0.2, waitMs: 100 }])
        assert.deepEqual(planOf(row(instances), page), { connections: MOST, spreadMs: 0, leadMs: 100, countMs: 300 }) // prettier-ignore
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
    assert.ok(planOf(row(1), { cpuMs: 200, knowsCpus: false }).connections <= 4)
    const blind = planLoad(row(1), MOST, 5000, null)
    assert.deepEqual([blind.connections, blind.leadMs], [2, 10_000])
    const silent = planLoad(row(1), MOST, 5000, { connections: 1, seen: { throughput: 0, serverCpus: 0 } })
    assert.deepEqual(silent, blind)
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
    const leads = [0, 0.5, 0.999].map((random) => planWindow(slow, 0, () => random).leadMs)
    assert.ok(leads[0] === slow.leadMs && leads[2] > slow.leadMs + 0.49 * slow.spreadMs)
    const fast = planOf(row(1), { cpuMs: 1 })
    assert.equal(planWindow(fast, 0, () => 0.9).leadMs, 100)
    assert.equal(planWindow(fast, 200, () => 0.9).leadMs, 200)
  })
})
