// What a process is, by what the system says of it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { isRunning, isSuspended, startOf } from '../../../../build/serve/control/process-start.js'
import { waitUntil } from '../../../helpers/waiting.js'

const isLinux = process.platform === 'linux'
const freezer = '/sys/fs/cgroup/freezer'
const limit = { timeout: 20_000 }

test(
  'one runs while it has the start that it had',
  { ...limit, skip: !isLinux && 'needs /proc' },
  async () => {
    const start = startOf(process.pid)
    assert.ok(isRunning(process.pid, start))
    assert.ok(!isRunning(process.pid, start + 1))
    assert.ok(!isSuspended(process.pid))
    const { pid, child } = sleeper()
    const itsStart = startOf(pid)
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.ok(!isRunning(pid, itsStart))
  },
)

test(
  'one is suspended from the signal on, also while it gets no CPU time to take it',
  { ...limit, skip: noFreezer() },
  async (t) => {
    const { pid, child } = sleeper()
    const folder = `${freezer}/threadwise-test-${process.pid}`
    mkdirSync(folder)
    writeFileSync(`${folder}/cgroup.procs`, String(pid))
    const freeze = (state) => writeFileSync(`${folder}/freezer.state`, state)
    freeze('FROZEN')
    t.after(async () => {
      freeze('THAWED')
      await once(child.kill('SIGKILL') && child, 'exit')
      await waitUntil(() => readFileSync(`${folder}/cgroup.procs`, 'utf8') === '', 'the group is empty')
      rmdirSync(folder)
    })
    await waitUntil(() => readFileSync(`${folder}/freezer.state`, 'utf8').trim() === 'FROZEN', 'it is frozen')
    assert.ok(!isSuspended(pid))
    child.kill('SIGSTOP')
    assert.ok(isSuspended(pid))
    freeze('THAWED')
    await waitUntil(() => /^T/.test(stateOf(pid)), 'it has taken the signal')
    assert.ok(isSuspended(pid))
    child.kill('SIGCONT')
    await waitUntil(() => !isSuspended(pid), 'it goes on')
  },
)

function sleeper() {
  const child = spawn('sleep', ['60'])
  return { pid: child.pid, child }
}

function stateOf(pid) {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]
}

function noFreezer() {
  try {
    accessSync(`${freezer}/cgroup.procs`, constants.W_OK)
    return false
  } catch {
    return 'needs a freezer of cgroups that may be written'
  }
}
