// How many inputs of a map travel together.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchSize } from '../../../../build/runtime/executor/map-inputs.js'

const answer = (inputs, us, more = {}) => ({
  results: new Array(inputs).fill(1),
  us,
  isAsync: false,
  ...more,
})

function learned(...answers) {
  const grain = new BatchSize()
  for (const each of answers) grain.learn(each)
  return grain
}

test('begins with one', () => assert.equal(new BatchSize().size, 1))

test('grows in steps towards 200 us of work, and 256 inputs at most', () => {
  const grain = new BatchSize()
  const sizes = [1, 4, 16, 64, 256, 256].map((inputs) => {
    grain.learn(answer(inputs, inputs * 0.1))
    return grain.size
  })
  assert.deepEqual(sizes, [4, 16, 64, 256, 256, 256])
  assert.equal(learned(answer(1, 20), answer(4, 80), answer(10, 200)).size, 10)
})

test('shrinks at once', () => {
  assert.equal(learned(answer(1, 1), answer(4, 4), answer(16, 16_000)).size, 1)
  assert.equal(learned(answer(1, 5000)).size, 1)
})

test('stays at one for promises and objects', () => {
  for (const more of [{ isAsync: true }, { results: [{}] }, { results: [1, []] }]) {
    const grain = learned(answer(1, 1), answer(2, 1, more), answer(1, 1))
    assert.equal(grain.size, 1)
    assert.equal(grain.takes(5), false)
  }
})

test('takes what is small and no object', () => {
  for (const input of [0, 'text', '', true, null, undefined, 5n])
    assert.equal(new BatchSize().takes(input), true)
  for (const input of [{}, [], () => {}, Symbol('s'), 'x'.repeat(257)])
    assert.equal(new BatchSize().takes(input), false)
})
