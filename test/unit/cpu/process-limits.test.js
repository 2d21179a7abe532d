// The limits of another process, from trees that stand for a machine.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openFileTree } from '../../../build/cpu/file-tree.js'
import { limitsOfProcess } from '../../../build/cpu/process-limits.js'
import { temporaryFolder } from '../../helpers/files.js'

const MB = 1024 ** 2
const v2Mount = '30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n'
const v1Mounts =
  '31 1 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n32 1 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n'

function treeOf(t, files) {
  const root = temporaryFolder(t)
  for (const [path, text] of Object.entries({ 'proc/77/status': 'Cpus_allowed_list:\t0-7\n', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return openFileTree(root)
}

test('are those of that process, not of this one: the tightest of its cgroup and all above it', (t) => {
  const tree = treeOf(t, {
    ...{ 'proc/77/cgroup': '0::/app/web\n', 'proc/77/mountinfo': v2Mount },
    ...{ 'proc/self/cgroup': '0::/other\n', 'sys/fs/cgroup/other/cpu.max': '10000 100000' },
    'sys/fs/cgroup/app/cpu.max': '60000 100000',
    'sys/fs/cgroup/app/cpu.stat': 'nr_periods 40\nnr_throttled 10\nthrottled_usec 5000\n',
    'sys/fs/cgroup/app/web/cpu.max': 'max 100000',
    'sys/fs/cgroup/app/web/memory.max': `${300 * MB}\n`,
    'sys/fs/cgroup/app/memory.max': `${200 * MB}\n`,
  })
  const { cpus, throttling, memoryBytes, hasMemoryLimit } = limitsOfProcess(77, tree)
  assert.deepEqual({ cpus, memoryBytes, hasMemoryLimit }, { cpus: 0.6, memoryBytes: 200 * MB, hasMemoryLimit: true }) // prettier-ignore
  assert.deepEqual(throttling, { periods: 40, throttledPeriods: 10, throttledMs: 5 })
})

test('cgroup v1 has the memory in folders of its own', (t) => {
  const tree = treeOf(t, {
    ...{ 'proc/77/cgroup': '4:cpu,cpuacct:/web\n5:memory:/mem\n', 'proc/77/mountinfo': v1Mounts },
    'sys/fs/cgroup/cpu,cpuacct/web/cpu.cfs_quota_us': '150000',
    'sys/fs/cgroup/cpu,cpuacct/web/cpu.cfs_period_us': '100000',
    'sys/fs/cgroup/memory/mem/memory.limit_in_bytes': `${64 * MB}`,
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712',
  })
  const { cpus, memoryBytes, hasMemoryLimit } = limitsOfProcess(77, tree)
  assert.deepEqual({ cpus, memoryBytes, hasMemoryLimit }, { cpus: 1.5, memoryBytes: 64 * MB, hasMemoryLimit: true }) // prettier-ignore
})

test('without limits they are those of the machine, and THREADWISE_CPUS of that process counts', (t) => {
  const files = { 'proc/77/cgroup': '0::/\n', 'proc/77/mountinfo': v2Mount }
  const open = limitsOfProcess(77, treeOf(t, files))
  assert.deepEqual(open, { cpus: 8, throttling: null, memoryBytes: totalmem(), hasMemoryLimit: false })
  const environ = 'A=1\0THREADWISE_CPUS=2.5\0B=THREADWISE_CPUS=9\0'
  assert.equal(limitsOfProcess(77, treeOf(t, { ...files, 'proc/77/environ': environ })).cpus, 2.5)
})

test('a process that has ended gives those of the machine, and no error', (t) => {
  const { memoryBytes, throttling } = limitsOfProcess(78, treeOf(t, {}))
  assert.deepEqual({ memoryBytes, throttling }, { memoryBytes: totalmem(), throttling: null })
})
