// How a function is called for many inputs: values in their order, promises as far as may be, and nothing that nobody waits for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callEach } from '../../../../build/runtime/task/call-each.js'
import { stopping } from '../../../../build/runtime/task/stop.js'
import { nextTurn } from '../../../helpers/waiting.js'

const keep = (value) => value
const inputs = Array.from({ length: 20 }, (_, i) => i)

/** A function whose promises the test settles; the first inputs give values. */
function deferred(values = 0) {
  const open = new Map()
  const started = []
  const task = (i) => {
    started.push(i)
    if (i < values) return i * 10
    return new Promise((resolve, reject) => open.set(i, { resolve: () => resolve(i * 10), reject }))
  }
  return { task, open, started }
}

/** The calls that begin may hold so many promises open. Gives what stops them. */
function allow(t, sideBySide) {
  const stop = { isStopped: false, look() {}, sideBySide }
  stopping.current = () => stop
  t.after(() => (stopping.current = undefined))
  return stop
}

test('values come in their order, and at once', () => {
  assert.deepEqual(
    callEach((i) => i * 10, inputs, { keep }),
    {
      results: inputs.map((i) => i * 10),
      isAsync: false,
    },
  )
})

test('promises are open side by side, so many at a time', async (t) => {
  allow(t, 4)
  const { task, open, started } = deferred(5)
  const progress = { done: 0 }
  const all = callEach(task, inputs, { keep, progress })
  assert.deepEqual(started, [0, 1, 2, 3, 4, 5, 6, 7, 8])
  assert.equal(progress.done, 5)
  open.get(7).resolve()
  await nextTurn()
  assert.equal(started.at(-1), 9)
  assert.equal(progress.done, 6)
  while (progress.done < inputs.length) {
    for (const each of open.values()) each.resolve()
    await nextTurn()
  }
  assert.deepEqual(await all, { results: inputs.map((i) => i * 10), isAsync: true })
})

test('where each promise counts as a call it ends with the first one', async (t) => {
  allow(t, 1)
  const { task, open, started } = deferred(3)
  const progress = { done: 0 }
  const first = callEach(task, inputs, { keep, progress })
  open.get(3).resolve()
  assert.deepEqual(await first, { results: [0, 10, 20, 30], isAsync: true })
  assert.deepEqual(started, [0, 1, 2, 3])
  assert.equal(progress.done, 4)
})

test('in turn, each waits for the one before, whatever may be open', async (t) => {
  for (const sideBySide of [1, 4, undefined]) {
    allow(t, sideBySide)
    const { task, open, started } = deferred(3)
    const all = callEach(task, inputs, { keep, isInTurn: true })
    for (let i = 3; i < inputs.length; i++) {
      assert.equal(started.at(-1), i)
      open.get(i).resolve()
      await nextTurn()
    }
    assert.deepEqual(await all, { results: inputs.map((i) => i * 10), isAsync: true })
  }
})

test('nothing starts after the first error, and that is what comes', async (t) => {
  allow(t, 4)
  const { task, open, started } = deferred()
  const all = callEach(task, inputs, { keep })
  open.get(2).reject(new Error('wrong'))
  await assert.rejects(all, /^Error: wrong$/)
  for (const i of [0, 1, 3]) open.get(i).resolve()
  await nextTurn()
  assert.deepEqual(started, [0, 1, 2, 3])
})

test('nothing starts once nobody waits for the results', async (t) => {
  const stop = allow(t, 2)
  const { task, open, started } = deferred()
  const all = callEach(task, inputs, { keep })
  stop.isStopped = true
  open.get(0).resolve()
  await assert.rejects(all, { name: 'AbortError' })
  assert.deepEqual(started, [0, 1])
  const seen = []
  assert.throws(() => callEach((i) => void seen.push(i), inputs, { keep }), { name: 'AbortError' })
  assert.deepEqual(seen, [], 'not even of functions that give values')
  let looks = 0
  Object.assign(stop, { isStopped: false, look: () => (stop.isStopped = ++looks > 3) })
  assert.throws(() => callEach((i) => void seen.push(i), inputs, { keep }), { name: 'AbortError' })
  assert.deepEqual(seen, [0, 1, 2], 'it is looked for while they run')
})
