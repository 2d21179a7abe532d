// What a task sees of its own call: task.signal and task.worker.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { task } from '../../../../dist/task.js'
import { AbortableContext, registry } from '../../../../build/runtime/task/task-context.js'
import { nextTurn } from '../../../helpers/waiting.js'

const worker = { name: 'images', id: 3, slot: 1 }
const within = (context, callback) => registry.storage.run(context, callback)

test('outside a task, the signal never aborts and the worker is the main thread', () => {
  assert.equal(task.signal.aborted, false)
  assert.ok(task.signal instanceof AbortSignal)
  assert.deepEqual(task.worker, { name: 'main', id: 0, slot: 0 })
})

test('inside a task it is the one of the call, also after an await', async () => {
  const context = new AbortableContext({ info: worker, workerData: { region: 'eu' } })
  await within(context, async () => {
    assert.equal(task.worker, worker)
    assert.deepEqual(task.workerData, { region: 'eu' })
    const { signal } = task
    await nextTurn()
    assert.equal(task.signal, signal)
    context.abort('stop')
    assert.equal(signal.aborted, true)
    assert.equal(signal.reason, 'stop')
  })
  assert.deepEqual(task.worker, { name: 'main', id: 0, slot: 0 })
})

test('calls that overlap have their own signals', async () => {
  const contexts = [
    new AbortableContext({ info: worker, workerData: { region: 'eu' } }),
    new AbortableContext({ info: worker, workerData: { region: 'eu' } }),
  ]
  const signals = contexts.map((context) => within(context, () => task.signal))
  contexts[0].abort('first')
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  )
})

test('a signal that is looked at only after the abort is aborted, with the reason', () => {
  for (const reason of ['stop', new Error('x'), 0, null]) {
    const context = new AbortableContext({ info: worker, workerData: { region: 'eu' } })
    context.abort(reason)
    assert.equal(context.signal.aborted, true)
    assert.equal(context.signal.reason, reason)
  }
})

test('the first reason stays', () => {
  const context = new AbortableContext({ info: worker, workerData: { region: 'eu' } })
  context.abort('first')
  context.abort('second')
  assert.equal(context.signal.reason, 'first')
  context.abort('third')
  assert.equal(context.signal.reason, 'first')
})

test('an abort wakes what listens to the signal', async () => {
  const context = new AbortableContext({ info: worker, workerData: { region: 'eu' } })
  const heard = new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }))
  context.abort('stop')
  await heard
})
