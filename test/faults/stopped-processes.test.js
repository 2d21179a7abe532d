// A child process that is stopped (SIGSTOP) neither answers nor ends: what it holds waits, limits of time still hold, and it
// can be ended.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { processes } from 'threadwise'
import { rejection, taskModule } from '../helpers/executors.js'
import { askUntil, waitUntil } from '../helpers/waiting.js'

const exits = taskModule('exits.js')

/** 'T' of a process that is stopped; undefined when there is none. Linux only. */
function stateOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1][0]
  } catch {
    return undefined
  }
}

const isStopped = (pid) => stateOf(pid) === 'T'
const isGone = (pid) => ['Z', 'X', undefined].includes(stateOf(pid))

async function stop(pid) {
  process.kill(pid, 'SIGSTOP')
  await waitUntil(() => isStopped(pid), 'it is stopped')
}

async function pool(t, options) {
  const executor = processes(exits, { size: 2, ...options })
  t.after(() => executor.destroy())
  await executor.ready
  const pids = executor.stats().workers.map(({ pid }) => pid)
  return { executor, pids }
}

const only = process.platform === 'linux' ? {} : { skip: 'reads /proc' }

test('calls go on in the other process, and those of the stopped one when it continues', only, async (t) => {
  const { executor, pids } = await pool(t)
  await stop(pids[0])
  const settled = []
  const calls = Array.from({ length: 200 }, (_, i) =>
    executor.run('add', [i, 1]).then((sum) => (settled.push(i), sum)),
  )
  assert.equal(await executor.run('pid'), pids[1])
  const before = settled.length
  assert.ok(before > 0, 'the other process has run some')
  assert.equal(executor.stats().workers.find(({ pid }) => pid === pids[0]).state, 'up')
  process.kill(pids[0], 'SIGCONT')
  assert.deepEqual(
    await Promise.all(calls),
    calls.map((_, i) => i + 1),
  )
})

test('inspect() says that it is blocked', only, async (t) => {
  const { executor, pids } = await pool(t)
  await stop(pids[1])
  // The other one looks the same for as long as a busy machine holds it up.
  const { workers } = await askUntil(() => executor.inspect(), ({ workers }) => workers[0].state === 'up') // prettier-ignore
  assert.equal(workers[1].state, 'blocked')
})

test(
  'a call that it runs times out, and after gracePeriod another process takes its place',
  only,
  async (t) => {
    const { executor, pids } = await pool(t, { size: 1 })
    const call = executor.run('stopSelf', [], { timeout: 50, gracePeriod: 50 })
    const next = executor.run('add', [1, 2])
    assert.equal((await rejection(call)).code, 'TW_ERR_TIMEOUT')
    assert.equal(await next, 3)
    assert.notEqual(await executor.run('pid'), pids[0])
    await waitUntil(() => isGone(pids[0]), 'the stopped process is gone')
  },
)

test('a call that it holds and has not begun is given up after queueTimeout', only, async (t) => {
  const { executor, pids } = await pool(t, { size: 1 })
  await stop(pids[0])
  const error = await rejection(executor.run('add', [1, 2], { queueTimeout: 50 }))
  assert.equal(error.code, 'TW_ERR_QUEUE_TIMEOUT')
  process.kill(pids[0], 'SIGCONT')
  assert.equal(await executor.run('add', [1, 2]), 3)
})

for (const way of ['run', 'map'])
  test(`what it has not begun goes to a process in its place: ${way}() with a timeout`, only, async (t) => {
    const { executor, pids } = await pool(t, { size: 1 })
    await stop(pids[0])
    const options = { timeout: 20_000 }
    if (way === 'run') assert.equal(await executor.run('add', [1, 2], options), 3)
    else assert.equal((await executor.map('pid', [1, 2, 3], options)).length, 3)
    assert.equal(executor.stats().failed, 0)
    await waitUntil(() => isGone(pids[0]), 'the stopped process is gone')
  })

test('stats() says that it is blocked, before it is replaced', only, async (t) => {
  const { executor, pids } = await pool(t, { size: 1 })
  await stop(pids[0])
  const call = executor.run('add', [1, 2])
  const states = () => executor.stats().workers.map(({ state }) => state)
  await waitUntil(() => states()[0] === 'blocked', 'it is told')
  assert.equal(await call, 3)
  assert.deepEqual(states(), ['up'])
})

test('close() rejects after closeTimeout what it holds, and leaves no process behind', only, async (t) => {
  const { executor, pids } = await pool(t)
  const call = rejection(executor.run('stopSelf'))
  await waitUntil(() => pids.some(isStopped), 'one has stopped itself')
  await executor.close({ timeout: 50 })
  assert.equal((await call).code, 'TW_ERR_CLOSED')
  await waitUntil(() => pids.every(isGone), 'both are gone')
})

test('destroy() ends it', only, async (t) => {
  const { executor, pids } = await pool(t)
  await Promise.all(pids.map(stop))
  const call = rejection(executor.run('add', [1, 2]))
  await executor.destroy()
  assert.equal((await call).code, 'TW_ERR_DESTROYED')
  await waitUntil(() => pids.every(isGone), 'both are gone')
})

test('killed while it is stopped, its call rejects and the pool goes on', only, async (t) => {
  const { executor, pids } = await pool(t, { size: 1 })
  const call = rejection(executor.run('stopSelf'))
  await waitUntil(() => isStopped(pids[0]), 'it is stopped')
  process.kill(pids[0], 'SIGKILL')
  assert.match((await call).message, /by SIGKILL/)
  assert.equal(await executor.run('add', [1, 2]), 3)
})
