import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeCpus, runCpus } from '../../../../build/cli/measuring/run-cpus.js'

const file = '/sys/fs/cgroup/app/cpu.max'
const report = {
  version: 1,
  cpus: 0.6,
  host: 2,
  affinity: 2,
  quota: 0.6,
  node: 2,
  source: 'cgroup-v2',
  file,
  quotas: [
    { version: 'cgroup-v2', folder: '/sys/fs/cgroup/app', file, cpus: 0.6 },
    { version: 'cgroup-v2', folder: '/sys/fs/cgroup', file: '/sys/fs/cgroup/cpu.max', cpus: null },
  ],
  disagreements: ['Node answers 2, but the cgroup quota is 0.6 CPU.'],
  workers: 1,
  throttling: { periods: 28, throttledPeriods: 27, throttledMs: 1948 },
  limits: [{ cpus: 0.3, method: 'cgroup-v2', exact: true, note: 'A quota.', refusals: [] }],
}

test('the text starts with the number and where it comes from', () => {
  assert.equal(
    describeCpus(report),
    `This process may use 0.6 of 2 CPUs.
The cgroup v2 quota in /sys/fs/cgroup/app/cpu.max allows no more.
One busy thread is enough to use it up.

! Node answers 2, but the cgroup quota is 0.6 CPU.

  Machine    2 CPUs   os.cpus()
  Affinity   2 CPUs   the CPUs that it may run on
  Quota      0.6 CPU  the tightest of its cgroups
  Node says  2        os.availableParallelism()

Quotas, from its own cgroup outwards:
  0.6 CPU   /sys/fs/cgroup/app/cpu.max  <- tightest
  no limit  /sys/fs/cgroup/cpu.max
The kernel froze it in 27 of 28 periods so far, for 1.9 s in all.

Smaller limits that a measurement can emulate here:
  0.3 CPU  cgroup-v2  A quota.
`,
  )
})

test('a machine without limits reads so, and says what cannot be emulated', () => {
  const refusals = [{ method: 'taskset', reason: 'it can only give whole CPUs' }]
  const free = {
    cpus: 2,
    quota: null,
    source: 'host',
    file: null,
    quotas: [],
    disagreements: [],
    throttling: null,
  }
  const limits = [{ cpus: 0.6, method: null, exact: false, note: '', refusals }]
  const text = describeCpus({ ...report, ...free, workers: 2, limits })
  assert.match(
    text,
    /^This process may use all 2 CPUs\.\nNo limit is visible; if you know of one, set THREADWISE_CPUS\.\nIt can keep 2 workers busy\.\n\n {2}Machine/,
  )
  assert.match(
    text,
    /0\.6 CPU {2}not possible here:\n {4}taskset {2}it can only give whole CPUs\nFor exact limits run as root/,
  )
})

test('JSON holds the budget, the workers and the limits that can be emulated', () => {
  let text = ''
  const code = runCpus({ json: true }, (part) => (text += part))
  const printed = JSON.parse(text)
  assert.equal(code, 0)
  assert.deepEqual(Object.keys(printed).sort(), Object.keys(report).sort())
  assert.ok(printed.cpus > 0 && printed.limits.length > 0)
})
