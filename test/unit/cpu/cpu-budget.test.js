import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { describe, test } from 'node:test'
import { cpuBudget, formatCpus, wholeCpus } from '../../../build/cpu/cpu-budget.js'
import { isThreadwiseError } from '../../../build/errors/errors.js'
import { temporaryFolder } from '../../helpers/files.js'

const recorded = (name, options) =>
  cpuBudget({ root: path.join(import.meta.dirname, '../../fixtures/cpu', name), ...options })

const cases = [
  // recorded tree, CPUs, source, host, affinity, quota
  ['v2-fraction', 0.6, 'cgroup-v2', 4, 4, 0.6],
  ['v2-nested', 1, 'cgroup-v2', 8, 8, 1],
  ['v2-outer-tighter', 1.5, 'cgroup-v2', 4, 4, 1.5],
  ['v2-weight', 2, 'cgroup-v2', 4, 4, 2],
  ['v2-namespace', 0.6, 'cgroup-v2', 4, 4, 0.6],
  ['v2-host-path-in-container', 1.5, 'cgroup-v2', 4, 4, 1.5],
  ['v2-outside-namespace', 0.5, 'cgroup-v2', 4, 4, 0.5],
  ['v1-docker', 1, 'cgroup-v1', 4, 4, 1],
  ['v1-kubernetes', 0.25, 'cgroup-v1', 4, 4, 0.25],
  ['hybrid', 1.5, 'cgroup-v1', 4, 4, 1.5],
  ['no-limit', 4, 'host', 4, 4, null],
  ['offline-cpus', 3, 'affinity', 4, 3, null],
  ['affinity', 2, 'affinity', 8, 2, 4],
  ['quota-above-machine', 4, 'host', 4, 4, 16],
  ['malformed-cpu-max', 3, 'cgroup-v2', 4, 4, 3],
  ['malformed-period', 4, 'host', 4, 4, null],
  ['malformed-quota', 4, 'host', 4, 4, null],
  ['malformed-lists', 0.6, 'cgroup-v2', 4, 4, 0.6],
  ['no-proc', 4, 'host', 4, 4, null],
]

