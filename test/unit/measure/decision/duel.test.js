import { test } from 'node:test'
import assert from 'node:assert/strict'
import { isEnough } from '../../../../build/measure/compare/enough.js'
import { decide } from '../../../../build/measure/decision/decide.js'
import { DEFAULT_RULES } from '../../../../build/measure/decision/rules.js'
import { simulatedWorld } from '../../../helpers/simulated-world.js'

const candidates = [
  { name: 'old', role: 'baseline' },
  { name: 'new', role: 'rival' },
]

/** Pinned to one CPU: short windows, and processes of one version that differ by little. */
const pinned = { isPinned: true, windowMs: 6, white: 0.06, collectionLoss: 0.1, warmCpuMs: 1200, depth: 0.05, tau: 0.005 } // prettier-ignore

async function duels(runs, ratio, { until = 20, isGate = false, ...world } = {}) {
  const duel = { processes: 4, spread: 0.01, alpha: 0.005, isEnough: (rates) => isEnough(rates, { tolerance: 0.05, isGate }) } // prettier-ignore
  const rules = { ...DEFAULT_RULES, until, isSurvey: true, duel }
  const decisions = []
  for (let seed = 1; seed <= runs; seed++) {
    const simulated = simulatedWorld({ old: 1, new: ratio }, { ...pinned, ...world, seed })
    const decision = await decide(candidates, rules, simulated)
    decisions.push({ ...decision, ratio: decision.results.get('new').ratio, opened: simulated.opened, left: simulated.stillOpen() }) // prettier-ignore
  }
  return decisions
}

const isTold = ({ ratio: { low, high } }) => low > 1 || high < 1

test('two versions that are the same are told apart in at most 1 of 60 runs, however much their processes differ', async () => {
  const seen = [...(await duels(30, 1, { until: 12 })), ...(await duels(30, 1, { until: 12, tau: 0.02 }))]
  assert.ok(seen.filter(isTold).length <= 1, `told in ${seen.filter(isTold).length}`)
})

test('a version that is 5 % slower is told in most runs of 20 s, and the interval holds the truth', async () => {
  const seen = await duels(20, 1 / 1.05)
  assert.ok(seen.filter(isTold).length >= 16, `told in ${seen.filter(isTold).length}`)
  for (const { ratio } of seen) assert.ok(ratio.low <= 1 / 1.05 && ratio.high >= 1 / 1.05)
})

test('each version has several processes, no window is in two pairs, and all processes are closed', async () => {
  const [{ windows, opened, left }] = await duels(1, 1, { until: 10 })
  assert.deepEqual([...opened[0]].sort(), ['new', 'new', 'new', 'new', 'old', 'old', 'old', 'old'])
  assert.equal(left, 0)
  const pairs = new Map()
  for (const window of windows) pairs.set(window.pair, [...(pairs.get(window.pair) ?? []), window.candidate])
  const whole = [...pairs.values()].slice(0, -1) // the time may be up within the last one
  for (const pair of whole) assert.deepEqual([...pair].sort(), ['new', 'old'])
  assert.ok(whole.some(([first]) => first === 'new') && whole.some(([first]) => first === 'old'))
})

test('a gate ends as soon as it is known on which side of the tolerance a version lies', async () => {
  const isDecided = ({ why }) => why === 'run'
  assert.ok((await duels(5, 1 / 1.4, { isGate: true })).every(isDecided))
  assert.ok((await duels(5, 1.2, { isGate: true })).every(isDecided))
})
