// Which inputs of a map travel together.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapInputs } from '../../../../build/runtime/executor/map-inputs.js'
import { nextTurn } from '../../../helpers/waiting.js'

const limits = { targetUs: 10_000, maxItems: 64, takesObjects: true, openCalls: () => 8 }

/** Maps, and gives the inputs of each call: alone as they are, together as a list. */
async function callsOf(inputs, { us = 1, answer = {}, ...others } = {}) {
  const calls = []
  const call = async (input) => calls.push(input)
  const each = async (list) => {
    calls.push(list)
    return { results: list, us, isAsync: false, ...answer }
  }
  const results = await mapInputs(inputs, { limit: 4096, call, chunks: { ...limits, ...others, call: each } })
  assert.equal(results.length, inputs.length)
  return calls
}

const many = (input, count = 500) => new Array(count).fill(input)

test('small ones do, and objects', async () => {
  for (const input of [5, 'text', '', true, null, undefined, 5n, {}, [], new Date(), new Uint8Array(8)]) {
    const calls = await callsOf(many(input))
    assert.ok(calls.every(Array.isArray))
    assert.equal(Math.max(...calls.map(({ length }) => length)), 64)
  }
})

test('large ones and functions go by themselves, in their place', async () => {
  for (const input of [() => {}, Symbol('s'), 'x'.repeat(257), new Uint8Array(5000)]) {
    const calls = await callsOf([1, input, 2])
    assert.deepEqual(calls, [[1], input, [2]])
  }
})

test('objects do not where the executor says so, and their results neither', async () => {
  const takesObjects = false
  assert.deepEqual(await callsOf(many({}, 3), { takesObjects }), [{}, {}, {}])
  const calls = await callsOf(many(1, 200), { takesObjects, answer: { results: many({}, 200) } })
  assert.equal(Math.max(...calls.map((call) => call.length ?? 1)), 1)
})

/** Answers short lists whole, and of longer ones only the first `done` inputs, once it is told. */
function partly(done) {
  const late = []
  const call = (list) => {
    if (list.length < 8) return Promise.resolve({ results: list, us: 1, isAsync: false })
    const answer = { results: list.slice(0, done), us: 0, isAsync: true }
    return new Promise((resolve) => late.push(() => resolve(answer)))
  }
  return { late, chunks: { ...limits, call } }
}

test('what a call leaves out goes by itself, in its place', async () => {
  const { late, chunks } = partly(3)
  const inputs = many(0, 500).map((_, i) => i)
  const alone = []
  const all = mapInputs(inputs, { limit: 4096, call: async (input) => (alone.push(input), input), chunks })
  await nextTurn()
  for (const answer of late) answer()
  assert.deepEqual(await all, inputs)
  assert.ok(late.length > 0 && alone.length > 300)
})

test('but not after an error', async () => {
  const { late, chunks } = partly(3)
  const error = new Error('no')
  let alone = 0
  const call = () => (alone++, Promise.reject(error))
  await assert.rejects(mapInputs([...many(1, 100), 'x'.repeat(300)], { limit: 4096, call, chunks }), error)
  assert.ok(late.length > 0)
  for (const answer of late) answer()
  await nextTurn()
  assert.equal(alone, 1)
})

test('calls get smaller towards the end', async () => {
  const sizes = (await callsOf(many(1, 1000), { workers: () => 2 })).map(({ length }) => length)
  assert.equal(Math.max(...sizes), 64)
  assert.deepEqual(sizes.slice(-3), [1, 1, 1])
})

test('what was gathered is sent before more answers are waited for, though the size has shrunk', async () => {
  const times = [1, 1, 1, 1, 1, 1, 1, 1, 1e9]
  let calls = 0
  const call = async (list) => ({ results: list, us: times[calls++] ?? 1e9, isAsync: false })
  const inputs = many(1, 5000)
  const results = await mapInputs(inputs, { limit: 4096, call: assert.fail, chunks: { ...limits, openCalls: () => 1, call } }) // prettier-ignore
  assert.equal(results.length, 5000)
})
