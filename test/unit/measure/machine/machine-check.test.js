// When a machine counts as quiet, noisy or unusable.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judge, startMachineCheck } from '../../../../build/measure/machine/machine-check.js'

const quiet = { calibrationMs: [10, 10, 10, 10], stealPercent: 0, otherCpus: 0, pressurePercent: 0 }
const verdictOf = (changes, cpus = 2) => judge({ ...quiet, ...changes }, cpus).verdict

describe('judge', () => {
  test('calls a machine quiet on which nothing happens, and gives no reasons', () => {
    assert.deepEqual(judge(quiet, 2), { verdict: 'quiet', reasons: [], speedDriftPercent: 0 })
  })

  test('calls a machine quiet of which nothing is known', () => {
    const unknown = { calibrationMs: [], stealPercent: null, otherCpus: null, pressurePercent: null }
    assert.deepEqual(judge(unknown, 2), { verdict: 'quiet', reasons: [], speedDriftPercent: null })
  })

  test('weighs what others use against the CPUs that there are', () => {
    assert.equal(verdictOf({ otherCpus: 0.2 }), 'quiet')
    assert.equal(verdictOf({ otherCpus: 0.5 }), 'noisy')
    assert.equal(verdictOf({ otherCpus: 0.5 }, 16), 'quiet')
    assert.equal(verdictOf({ otherCpus: 1.5 }), 'unusable')
  })

  test('weighs what the hypervisor took away', () => {
    assert.equal(verdictOf({ stealPercent: 2 }), 'quiet')
    assert.equal(verdictOf({ stealPercent: 10 }), 'noisy')
    assert.equal(verdictOf({ stealPercent: 40 }), 'unusable')
  })

  test('weighs how the speed of the fixed loop varied, but no single stall', () => {
    assert.equal(verdictOf({ calibrationMs: [10, 10, 10, 10, 10, 10, 10, 500] }), 'quiet')
    assert.equal(verdictOf({ calibrationMs: [10, 10, 10, 10, 10, 14, 14, 14] }), 'noisy')
    const { speedDriftPercent } = judge({ ...quiet, calibrationMs: [10, 10, 10, 10, 10, 14, 14, 14] }, 2)
    assert.ok(Math.abs(speedDriftPercent - 40) < 1e-9, 'the figure that the verdict rests on')
    assert.equal(verdictOf({ calibrationMs: [10, 10, 10, 10, 10, 30, 30, 30] }), 'unusable')
    assert.equal(verdictOf({ calibrationMs: [10, 90] }), 'quiet')
  })

  test('gives a reason for every sign, in sentences with figures', () => {
    const { reasons } = judge({ ...quiet, otherCpus: 0.5, stealPercent: 10 }, 2)
    assert.deepEqual(reasons, [
      'Other processes used 0.5 of 2 CPUs just before or during the run.',
      'The hypervisor took away 10 % of the CPU time during the run.',
    ])
  })
})

test('the real check fills in every fact', async () => {
  const check = await startMachineCheck(2)
  check.calibrate()
  check.calibrate()
  const facts = check.finish()
  assert.ok(['quiet', 'noisy', 'unusable'].includes(facts.verdict))
  assert.equal(facts.calibrationMs.length, 2)
  assert.ok(facts.calibrationMs.every((ms) => ms > 0))
  for (const name of ['stealPercent', 'otherCpus', 'pressurePercent'])
    assert.ok(facts[name] === null || facts[name] >= 0, name)
})
