// The ways to limit a child that this machine may not have, on copies of recorded machines and with fake programs.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { openCpuLimit } from '../../../../build/cpu/limit/limit-child.js'
import { limitSupport } from '../../../../build/cpu/limit/limit-support.js'
import { temporaryFolder } from '../../../helpers/files.js'

const isPosix = process.platform !== 'win32'
const fixtures = path.join(import.meta.dirname, '../../../fixtures/cpu')
const session = 'sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope'

describe('cgroup v2', { skip: !isPosix && 'signals and scripts need a POSIX system' }, () => {
  test('below a delegated cgroup that holds processes is a threaded one', async (t) => {
    const { root, own } = delegatedMachine(t)
    const limit = await openCpuLimit(0.6, { root })
    const made = madeBelow(own)
    assert.deepEqual([limit.method, limit.exact], ['cgroup-v2', true])
    assert.equal(read(made, 'cgroup.type'), 'threaded')
    assert.equal(read(made, 'cpu.max'), '60000 100000')
    assert.equal(read(own, 'cgroup.subtree_control'), '+cpu')
    await endFake(limit, made)
    assert.equal(read(own, 'cgroup.subtree_control'), '-cpu')
  })

  test('below the root cgroup is an ordinary one', async (t) => {
    const { root, own } = delegatedMachine(t)
    rmSync(path.join(own, 'cgroup.type'))
    const limit = await openCpuLimit(1.5, { root })
    const made = madeBelow(own)
    assert.equal(existsSync(path.join(made, 'cgroup.type')), false)
    assert.equal(read(made, 'cpu.max'), '150000 100000')
    await endFake(limit, made)
  })

  test('leaves the controller on while another cgroup uses it, or when it was on before', async (t) => {
    const { root, own } = delegatedMachine(t)
    const first = await openCpuLimit(0.6, { root })
    const made = madeBelow(own)
    mkdirSync(path.join(own, 'of-somebody'))
    await endFake(first, made)
    assert.equal(read(own, 'cgroup.subtree_control'), '+cpu')
    rmSync(path.join(own, 'of-somebody'), { recursive: true })
    writeFileSync(path.join(own, 'cgroup.subtree_control'), 'cpu pids\n')
    const second = await openCpuLimit(0.6, { root })
    await endFake(second, madeBelow(own))
    assert.equal(read(own, 'cgroup.subtree_control'), 'cpu pids')
  })

  test('moves the child in and kills it on removal', async (t) => {
    const { root, own } = delegatedMachine(t)
    const limit = await openCpuLimit(0.6, { root })
    const made = madeBelow(own)
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    limit.adopt(child.pid)
    assert.equal(read(made, 'cgroup.procs'), String(child.pid))
    const ended = once(child, 'exit')
    const removed = limit.remove()
    assert.deepEqual(await ended, [null, 'SIGKILL'])
    emptyFake(made)
    await removed
    assert.equal(existsSync(made), false)
  })

  test('sweeps what dead processes left, and nothing else', async (t) => {
    const { root, own } = delegatedMachine(t)
    const dead = spawnSync(process.execPath, ['--version']).pid
    const left = [`threadwise-${dead}-1`, `threadwise-${dead}-2`]
    const kept = [
      `threadwise-${process.ppid}-1`,
      `threadwise-${dead}`,
      'of-somebody',
      `threadwise-${dead}-9-foreign`,
    ]
    for (const name of [...left, ...kept]) mkdirSync(path.join(own, name))
    writeFileSync(path.join(own, kept[3], 'cgroup.procs'), '0\n')
    const limit = await openCpuLimit(0.6, { root })
    const made = madeBelow(own, kept)
    assert.deepEqual(folders(own).sort(), [...kept, path.basename(made)].sort())
    await endFake(limit, made)
  })

  test('a stale cgroup with processes of another pid namespace is left alone', async (t) => {
    const { root, own } = delegatedMachine(t)
    const name = `threadwise-${spawnSync(process.execPath, ['--version']).pid}-1`
    mkdirSync(path.join(own, name))
    writeFileSync(path.join(own, name, 'cgroup.procs'), '0\n')
    const limit = await openCpuLimit(0.6, { root })
    assert.ok(existsSync(path.join(own, name)))
    await endFake(limit, madeBelow(own, [name]))
  })

  test('is passed over without the cpu controller, and leaves nothing behind', async (t) => {
    const { root, own } = delegatedMachine(t)
    writeFileSync(path.join(own, 'cgroup.controllers'), 'memory pids\n')
    await assert.rejects(openCpuLimit(0.6, { root, env: {} }), {
      message: /cgroup-v2: .*session-2\.scope has no cpu controller/,
    })
    assert.deepEqual(folders(own), [])
  })

  test('is passed over when the kernel refuses, and leaves nothing behind', async (t) => {
    const { root, own } = delegatedMachine(t)
    rmSync(path.join(own, 'cgroup.subtree_control'))
    mkdirSync(path.join(own, 'cgroup.subtree_control')) // reading it fails
    await assert.rejects(openCpuLimit(0.6, { root, env: {} }), { message: /cgroup-v2: .*EISDIR/ })
    assert.deepEqual(folders(own), ['cgroup.subtree_control'])
  })
})