describe('the budget of a recorded machine', () => {
  for (const [name, cpus, source, host, affinity, quota] of cases) {
    test(`${name}: ${formatCpus(cpus)}, decided by ${source}`, () => {
      const budget = recorded(name)
      assert.deepEqual(
        [budget.cpus, budget.source, budget.host, budget.affinity, budget.quota],
        [cpus, source, host, affinity, quota],
      )
    })
  }

  test('names the file that decided', () => {
    assert.equal(recorded('v2-fraction').file, '/sys/fs/cgroup/system.slice/shop.service/cpu.max')
    assert.equal(recorded('v2-outer-tighter').file, '/sys/fs/cgroup/build.slice/cpu.max')
    assert.equal(recorded('v1-docker').file, '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us')
    assert.equal(recorded('affinity').file, '/proc/self/status')
    assert.equal(recorded('no-limit').file, null)
  })

  test('lists every level of the quota chain, the own cgroup first', () => {
    assert.deepEqual(
      recorded('v2-nested').quotas.map((level) => level.cpus),
      [1, null, 4],
    )
    assert.deepEqual(
      recorded('v1-kubernetes').quotas.map((level) => level.cpus),
      [0.25, 1.5, null, null, null],
    )
  })

  test('finds a cgroup whose name holds colons and spaces, behind an escaped mount point', (t) => {
    const root = temporaryFolder(t)
    const put = (file, text) => {
      mkdirSync(path.join(root, path.dirname(file)), { recursive: true })
      writeFileSync(path.join(root, file), text)
    }
    if (process.platform === 'win32') return t.skip('Windows has no colons in file names')
    put('proc/self/cgroup', '0::/pod 1.slice:cri-containerd:5f0e\n')
    put('proc/self/mountinfo', '30 21 0:26 / /sys/fs/c\\040group rw shared:9 master:1 - cgroup2 cgroup2 rw\n')
    put('sys/devices/system/cpu/online', '0-3\n')
    put('sys/fs/c group/pod 1.slice:cri-containerd:5f0e/cpu.max', '50000 100000\n')
    assert.equal(cpuBudget({ root }).cpus, 0.5)
  })

  describe('of a container whose CPUs have other numbers than those of the host (LXC)', () => {
    const cpusOf = (t, allowed, online) => {
      const root = temporaryFolder(t)
      for (const [file, text] of Object.entries({
        'proc/self/status': `Name:\tnode\nCpus_allowed_list:\t${allowed}\n`,
        'sys/devices/system/cpu/online': `${online}\n`,
      })) {
        mkdirSync(path.join(root, path.dirname(file)), { recursive: true })
        writeFileSync(path.join(root, file), text)
      }
      return cpuBudget({ root }).cpus
    }

    test('counts what is allowed, as lists of different numbers say nothing of each other', (t) => {
      for (const [allowed, online, cpus] of [
        ['1,5', '0-1', 2],
        ['4-7', '0-3', 4],
        ['3', '0', 1],
        ['0,2-3', '0-2', 3],
      ])
        assert.equal(cpusOf(t, allowed, online), cpus, `${allowed} beside ${online}`)
    })

    test('and on a host counts what is allowed and online', (t) => {
      for (const [allowed, online, cpus] of [
        ['0-127', '0-3', 4],
        ['1-3', '0-7', 3],
        ['0-7', '0-3,6-7', 6],
        ['2-5', '0-3,6-7', 2],
      ])
        assert.equal(cpusOf(t, allowed, online), cpus, `${allowed} beside ${online}`)
    })
  })

  test('ignores /proc on macOS, where the machine decides', () => {
    assert.equal(recorded('v2-fraction', { platform: 'darwin', host: 8, node: 8 }).cpus, 8)
  })

  for (const platform of ['win32', 'freebsd', 'openbsd', 'sunos', 'aix', 'darwin'])
    test(`on ${platform} Node's answer is the affinity`, () => {
      const { cpus, affinity, source, file, disagreements } = recorded('v2-fraction', { platform, host: 8, node: 2 }) // prettier-ignore
      assert.deepEqual([cpus, affinity, source, file, disagreements], [2, 2, 'affinity', null, []])
    })

  test('counts CPUs that are added while it runs', (t) => {
    const before = cpuBudget({ platform: 'win32' })
    const more = before.host + 2
    t.mock.method(os, 'cpus', () => Array(more).fill({}))
    t.mock.method(os, 'availableParallelism', () => more)
    syncBuiltinESMExports()
    try {
      const { cpus, host, disagreements } = cpuBudget({ platform: 'win32', env: {} })
      assert.deepEqual([cpus, host, disagreements], [more, more, []])
    } finally {
      t.mock.restoreAll()
      syncBuiltinESMExports()
    }
    assert.equal(cpuBudget({ platform: 'win32' }).host, before.host)
  })
})

describe('disagreements', () => {
  const sentences = (name, options) => recorded(name, options).disagreements

  test('are none when Node answers the whole part of the budget', () => {
    assert.deepEqual(sentences('v2-fraction', { node: 1 }), [])
    assert.deepEqual(sentences('hybrid', { node: 1 }), [])
    assert.deepEqual(sentences('no-limit', { node: 4 }), [])
  })

  test('name an answer of Node that ignores the quota', () => {
    assert.deepEqual(sentences('v2-fraction', { node: 2 }), [
      'Node answers 2, but the cgroup quota is 0.6 CPU: a pool sized by os.availableParallelism() would be throttled.',
    ])
  })

  test('name an answer of Node that is too small', () => {
    assert.deepEqual(sentences('v2-weight', { node: 1 }), [
      'Node answers 1, but the cgroup quota is 2 CPUs: a pool sized by os.availableParallelism() would leave CPUs unused.',
    ])
  })

  const malformed = {
    'malformed-cpu-max': [/shop\.service\/cpu\.max holds "sixty 100000"/],
    'malformed-period': [/cpu\.cfs_period_us holds "0"/],
    'malformed-quota': [/cpu\.cfs_quota_us holds ""/],
    'malformed-lists': [
      /no usable Cpus_allowed_list \("0-"\)/,
      /no cgroup, "not a cgroup"/,
      /no mount, "30 21 0:26 cgroup2"/,
    ],
    'v2-outside-namespace': [/\/\.\.\/\.\.\/init\.scope, is not visible below \/sys\/fs\/cgroup/],
    'v2-outer-mount-in-namespace': [/The cgroup of this process, \/, is not visible/],
  }
  for (const [name, patterns] of Object.entries(malformed)) {
    test(`mention what was ignored in ${name}`, () => {
      const found = sentences(name, { node: wholeCpus(recorded(name).cpus) })
      assert.equal(found.length, patterns.length, found.join('\n'))
      patterns.forEach((pattern, index) => assert.match(found[index], pattern))
    })
  }
})

