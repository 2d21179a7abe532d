// Calls that no worker has yet.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_RETRIES, Retries } from '../../../../../build/runtime/pool/dispatch/retries.js'
import { WaitingCalls } from '../../../../../build/runtime/pool/dispatch/waiting-calls.js'

const create = () => new WaitingCalls(2, new Retries(NO_RETRIES, () => {}))
const call = (name, options = {}) => ({ name, options: { priority: 0, ...options }, isSettled: false })

function settle(waiting, task) {
  task.isSettled = true
  waiting.forget(task)
}

test('offers forked calls first, then those of lanes, and each queue up to the first that is not taken', () => {
  const waiting = create()
  for (const task of [call('a'), call('lane', { lane: 3 }), call('b'), call('fork', { isFork: true })])
    waiting.push(task)
  const offered = []
  waiting.offer((task) => offered.push(task.name) > 0 && task.name !== 'a')
  assert.deepEqual(offered, ['fork', 'lane', 'a'])
  assert.equal(waiting.size, 2)
})

test('does not count calls that have settled, but is empty only when the next offer has dropped them', () => {
  const waiting = create()
  const tasks = [call('a'), call('urgent', { priority: 5 }), call('b')]
  assert.equal(waiting.isEmpty, true)
  for (const task of tasks) waiting.push(task)
  for (const task of tasks) settle(waiting, task)
  assert.deepEqual([waiting.size, waiting.isEmpty], [0, false])
  waiting.offer(() => assert.fail('nobody waits'))
  assert.equal(waiting.isEmpty, true)
})
