// The check of a plan, with real containers for a second. Whether they keep what was predicted is for bench/plan.mjs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuBudget } from '../../../../build/cpu/cpu-budget.js'
import { limitSupport } from '../../../../build/cpu/limit/limit-support.js'
import { checkRanked } from '../../../../build/measure/plan/check-plan.js'
import { createRandom } from '../../../../build/measure/stats/random.js'
import { fixture } from '../../../helpers/program.js'

const canLimit = limitSupport()[0].exact
const { cpus } = cpuBudget({ env: {} })
const row = (more) => ({ containers: 1, cpus: 0.3, instances: 1, threads: 0, use: 0.3, p99: { value: 50, low: 20, high: 90 }, ...more }) // prettier-ignore
const planOf = (signal) => ({
  ...{
    file: fixture('plan/server.js'),
    args: [],
    paths: [{ path: '/health', weight: 1 }],
    arrivals: { kind: 'poisson' },
  },
  ...{ rate: 30, random: createRandom(1), signal, onPhase: () => {} },
})
const calibration = { routes: [{ path: '/health', share: 1, demands: [] }] }

test(
  'runs as many containers as fit, several instances in one, and says what it rests on',
  { skip: !canLimit && 'no CPU limits here' },
  async () => {
    const first = row({ containers: 2 * Math.ceil(cpus / 0.3) })
    const rival = row({ instances: 2 })
    const { signal } = new AbortController()
    const checks = await checkRanked({ first, rival }, planOf(signal), { calibration, seconds: 1 })
    assert.equal(checks.length, 2)
    const [many, one] = checks
    assert.ok(many.containers >= 1 && many.containers * 0.3 <= cpus, String(many.containers))
    assert.match(many.sentence, new RegExp(`${many.containers} of ${first.containers} containers ran here`))
    assert.deepEqual(many.configuration, {
      containers: first.containers,
      cpus: 0.3,
      instances: 1,
      threads: 0,
    })
    assert.deepEqual(many.predicted, { use: 0.3, p99: first.p99 })
    assert.equal(one.containers, 1)
    for (const { measured } of checks)
      assert.ok(measured.p99 > 0 && measured.use >= 0, JSON.stringify(checks))
  },
)

test('says what is beyond this machine, and does not start it', async () => {
  const first = row({ cpus: cpus + 1 })
  const { signal } = new AbortController()
  const [check] = await checkRanked({ first, rival: null }, planOf(signal), { calibration, seconds: 1 })
  assert.deepEqual([check.measured, check.containers], [null, 0])
  assert.match(
    check.sentence,
    /^Not checked: it needs .* CPUs, and this machine has .*: it rests on the model/,
  )
})

test('gives what there is when it is interrupted', async () => {
  const signal = AbortSignal.abort(new Error('interrupted'))
  assert.deepEqual(
    await checkRanked({ first: row(), rival: row() }, planOf(signal), { calibration, seconds: 1 }),
    [],
  )
})
