import { test } from 'node:test'
import assert from 'node:assert/strict'
import { decide } from '../../../../build/measure/decision/decide.js'
import { DEFAULT_RULES } from '../../../../build/measure/decision/rules.js'
import { simulatedWorld } from '../../../helpers/simulated-world.js'

const candidates = [
  { name: 'inline', role: 'baseline' },
  { name: 'concurrent 8', role: 'rival' },
  { name: 'threads 1', role: 'rival' },
  { name: 'threads 2', role: 'rival', workers: 2 },
  { name: 'processes 1', role: 'rival' },
  { name: 'processes 2', role: 'rival', workers: 2 },
]
const slower = { inline: 1, 'concurrent 8': 1, 'threads 1': 0.8, 'processes 1': 0.7 }
const rules = { ...DEFAULT_RULES, until: 40, machineCpus: 2 }
const gain = (ratio) => ({ ...slower, 'threads 2': ratio, 'processes 2': ratio * 0.85 })

async function study(runs, truth, world = {}) {
  const decisions = []
  for (let seed = 1; seed <= runs; seed++)
    decisions.push(await decide(candidates, rules, simulatedWorld(truth, { ...world, seed })))
  const share = (isSo) => decisions.filter(isSo).length / runs
  const of = (name) => (decision) => decision.results.get(name)
  return {
    decisions,
    share,
    verdicts: (name, verdict) => share((decision) => of(name)(decision).verdict === verdict),
    covered: (name) =>
      share((decision) => {
        const { low, high } = of(name)(decision).ratio
        return low <= truth[name] && truth[name] <= high
      }),
    bias: (name) => {
      const errors = decisions.map((decision) => Math.log(of(name)(decision).ratio.value / truth[name]))
      return errors.reduce((a, b) => a + b, 0) / runs
    },
  }
}

const isWon = ({ results }) =>
  results.get('threads 2').verdict === 'faster' && results.get('threads 2').ratio.value >= 1.2

test('a gain of 1.3 is told in 95 of 100 runs, and its interval holds the truth', async () => {
  const runs = await study(200, gain(1.3))
  assert.ok(runs.share(isWon) >= 0.95, `told in ${runs.share(isWon)}`)
  assert.ok(runs.covered('threads 2') >= 0.95, `covered in ${runs.covered('threads 2')}`)
  assert.ok(Math.abs(runs.bias('threads 2')) < 0.03, `bias ${runs.bias('threads 2')}`)
})

test('a gain of 1.5 or 2 is always told, before the time is up', async () => {
  for (const ratio of [1.5, 2]) {
    const runs = await study(60, gain(ratio))
    assert.equal(runs.share(isWon), 1)
    assert.ok(
      runs.share(({ why }) => why === 'run') >= 0.9,
      `${ratio}: ended early in ${runs.share(({ why }) => why === 'run')}`,
    )
  }
})

test('where nothing gains, nothing is told to be faster or slower, in 98 of 100 runs', async () => {
  const even = Object.fromEntries(candidates.map(({ name }) => [name, 1]))
  const runs = await study(200, even)
  const isFalse = ({ results }) =>
    [...results.values()].some(({ verdict }) => verdict === 'faster' || verdict === 'slower')
  assert.ok(runs.share(isFalse) <= 0.02, `false alarms in ${runs.share(isFalse)}`)
  for (const { name } of candidates.slice(1))
    assert.ok(runs.covered(name) >= 0.95, `${name}: ${runs.covered(name)}`)
})

test('a loss is told as such, and inline is kept early', async () => {
  const runs = await study(60, gain(0.77))
  assert.ok(runs.share(({ why }) => why === 'keep') >= 0.95)
  // Who cannot win leaves after 20 windows, also where it is not known by then how slow it is.
  const slower = runs.verdicts('processes 1', 'slower')
  assert.ok(slower >= 0.8, `told as slower in ${slower}`)
  assert.equal(slower + runs.verdicts('processes 1', 'no-gain'), 1)
  assert.ok(runs.share(isWon) === 0)
})

test('processes that differ by 4.5 % leave most of the power, and all of the honesty', async () => {
  const runs = await study(60, gain(1.3), { tau: 0.045 })
  assert.ok(runs.share(isWon) >= 0.85, `told in ${runs.share(isWon)}`)
  assert.ok(runs.covered('threads 2') >= 0.95, `covered in ${runs.covered('threads 2')}`)
})

test('others who work a third of the time cost time, and not the truth', async () => {
  const runs = await study(60, gain(1.5), { loadPeriodMs: 6000, loadMs: 2000 })
  assert.ok(runs.share(isWon) >= 0.95, `told in ${runs.share(isWon)}`)
  assert.ok(runs.covered('threads 2') >= 0.95, `covered in ${runs.covered('threads 2')}`)
  assert.ok(runs.decisions.every(({ disturbed }) => disturbed > 0 && disturbed < 0.5))
})
