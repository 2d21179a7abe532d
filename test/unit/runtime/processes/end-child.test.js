// Where the system forbids to end a child, the program goes on and is told.
import assert from 'node:assert/strict'
import { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { processes } from 'threadwise'
import { rejection, taskModule } from '../../../helpers/executors.js'

/** Nothing else keeps this process while it waits for what the pool does after a call has settled. */
const awake = setInterval(() => {}, 1000)
after(() => clearInterval(awake))

/** A child whose call had not begun yet, on a crowded machine, has ended by itself. */
function end(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    assert.equal(error.code, 'ESRCH')
  }
}

/** Both ways by which Node tells it: EACCES is thrown (EINVAL, ENOSYS), EPERM comes as an event. */
const forbidden = {
  'Node throws': (child, error) => {
    throw error
  },
  'Node emits an error': (child, error) => {
    child.emit('error', error)
    return false
  },
}
for (const [how, act] of Object.entries(forbidden))
  for (const code of ['EACCES', 'EPERM', 'ENOSYS'])
    test(`${how} ${code}: the call is settled, the next one answers, and a warning tells`, async (t) => {
      const pool = processes(taskModule('signalled.js'), { size: 1 })
      t.after(() => pool.destroy())
      const [pid] = (await pool.ready, pool.stats().workers).map((worker) => worker.pid)
      const warning = once(process, 'warning')
      const mocked = t.mock.method(ChildProcess.prototype, 'kill', function () {
        return act(this, Object.assign(new Error(`kill ${code}`), { code, syscall: 'kill' }))
      })
      const options = { timeout: 100, gracePeriod: 50 }
      assert.equal((await rejection(pool.run('loop', [], options))).code, 'TW_ERR_TIMEOUT')
      const [{ code: told, message }] = await warning
      assert.equal(told, 'TW_WARN_WORKER_ERROR')
      assert.match(message, new RegExp(`process ${pid} .*could not be ended \\(kill ${code}\\)`))
      assert.equal(await pool.run('add', [1, 2]), 3)
      assert.notEqual(pool.stats().workers[0].pid, pid)
      mocked.mock.restore()
      end(pid)
    })

test('close() and destroy() settle too, and what could not be ended is told once', async (t) => {
  const pool = processes(taskModule('signalled.js'), { size: 2 })
  await pool.ready
  const pids = pool.stats().workers.map((worker) => worker.pid)
  const warnings = []
  const note = (warning) => warnings.push(warning.message)
  process.on('warning', note)
  t.after(() => process.off('warning', note))
  const calls = [pool.run('loop'), pool.run('loop')].map((call) => rejection(call))
  const mocked = t.mock.method(ChildProcess.prototype, 'kill', () => {
    throw Object.assign(new Error('kill EACCES'), { code: 'EACCES' })
  })
  await pool.destroy()
  await Promise.all(calls)
  mocked.mock.restore()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(warnings.filter((text) => text.includes('could not be ended')).length, 2)
  pids.forEach(end)
})
