// threadwise cpus on the real program.
import assert from 'node:assert/strict'
import { cpus } from 'node:os'
import { describe, test } from 'node:test'
import { run } from '../helpers/program.js'

describe('threadwise cpus', () => {
  test('says how many CPUs there are, why, and which limits can be emulated', async () => {
    const { code, stdout, stderr } = await run(['cpus'])
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^This process may use /)
    for (const word of ['Machine', 'Affinity', 'Quota', 'Node says', 'Smaller limits'])
      assert.ok(stdout.includes(word), word)
  })

  test('--json prints the same as JSON', async () => {
    const { code, stdout } = await run(['cpus', '--json'])
    assert.equal(code, 0)
    const report = JSON.parse(stdout)
    assert.equal(report.version, 1)
    assert.equal(report.host, cpus().length)
    assert.ok(report.cpus > 0 && report.workers >= 1)
    assert.ok(report.limits.length >= 1)
    assert.ok(Array.isArray(report.disagreements))
  })

  test('follows THREADWISE_CPUS, a fraction included', async () => {
    const { stdout } = await run(['cpus', '--json'], { env: { THREADWISE_CPUS: '0.6' } })
    const { cpus, source, workers } = JSON.parse(stdout)
    assert.deepEqual([cpus, source, workers], [0.6, 'THREADWISE_CPUS', 1])
  })

  test('refuses a THREADWISE_CPUS that is no number of CPUs', async () => {
    const { code, stderr } = await run(['cpus'], { env: { THREADWISE_CPUS: 'many' } })
    assert.equal(code, 2)
    assert.match(stderr, /THREADWISE_CPUS must be a positive number of CPUs.*TW_ERR_INVALID_OPTION/)
  })
})
