import { test } from 'node:test'
import assert from 'node:assert/strict'
import { decide } from '../../../../build/measure/decision/decide.js'
import { DEFAULT_RULES } from '../../../../build/measure/decision/rules.js'
import { simulatedWorld } from '../../../helpers/simulated-world.js'

const candidates = [
  { name: 'inline', role: 'baseline' },
  { name: 'threads 1', role: 'rival' },
  { name: 'threads 2', role: 'rival', workers: 2 },
]
const truth = { inline: 1, 'threads 1': 0.8, 'threads 2': 1.6 }
const rules = { ...DEFAULT_RULES, until: 40, machineCpus: 2 }

test('every candidate starts once and the baseline twice, then the baseline and the leaders once more', async () => {
  const world = simulatedWorld(truth)
  await decide(candidates, rules, world)
  assert.deepEqual(world.opened[0], ['inline', 'threads 1', 'threads 2', 'inline'])
  assert.deepEqual(world.opened[1], ['inline', 'threads 2'])
  assert.equal(world.stillOpen(), 0)
})

test('a candidate that does not start, or fails later, has a reason and takes nothing with it', async () => {
  const world = simulatedWorld(truth, { failsAfter: { 'threads 1': 0 } })
  const { failures, results, why } = await decide(candidates, rules, world)
  assert.equal(failures.get('threads 1'), 'it did not start')
  assert.equal(why, 'run')
  assert.equal(results.get('threads 2').verdict, 'faster')

  const later = await decide(candidates, rules, simulatedWorld(truth, { failsAfter: { 'threads 1': 3 } }))
  assert.equal(later.failures.get('threads 1'), 'it ended with exit code 3')
  assert.equal(later.results.get('threads 2').verdict, 'faster')
})

test('without a baseline nothing is compared, and the rest is looked at all the same', async () => {
  const world = simulatedWorld(truth, { failsAfter: { inline: 0 } })
  const { why, results, failures, windows } = await decide(candidates, rules, world)
  assert.equal(why, 'no-baseline')
  assert.equal(results.size, 0)
  assert.ok(failures.has('inline'))
  assert.ok(windows.filter(({ candidate }) => candidate === 'threads 2').length >= 20)
  assert.ok(world.seconds() < 20)
})

test('when everything fails it ends at once', async () => {
  const world = simulatedWorld(truth, { failsAfter: { inline: 0, 'threads 1': 0, 'threads 2': 0 } })
  const { failures } = await decide(candidates, rules, world)
  assert.equal(failures.size, 3)
  assert.ok(world.seconds() < 10)
})

test('a process that wears out is replaced', async () => {
  const world = simulatedWorld(truth, { wornAfter: { 'threads 2': 15 } })
  const { results, failures } = await decide(candidates, rules, world)
  assert.equal(failures.size, 0)
  assert.equal(results.get('threads 2').verdict, 'faster')
  assert.ok(results.get('threads 2').processes >= 3)
  assert.equal(world.stillOpen(), 0)
})

test('when all have worn out as often as they may, it ends with what is known', async () => {
  const wornAfter = { inline: 6, 'threads 1': 6, 'threads 2': 6 }
  const world = simulatedWorld(truth, { wornAfter })
  const { results } = await decide(candidates, rules, world)
  assert.equal(results.get('threads 2').verdict, 'faster')
  assert.ok(world.opened.every((cohort) => cohort.length > 0))
  assert.equal(world.stillOpen(), 0)
  assert.ok(world.seconds() < rules.until)
})

test('what is not eligible is measured, and does not decide', async () => {
  const isEligible = (name) => name !== 'threads 2'
  const { why, results } = await decide(candidates, { ...rules, isEligible }, simulatedWorld(truth))
  assert.equal(why, 'keep')
  assert.ok(results.get('threads 2').pairs >= 20)
})

test('"keep" waits until something is known of a control, and not for ever', async () => {
  const withControl = [...candidates, { name: 'concurrent 8', role: 'control' }]
  const slow = { inline: 1, 'threads 1': 0.1, 'threads 2': 0.1, 'concurrent 8': 1.02 }
  const { why, results } = await decide(withControl, rules, simulatedWorld(slow))
  assert.equal(why, 'keep')
  assert.ok(results.get('concurrent 8').pairs >= 15, `${results.get('concurrent 8').pairs} pairs`)

  const isUnknown = simulatedWorld(slow, { failsAfter: { 'concurrent 8': 0 } })
  assert.equal((await decide(withControl, rules, isUnknown)).why, 'keep')
  assert.ok(isUnknown.seconds() < 20)
})

test('it ends within its time, and at once when it is stopped', async () => {
  const world = simulatedWorld({ ...truth, 'threads 2': 1.2 }, { tau: 0 })
  assert.equal((await decide(candidates, { ...rules, until: 12 }, world)).why, 'time')
  assert.ok(world.seconds() < 12.1, `${world.seconds()}`)

  const stopped = simulatedWorld(truth)
  stopped.isStopped = () => stopped.seconds() > 8
  assert.equal((await decide(candidates, rules, stopped)).why, 'stopped')
  assert.ok(stopped.seconds() < 8.1)
  assert.equal(stopped.stillOpen(), 0)
})

test('two processes of the baseline agree with each other', async () => {
  const { twin } = await decide(candidates, rules, simulatedWorld(truth))
  assert.ok(twin.low < 1 && twin.high > 1 && twin.value > 0.85 && twin.value < 1.18, JSON.stringify(twin))
})
