// When a machine counts as quiet, noisy or unusable.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeMachine, startMachineCheck } from '../../../../build/measure/machine/machine-check.js'
import { machineCpu } from '../../../../build/measure/machine/machine-cpu.js'

const quiet = { stealPercent: 0, otherCpus: 0, disturbedPercent: 0, pressurePercent: 0 }
const verdictOf = (changes, cpus = 2) => judgeMachine({ ...quiet, ...changes }, cpus).verdict

describe('judgeMachine', () => {
  test('calls a machine quiet on which nothing happens, and gives no reasons', () => {
    assert.deepEqual(judgeMachine(quiet, 2), { verdict: 'quiet', reasons: [] })
  })

  test('calls a machine quiet of which nothing is known', () => {
    const unknown = { stealPercent: null, otherCpus: null, disturbedPercent: null, pressurePercent: null }
    assert.deepEqual(judgeMachine(unknown, 2), { verdict: 'quiet', reasons: [] })
  })

  test('weighs what others use against the CPUs that there are', () => {
    assert.equal(verdictOf({ otherCpus: 0.2 }), 'quiet')
    assert.equal(verdictOf({ otherCpus: 0.5 }), 'noisy')
    assert.equal(verdictOf({ otherCpus: 0.5 }, 16), 'quiet')
    assert.equal(verdictOf({ otherCpus: 1.5 }), 'unusable')
  })

  test('weighs how many windows others disturbed', () => {
    assert.equal(verdictOf({ disturbedPercent: 20 }), 'quiet')
    assert.equal(verdictOf({ disturbedPercent: 100 }), 'noisy')
  })

  test('weighs what the hypervisor took away', () => {
    assert.equal(verdictOf({ stealPercent: 2 }), 'quiet')
    assert.equal(verdictOf({ stealPercent: 10 }), 'noisy')
    assert.equal(verdictOf({ stealPercent: 40 }), 'unusable')
  })

  test('gives a reason for every sign, in sentences with figures', () => {
    const { reasons } = judgeMachine({ ...quiet, otherCpus: 0.5, stealPercent: 10 }, 2)
    assert.deepEqual(reasons, [
      'Other processes used 0.5 of 2 CPUs while it was measured.',
      'The hypervisor took away 10 % of the CPU time during the run.',
    ])
  })
})

describe('the real check', () => {
  test('fills in every fact', async () => {
    const facts = (await startMachineCheck(2)).finish([])
    assert.ok(['quiet', 'noisy', 'unusable'].includes(facts.verdict))
    for (const name of ['stealPercent', 'otherCpus', 'pressurePercent'])
      assert.ok(facts[name] === null || facts[name] >= 0, name)
  })

  test('believes the windows rather than the look before them', async () => {
    const check = await startMachineCheck(2)
    const { otherCpus, disturbedPercent } = check.finish([
      { otherCpus: 0.1, disturbed: 0 },
      { otherCpus: 0.5, disturbed: 0.5 },
    ])
    assert.deepEqual([otherCpus, disturbedPercent], [0.3, 25])
  })

  test(
    'sees the CPU time of this process in that of the machine',
    { skip: process.platform !== 'linux' },
    () => {
      const read = machineCpu()
      const before = read()
      const own = process.cpuUsage()
      const usedMs = ({ user, system }) => (user + system) / 1000
      while (usedMs(process.cpuUsage(own)) < 60); // of this process, however long the machine takes to give it
      assert.ok(read() - before >= 30, `${read() - before} ms`)
    },
  )
})
