// executor.tasks: every name is a function that runs the task of that name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { createTaskMethods } from '../../../../build/runtime/executor/from-core.js'

function methods() {
  const calls = []
  const tasks = createTaskMethods((name, args) => {
    calls.push([name, args])
    return Promise.resolve(name)
  })
  return { tasks, calls }
}

test('a method runs the task of its name with its arguments', async () => {
  const { tasks, calls } = methods()
  assert.equal(await tasks.render(1, undefined, 'x'), 'render')
  await tasks['with-dash']()
  assert.deepEqual(calls, [
    ['render', [1, undefined, 'x']],
    ['with-dash', []],
  ])
})

test('a method is the same function each time, and works on its own', async () => {
  const { tasks } = methods()
  assert.equal(tasks.render, tasks.render)
  const { render } = tasks
  assert.equal(await render(), 'render')
})

test('names of Object.prototype are tasks like others', async () => {
  const { tasks, calls } = methods()
  for (const name of ['toString', 'constructor', 'hasOwnProperty', 'valueOf']) await tasks[name]()
  assert.deepEqual(
    calls.map(([name]) => name),
    ['toString', 'constructor', 'hasOwnProperty', 'valueOf'],
  )
})

test('it can be awaited and returned from async functions: it is no promise', async () => {
  const { tasks, calls } = methods()
  assert.equal(await tasks, tasks)
  assert.equal(tasks.then, undefined)
  assert.deepEqual(calls, [])
})

test('printing it runs nothing', () => {
  const { tasks, calls } = methods()
  inspect(tasks)
  Object.keys(tasks)
  assert.equal(tasks[Symbol.iterator], undefined)
  assert.deepEqual(calls, [])
})

test('a method cannot be replaced by accident', () => {
  const { tasks } = methods()
  const { used } = tasks
  assert.throws(() => (tasks.render = () => 'mine'), TypeError)
  assert.throws(() => (tasks.used = () => 'mine'), TypeError)
  assert.equal(tasks.used, used)
})
