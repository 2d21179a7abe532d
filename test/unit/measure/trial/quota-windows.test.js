// Windows under a quota, against a simulated kernel: a task that only computes gains from threads exactly what the limit has for them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countWindow } from '../../../../build/measure/trial/count-window.js'
import { leadUntilPeriod, payableRate } from '../../../../build/measure/trial/quota-period.js'
import { planWindow } from '../../../../build/measure/world/plan-window.js'
import { createRandom } from '../../../../build/measure/stats/random.js'
import { simulatedQuota } from '../../../helpers/simulated-quota.js'

const inline = { executor: 'inline', size: 1, inFlight: 1 }
const cells = [
  { executor: 'concurrent', size: 8, inFlight: 8 },
  { executor: 'threads', size: 1, inFlight: 2 },
  { executor: 'threads', size: 2, inFlight: 4 },
]
const WINDOWS = 60

/** Mean calls per second of some windows, each after a rest in which others have their windows. */
async function rateOf({ executor, size, inFlight }, cpus, callMs, seed) {
  const random = createRandom(seed)
  const threads = executor === 'threads' ? size : 1
  const phase = 100 * random()
  const world = simulatedQuota({ cpus, threads, callMs, phase, areTogether: executor === 'concurrent' })
  const scout = { callUs: 1000 * callMs, cpuUs: 1000 * callMs, cpuShare: 1, uvWork: [] }
  const plan = planWindow({ executor, size, inFlight, cpus }, scout, null, true)
  const known = cpus < 1 ? phase : null
  let total = 0
  for (let i = 0; i < WINDOWS; i++) {
    world.rest(100 + 300 * random())
    const lead = plan.kind === 'span' && { leadMs: leadUntilPeriod(known, world.now(), plan.leadMs) }
    if (plan.kind === 'laps' && known !== null) world.rest(leadUntilPeriod(known, world.now(), 3))
    const used = world.usedMs()
    const observer = { onCounted() {}, mustStop: () => false, now: world.now }
    const { rate, calls } = await countWindow(world.load, { ...plan, ...lead }, observer)
    total += plan.kind === 'span' ? rate : Math.min(rate, payableRate(calls, world.usedMs() - used, cpus))
  }
  return total / WINDOWS
}

describe('a task that only computes', () => {
  for (const cpus of [0.25, 0.5, 0.6, 1, 1.5])
    for (const callMs of [1, 5, 40])
      test(`at ${cpus} CPUs, calls of ${callMs} ms`, async () => {
        const base = await rateOf(inline, cpus, callMs, 1)
        const expected = (1000 * Math.min(1, cpus)) / callMs
        assert.ok(Math.abs(base / expected - 1) < 0.04, `inline ${base} instead of ${expected}`)
        for (const cell of cells) {
          const threads = cell.executor === 'threads' ? cell.size : 1
          const truth = Math.min(cpus, threads) / Math.min(cpus, 1)
          const ratio = (await rateOf(cell, cpus, callMs, 2)) / base
          const label = `${cell.executor} ${cell.size}: ${ratio.toFixed(3)}, and it is ${truth}`
          assert.ok(Math.abs(ratio / truth - 1) < 0.05, label)
        }
      })
})
