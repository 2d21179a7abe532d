// Ctrl-C: what is known is printed, and nothing stays behind.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { cgroupFolders } from '../helpers/cgroups.js'
import { fixture, run, start, stderrSays, undecided } from '../helpers/program.js'
import { livingWith } from '../helpers/processes.js'

const long = [
  ...['measure', fixture('measured/tasks.js'), '--task', 'burn', '--executors', 'processes'],
  ...undecided,
]
/** Within it each of them is measured once. */
const ROUND_MS = 3000
const isLinux = existsSync('/proc/self/environ')
const skip = isLinux ? false : 'looks for processes in /proc'
let runs = 0

/** Starts a measurement with a variable that all of its processes inherit. */
function startMarked(args, options) {
  const marker = `TW_INTERRUPT_${process.pid}_${++runs}`
  return { ...start(args, { ...options, env: { [marker]: '1' } }), marker: `${marker}=1` }
}

async function assertNothingLeft(child, marker) {
  assert.deepEqual(await livingWith(marker), [], 'no process is left')
  const left = cgroupFolders().filter((name) => name.startsWith(`threadwise-${child.pid}-`))
  assert.deepEqual(left, [], 'no cgroup is left')
}

describe('a signal', { skip }, () => {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    test(`${signal} in the middle prints what is known and ends with 130`, async () => {
      const { child, ended, marker } = startMarked([...long, '--json', '-'])
      await stderrSays(child, /comparing 1 with inline/)
      await delay(ROUND_MS)
      child.kill(signal)
      const { code, stdout, stderr } = await ended
      assert.equal(code, 130)
      assert.match(stderr, /Stopping; what is known so far follows/)
      const { complete, cells, advice } = JSON.parse(stdout)
      assert.equal(complete, false)
      assert.ok(cells.some(({ throughput }) => throughput.median > 0))
      assert.ok(
        cells.every(({ failed }) => failed === null),
        JSON.stringify(cells.map(({ failed }) => failed)),
      )
      assert.equal(advice.length, 1)
      await assertNothingLeft(child, marker)
    })
  }

  for (const [signal, ms] of [
    ['SIGINT', 0],
    ['SIGTERM', 700],
  ])
    test(`${signal} while an experiment prepares ends it soon, without a finding or a file (${ms} ms later)`, async () => {
      const { child, ended, marker } = startMarked(['lab', 'files', '--count', '400000'])
      await stderrSays(child, /What is the fastest way/)
      await delay(ms)
      child.kill(signal)
      const { code, stdout, stderr } = await ended
      assert.deepEqual([code, stdout], [130, ''])
      assert.match(stderr, /Interrupted before anything was measured/)
      const left = () =>
        readdirSync(tmpdir()).filter((name) => name.startsWith(`threadwise-lab-files-${child.pid}-`))
      for (let looks = 0; left().length > 0 && looks < 600; looks++) await delay(100)
      assert.deepEqual(left(), [])
      await assertNothingLeft(child, marker)
    })

  test('under a CPU limit removes its cgroup', async (t) => {
    const limits = JSON.parse((await run(['cpus', '--json'])).stdout).limits
    if (!limits[0].method?.startsWith('cgroup')) return t.skip('no cgroup can be made here')
    const { child, ended, marker } = startMarked([...long, '--cpus', String(limits[0].cpus)])
    await stderrSays(child, /comparing \d+ with inline|warming up/)
    child.kill('SIGINT')
    const { code, stdout } = await ended
    assert.equal(code, 130)
    assert.match(stdout, /burn/)
    await assertNothingLeft(child, marker)
  })

  test('during the first look ends with 130 and says that nothing is known', async () => {
    const { child, ended, marker } = startMarked([...long.slice(0, 3), 'burn', '--args', '[[2000000000]]'])
    await stderrSays(child, /Looking at the machine/)
    child.kill('SIGINT')
    const { code, stdout, stderr } = await ended
    assert.deepEqual([code, stdout], [130, ''])
    assert.match(stderr, /Interrupted before anything was measured/)
    assert.doesNotMatch(stderr, /TW_ERR/)
    await assertNothingLeft(child, marker)
  })

  test('that comes twice at once, as GNU timeout sends it, is one', async () => {
    const { child, ended, marker } = startMarked([...long, '--json', '-'])
    await stderrSays(child, /comparing 1 with inline/)
    // Of one name the kernel may make one.
    child.kill('SIGTERM')
    child.kill('SIGINT')
    const { code, stdout } = await ended
    assert.equal(code, 130)
    assert.equal(JSON.parse(stdout).complete, false)
    await assertNothingLeft(child, marker)
  })

  test('ends an experiment too, which removes what it prepared', async () => {
    const args = ['lab', 'files', '--count', '50', '--threads', '1', '--cpus', '0.5', '--json', '-']
    const { child, ended, marker } = startMarked(args)
    await stderrSays(child, /comparing \d+ with inline|warming up/)
    child.kill('SIGINT')
    const { code, stdout } = await ended
    assert.equal(code, 130)
    assert.equal(JSON.parse(stdout).complete, false)
    await assertNothingLeft(child, marker)
  })
})
