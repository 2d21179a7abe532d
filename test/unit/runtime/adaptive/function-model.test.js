// What adaptive makes of the times of one function: where its calls belong. No clock: the times are given.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FunctionModel, FunctionModels } from '../../../../build/runtime/adaptive/function-model.js'

const MAX_BLOCK_US = 5000

/** A model that has seen so many calls of that length in workers. */
function modelOf(us, { count = 10, maxBlockUs = MAX_BLOCK_US, byMessage = false } = {}) {
  const model = new FunctionModel('task', maxBlockUs)
  for (let i = 0; i < count; i++) model.ranInWorker(us, byMessage)
  return model
}

const told = ({ place, reason }) => `${place}: ${reason}`

describe('a function is', () => {
  test('unknown until three calls were timed', () => {
    assert.equal(told(modelOf(0.1, { count: 0 })), 'pool: unknown')
    assert.equal(told(modelOf(0.1, { count: 2 })), 'pool: unknown')
    assert.equal(told(modelOf(0.1, { count: 3 })), 'inline: short')
  })

  test('short, alone or long by its run time', () => {
    assert.equal(told(modelOf(0)), 'inline: short')
    assert.equal(told(modelOf(2.9)), 'inline: short')
    assert.equal(told(modelOf(3.1)), 'alone: round-trip')
    assert.equal(told(modelOf(319)), 'alone: round-trip')
    assert.equal(told(modelOf(321)), 'pool: long')
    assert.equal(told(modelOf(4999)), 'pool: long')
    assert.equal(told(modelOf(5000)), 'pool: blocks')
  })

  test('never inline with a maxBlock of 0', () => {
    for (const us of [0, 0.1, 5, 1000]) assert.equal(told(modelOf(us, { maxBlockUs: 0 })), 'pool: blocks')
  })

  test('not alone when it runs longer than a small maxBlock', () => {
    assert.equal(modelOf(90, { maxBlockUs: 100 }).place, 'alone')
    assert.equal(modelOf(100, { maxBlockUs: 100 }).place, 'pool')
  })

  test('as long as the copy of its arguments makes it, if it runs here', () => {
    const model = modelOf(1)
    for (let i = 0; i < 5; i++) model.ranInline(1, 50)
    assert.equal(model.inlineUs, 101) // with the garbage that copies are
    assert.equal(told(model), 'alone: round-trip')
    for (let i = 0; i < 50; i++) model.ranInline(1, 600)
    assert.equal(told(model), 'pool: long')
  })

  test('short where its calls must go by message, which costs more', () => {
    assert.equal(modelOf(9).place, 'alone')
    assert.equal(modelOf(9, { byMessage: true }).place, 'inline')
    assert.equal(modelOf(11, { byMessage: true }).place, 'alone')
  })

  test('short where handing it over has become expensive', () => {
    const model = modelOf(10)
    assert.equal(model.place, 'alone')
    for (let i = 0; i < 60; i++) model.handedOver(30)
    model.ranInWorker(10, false)
    assert.equal(told(model), 'inline: short')
  })

  test('asynchronous for good once it has given a promise here', () => {
    const model = modelOf(1)
    model.givesPromises()
    for (let i = 0; i < 100; i++) model.ranInWorker(1, false)
    assert.equal(told(model), 'pool: asynchronous')
  })

  test('asynchronous as long as it has only waited in workers', () => {
    const model = modelOf(0, { count: 0 })
    model.waitedInWorker()
    assert.equal(told(model), 'pool: asynchronous')
    for (let i = 0; i < 3; i++) model.ranInWorker(1, false)
    assert.equal(told(model), 'inline: short')
  })
})

describe('a function that changes', () => {
  test('leaves at the first call that blocks, and comes back when such are rare', () => {
    const model = modelOf(1, { count: 1000 })
    model.ranInline(10_000, 0)
    assert.equal(told(model), 'pool: blocks')
    let calls = 0
    for (; model.place === 'pool'; calls++) model.ranInWorker(1, false)
    assert.ok(calls > 40 && calls < 200, `${calls} calls`)
    assert.equal(told(model), 'inline: short')
  })

  test('stays away while one call in 50 blocks, whatever the others are', () => {
    const model = modelOf(1, { count: 1000 })
    let inline = 0
    for (let i = 1; i <= 10_000; i++) {
      if (i >= 50 && model.place !== 'pool') inline++
      if (model.place === 'pool') model.ranInWorker(i % 50 === 0 ? 10_000 : 1, false)
      else model.ranInline(i % 50 === 0 ? 10_000 : 1, 0)
    }
    assert.ok(inline < 100, `${inline} calls inline`)
  })

  test('is not thrown out by a pause, and moves within some calls when it has really become longer', () => {
    const model = modelOf(0.5, { count: 100 })
    model.ranInline(400, 0)
    assert.notEqual(model.place, 'pool')
    for (let i = 0; i < 50; i++) model.ranInline(0.5, 0)
    assert.equal(model.place, 'inline')
    let calls = 0
    for (; model.place !== 'pool' && calls < 1000; calls++) model.ranInline(1000, 0)
    assert.ok(calls < 20, `${calls} calls`)
  })

  test('comes back when it has become short', () => {
    const model = modelOf(2000, { count: 100 })
    assert.equal(model.place, 'pool')
    let calls = 0
    for (; model.place !== 'inline' && calls < 1000; calls++) model.ranInWorker(1, false)
    assert.ok(calls < 200, `${calls} calls`)
  })

  test('does not swing at the border', () => {
    const model = modelOf(2.9)
    assert.equal(model.place, 'inline')
    let moves = 0
    for (let i = 0; i < 1000; i++) {
      const { place } = model
      model.ranInline(i % 2 === 0 ? 2.8 : 3.3, 0)
      if (model.place !== place) moves++
    }
    assert.equal(moves, 0)
  })

  test('has its copies tried again after a while', () => {
    const model = modelOf(1)
    for (let i = 0; i < 50; i++) model.ranInline(1, 600)
    assert.equal(model.place, 'pool')
    let calls = 0
    for (; model.place === 'pool' && calls < 1000; calls++) model.ranInWorker(1, false)
    assert.ok(calls > 5 && calls < 200, `${calls} calls`)
  })
})

test('the first calls, which run before the code is optimised, do not count for long', () => {
  const model = new FunctionModel('task', MAX_BLOCK_US)
  for (const us of [2000, 900, 2, 2, 2]) model.ranInWorker(us, false)
  for (const us of [500, 300, 9, 1, 1, 1]) model.handedOver(us)
  assert.equal(model.place, 'inline')
  assert.ok(model.handOverUs < 2, String(model.handOverUs))
})

test('made-up names do not fill the memory', () => {
  const models = new FunctionModels(MAX_BLOCK_US, (name, maxBlockUs) => new FunctionModel(name, maxBlockUs))
  const first = models.of('first')
  assert.equal(models.of('first'), first)
  for (let i = 0; i < 25_000; i++) models.of(`name ${i}`)
  assert.ok(models.all.length <= 10_000)
})
