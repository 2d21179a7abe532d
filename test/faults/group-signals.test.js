// A signal to a whole process group, as systemd and terminals send it: the children of `processes` leave it to the program what to do, and end
// with it, whichever way it ends.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { waitUntil } from '../helpers/waiting.js'

const program = fileURLToPath(new URL('../fixtures/programs/stops-with-its-group.js', import.meta.url))
const only = process.platform === 'win32' ? { skip: 'Windows has no such signals' } : {}

/** A program that leads a group, once its task runs. */
async function start(t, signal, task) {
  const leader = spawn(process.execPath, [program, signal, task], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => endGroup(leader.pid))
  let out = ''
  leader.stdout.on('data', (data) => (out += data))
  const closed = once(leader, 'close')
  await waitUntil(() => /runs in \d+/.test(out), 'the task runs')
  return {
    leader,
    closed,
    lastLine: () => out.trim().split('\n').at(-1),
    pid: Number(/runs in (\d+)/.exec(out)[1]),
  }
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // nobody is left
  }
}

function isGone(pid) {
  try {
    process.kill(pid, 0)
  } catch {
    return true
  }
  if (process.platform !== 'linux') return false
  try {
    return /\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
  for (const task of ['waits', 'computes'])
    test(`${signal}: a call that ${task} finishes while the program closes its pool`, only, async (t) => {
      const { leader, closed, lastLine, pid } = await start(t, signal, task)
      process.kill(-leader.pid, signal)
      assert.deepEqual(await closed, [0, null])
      assert.equal(lastLine(), 'finished')
      await waitUntil(() => isGone(pid), 'the child is gone')
    })

  test(`${signal}: with a program that does nothing about it, its child ends too`, only, async (t) => {
    const { leader, closed, pid } = await start(t, 'none', 'waitsForEver')
    process.kill(-leader.pid, signal)
    assert.deepEqual(await closed, [null, signal])
    await waitUntil(() => isGone(pid), 'the child is gone')
  })
}

test('a program that is killed takes along a child that waits', only, async (t) => {
  const { leader, closed, pid } = await start(t, 'none', 'waitsForEver')
  leader.kill('SIGKILL')
  await closed
  await waitUntil(() => isGone(pid), 'the child is gone')
})

const canTie = process.platform === 'linux' && existsSync('/usr/bin/setpriv') && readFileSync('/usr/bin/setpriv').includes('pdeathsig') // prettier-ignore
for (const signal of ['SIGKILL', 'SIGTERM', 'SIGABRT'])
  test(
    `a program that ends by ${signal} takes along a child in an endless loop`,
    canTie ? {} : { skip: 'needs setpriv of util-linux' },
    async (t) => {
      // prettier-ignore
      const { leader, closed, pid } = await start(t, 'none', 'computesForEver')
      process.kill(leader.pid, signal)
      await closed
      await waitUntil(() => isGone(pid), 'the child is gone')
    },
  )
