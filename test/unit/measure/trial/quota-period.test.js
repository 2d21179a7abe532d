// Where the periods of a quota begin, from the freezes of a spinning loop.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { leadUntilPeriod, payableRate, phaseOf } from '../../../../build/measure/trial/quota-period.js'
import { freshArguments } from '../../../../build/measure/trial/fresh-arguments.js'

const freeze = (endMs, gapMs = 40) => ({ endMs, gapMs })

describe('the phase of a quota', () => {
  test('is where the longest freezes end together', () => {
    assert.equal(phaseOf([freeze(1037), freeze(1137.5), freeze(1237), freeze(1190, 8)], 4), 37)
  })

  test('also across the edge of a period', () => {
    const phase = phaseOf([freeze(1099.5), freeze(1200.2), freeze(1300.1)], 4)
    assert.ok(Math.min(phase, 100 - phase) < 1, `${phase}`)
  })

  test('is unknown where freezes end anywhere, or there are none', () => {
    assert.equal(phaseOf([freeze(1010), freeze(1150), freeze(1290)], 4), null)
    assert.equal(phaseOf([], 4), null)
  })

  test('says how long until a period begins, with a margin', () => {
    assert.equal(leadUntilPeriod(37, 1000, 3), 37)
    assert.equal(leadUntilPeriod(37, 1030, 3), 7)
    assert.equal(leadUntilPeriod(37, 1036, 3), 101) // too near: the next one
    assert.equal(leadUntilPeriod(null, 1036, 3), 200)
  })

  test('pays for so many calls', () => {
    assert.equal(payableRate(1, 40, 0.6), 15) // the first one would end after 40 ms, in the same period
    assert.equal(payableRate(2, 80, 0.25), 6.25)
    assert.equal(payableRate(2, 0, 0.25), Infinity)
  })
})

describe('fresh arguments', () => {
  test('are a copy for each call, made before where there is time', () => {
    const original = [[3, 1, 2]]
    const fresh = freshArguments(() => original, 30)
    fresh.prepare()
    for (let i = 0; i < 20; i++) {
      const [list] = fresh.take()
      assert.deepEqual(list, [3, 1, 2])
      list.sort()
    }
    assert.deepEqual(original, [[3, 1, 2]])
  })

  test('take no more memory than they may', () => {
    let copies = 0
    const fresh = freshArguments(() => [++copies], 40 * 1024 * 1024)
    for (let i = 0; i < 50; i++) fresh.take()
    copies = 0
    fresh.prepare()
    assert.equal(copies, 1)
  })
})