describe('systemd-run', { skip: !isPosix && 'the fake programs need a POSIX system' }, () => {
  test('wraps the child into a scope of the user with the quota, and removal kills the scope', async (t) => {
    const { root, env, calls } = systemdMachine(t)
    const limit = await openCpuLimit(0.6, { root, env })
    assert.deepEqual([limit.method, limit.exact], ['systemd-run', true])
    const { file, args } = limit.wrap('node', ['--flag', 'x y.js'])
    assert.equal(file, path.join(env.PATH, 'systemd-run'))
    const unit = args.find((arg) => arg.startsWith('--unit='))
    assert.match(unit, new RegExp(`^--unit=threadwise-${process.pid}-\\d+\\.scope$`))
    const scope = ['--user', '--scope', '--quiet', '--collect', unit]
    const quota = ['-p', 'CPUQuota=60%', '-p', 'CPUQuotaPeriodSec=100ms']
    assert.deepEqual(args, [...scope, ...quota, '--', 'node', '--flag', 'x y.js'])
    await limit.remove()
    await limit.remove()
    assert.deepEqual(calls('systemctl'), [`--user kill --signal=SIGKILL ${unit.slice('--unit='.length)}`])
  })

  test('gives one child its limit: a second one would get a quota of its own', async (t) => {
    const { root, env } = systemdMachine(t)
    const limit = await openCpuLimit(0.255, { root, env })
    assert.ok(limit.wrap('node', []).args.includes('CPUQuota=25.5%'))
    assert.throws(() => limit.wrap('node', []), { code: 'TW_ERR_INVALID_CALL' })
    await limit.remove()
  })

  const refusals = {
    'there is no user bus': ({ env }) => delete env.DBUS_SESSION_BUS_ADDRESS,
    'systemd-run is not installed': ({ env }) => rmSync(path.join(env.PATH, 'systemd-run')),
    'systemd does not delegate the cpu controller': ({ service }) =>
      writeFileSync(path.join(service, 'cgroup.controllers'), 'memory pids\n'),
    'Failed to connect to bus': ({ env }) =>
      program(env.PATH, 'systemd-run', 'echo "Failed to connect to bus" >&2; exit 1'),
  }
  for (const [reason, spoil] of Object.entries(refusals)) {
    test(`is passed over when ${reason}`, async (t) => {
      const machine = systemdMachine(t)
      spoil(machine)
      const opened = openCpuLimit(0.6, { root: machine.root, env: machine.env })
      await assert.rejects(opened, { message: new RegExp(`systemd-run: ${reason}`) })
    })
  }
})

describe('taskset', { skip: !isPosix && 'the fake programs need a POSIX system' }, () => {
  test('pins the child to whole CPUs that it may use, and says that this is not a quota', async (t) => {
    const env = { PATH: tempFolder(t) }
    program(env.PATH, 'taskset', '')
    const limit = await openCpuLimit(1, { root: path.join(fixtures, 'affinity'), env })
    assert.deepEqual([limit.method, limit.exact], ['taskset', false])
    assert.match(limit.note, /never throttled/)
    const expected = { file: path.join(env.PATH, 'taskset'), args: ['-c', '5', 'node', 'x.js'] }
    assert.deepEqual(limit.wrap('node', ['x.js']), expected)
  })

  test('cannot give fractions, which the support list says beside what it can', (t) => {
    const env = { PATH: tempFolder(t) }
    program(env.PATH, 'taskset', '')
    const [fraction, whole] = limitSupport({ root: path.join(fixtures, 'affinity'), env })
    assert.deepEqual([fraction.cpus, fraction.method, fraction.refusals.length], [0.6, null, 4])
    assert.deepEqual([whole.cpus, whole.method, whole.exact], [1, 'taskset', false])
  })
})

function tempFolder(t) {
  const folder = temporaryFolder(t)
  return folder
}

/** A machine with 4 CPUs whose user owns the cgroup of the session. */
function delegatedMachine(t) {
  const root = tempFolder(t)
  cpSync(path.join(fixtures, 'no-limit'), root, { recursive: true })
  const own = path.join(root, session)
  writeFileSync(path.join(own, 'cgroup.controllers'), 'cpu memory pids\n')
  writeFileSync(path.join(own, 'cgroup.subtree_control'), '\n')
  writeFileSync(path.join(own, 'cgroup.type'), 'domain\n')
  return { root, own }
}

/** A machine with 4 CPUs whose user owns no cgroup, with a user's systemd that notes what it is told. */
function systemdMachine(t) {
  const root = tempFolder(t)
  cpSync(path.join(fixtures, 'no-limit'), root, { recursive: true })
  const uid = process.getuid()
  const service = path.join(root, `sys/fs/cgroup/user.slice/user-${uid}.slice/user@${uid}.service`)
  mkdirSync(service, { recursive: true })
  writeFileSync(path.join(service, 'cgroup.controllers'), 'cpu memory pids\n')
  const env = { PATH: path.join(root, 'bin'), DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }
  mkdirSync(env.PATH)
  for (const name of ['systemd-run', 'systemctl']) program(env.PATH, name, `echo "$*" >> "$0.calls"`)
  const calls = (name) =>
    readFileSync(path.join(env.PATH, `${name}.calls`), 'utf8')
      .trim()
      .split('\n')
  return { root, env, service, calls }
}

function program(folder, name, script) {
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(path.join(folder, name), 0o755)
}

function madeBelow(own, others = []) {
  const made = folders(own).filter((name) => name.startsWith('threadwise-') && !others.includes(name))
  assert.equal(made.length, 1)
  return path.join(own, made[0])
}

function folders(own) {
  const entries = readdirSync(own, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

/** The kernel's control files vanish with their cgroup; those of a fake one are files like others. */
function emptyFake(folder) {
  for (const file of readdirSync(folder)) rmSync(path.join(folder, file))
}

async function endFake(limit, folder) {
  emptyFake(folder)
  await limit.remove()
  assert.equal(existsSync(folder), false)
}

function read(folder, file) {
  return readFileSync(path.join(folder, file), 'utf8').trim()
}