describe('a limit that cannot be seen', () => {
  const told = (env, name = 'no-limit') => recorded(name, { env, node: wholeCpus(recorded(name).cpus) }).disagreements // prettier-ignore

  test('is told by the memory of a Lambda function', () => {
    assert.deepEqual(told({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512' }), [
      'No limit is visible, but AWS Lambda gives a function of 512 MB about 0.29 CPU: set THREADWISE_CPUS to what it gives.',
    ])
  })

  for (const [sign, platform] of [
    ['ECS_CONTAINER_METADATA_URI_V4', /Fargate/],
    ['K_SERVICE', /Cloud Run/],
    ['FUNCTIONS_WORKER_RUNTIME', /Azure Functions/],
    ['WEBSITE_INSTANCE_ID', /App Service/],
    ['DYNO', /Heroku/],
    ['KUBERNETES_SERVICE_HOST', /CPU request/],
    ['AWS_LAMBDA_FUNCTION_MEMORY_SIZE', /by memory/],
  ])
    test(`is told where ${sign} is set`, () => {
      const [sentence, ...others] = told({ [sign]: 'http://x' })
      assert.match(sentence, platform)
      assert.match(sentence, /^No limit is visible, but .*THREADWISE_CPUS/)
      assert.deepEqual(others, [])
      assert.deepEqual(told({ [sign]: 'x' }, 'v2-weight'), []) // one is visible
      assert.deepEqual(told({ [sign]: 'x', THREADWISE_CPUS: '1' }).filter((text) => /visible/.test(text)), []) // prettier-ignore
    })
})

describe('THREADWISE_CPUS', () => {
  const withOverride = (text, name = 'v2-fraction') =>
    recorded(name, { node: 1, env: { THREADWISE_CPUS: text } })

  test('overrides what the kernel says, and the quota is still reported', () => {
    const { cpus, source, file, quota } = withOverride('.25')
    assert.deepEqual([cpus, source, file, quota], [0.25, 'THREADWISE_CPUS', null, 0.6])
  })

  test('above what the kernel gives is taken, with a warning', () => {
    const { cpus, disagreements } = withOverride('1.5')
    assert.equal(cpus, 1.5)
    assert.deepEqual(disagreements, [
      'THREADWISE_CPUS says 1.5 CPUs, but the cgroup quota is 0.6 CPU: the kernel will not give more.',
    ])
  })

  for (const text of ['', '0', '0.0', '-1', 'two', '0,6', '1e400', 'Infinity', 'NaN', '2 ', '0x2']) {
    test(`${JSON.stringify(text)} is refused`, () => {
      assert.throws(
        () => withOverride(text),
        (error) =>
          isThreadwiseError(error) &&
          error.code === 'TW_ERR_INVALID_OPTION' &&
          /THREADWISE_CPUS/.test(error.message),
      )
    })
  }
})

test('the budget of this machine fits what Node knows about it', () => {
  const budget = cpuBudget({ env: {} })
  assert.equal(budget.host, os.cpus().length)
  assert.equal(budget.node, os.availableParallelism())
  assert.ok(budget.cpus > 0 && budget.cpus <= budget.host)
})

test('whole CPUs are rounded down, and at least one', () => {
  assert.deepEqual([0.1, 0.6, 1, 1.5, 1.9999, 2, 7.9999999999].map(wholeCpus), [1, 1, 1, 1, 1, 2, 8])
})
