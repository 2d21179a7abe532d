// One function for several inputs of one call.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyValue } from '../../../../build/runtime/wire/codec/packet.js'
import { runEach } from '../../../../build/runtime/worker/run-each.js'
import { fakeClock } from '../../../helpers/fake-timers.js'

test('gives the results in order, and the time', (t) => {
  const pass = fakeClock(t)
  const task = (n) => (pass(2), n + 1)
  const { results, us, isAsync } = copyValue(runEach(task, [1, 2, 3]))
  assert.deepEqual({ results, isAsync }, { results: [2, 3, 4], isAsync: false })
  assert.equal(us, 6000)
})

test('each call gets its input and nothing else', () => {
  const seen = []
  runEach((...args) => seen.push(args), ['a', undefined])
  assert.deepEqual(seen, [['a'], [undefined]])
})

test('stops at the input that throws', () => {
  const seen = []
  const task = (n) => {
    seen.push(n)
    if (n === 2) throw new Error('two')
  }
  assert.throws(
    () => runEach(task, [1, 2, 3]),
    ({ thrown, done }) => thrown.message === 'two' && done === 1,
  )
  assert.deepEqual(seen, [1, 2])
})

test('from the first promise on, they are open side by side', async () => {
  let open = 0
  const release = []
  const task = (n) => {
    open++
    return new Promise((resolve) => release.push(() => resolve(n)))
  }
  const answer = runEach((n) => (n < 2 ? n : task(n)), [1, 2, 3, 4])
  assert.equal(open, 3)
  for (const each of release) each()
  assert.deepEqual(copyValue(await answer), { results: [1, 2, 3, 4], us: 0, readUs: 0, isAsync: true })
})

test('a promise that rejects fails the call, and says how many had a result before', async () => {
  await assert.rejects(
    runEach((n) => Promise.reject(new Error(`no ${n}`)), [7, 8]),
    ({ thrown, done }) => thrown.message === 'no 7' && done === 0,
  )
})

test('objects of several results are not the same ones', () => {
  const part = { x: 1 }
  const { results } = copyValue(runEach((n) => ({ n, part }), [1, 2]))
  assert.deepEqual(results, [{ n: 1, part }, { n: 2, part }]) // prettier-ignore
  assert.notEqual(results[0].part, results[1].part)
})
