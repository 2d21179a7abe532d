import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../../../build/measure/stats/random.js'
import { isMoreOften } from '../../../../build/measure/stats/more-often.js'

/** Of so many calls that each throw with this probability. */
function observed(random, probability, count) {
  let happened = 0
  for (let i = 0; i < count; i++) if (random() < probability) happened++
  return { rate: happened / count, count }
}

test('what happens as often here as there is not told to differ', () => {
  const random = createRandom(5)
  let alarms = 0
  for (const count of [20, 200, 5000])
    for (let run = 0; run < 500; run++)
      if (isMoreOften(observed(random, 0.1, count), observed(random, 0.1, count), 0)) alarms++
  assert.ok(alarms <= 8, `${alarms} of 1500`)
})

test('what happens much more often is told, soon', () => {
  const random = createRandom(6)
  let found = 0
  for (let run = 0; run < 200; run++)
    if (isMoreOften(observed(random, 0.5, 60), observed(random, 0.1, 60), 0.05)) found++
  assert.ok(found >= 180, `${found} of 200`)
  assert.equal(isMoreOften({ rate: 1, count: 10 }, { rate: 0, count: 10 }, 0.05), true)
})

test('the margin is left out, and nothing measured is no difference', () => {
  assert.equal(isMoreOften({ rate: 0.14, count: 1e6 }, { rate: 0.1, count: 1e6 }, 0.05), false)
  assert.equal(isMoreOften({ rate: 0.16, count: 1e6 }, { rate: 0.1, count: 1e6 }, 0.05), true)
  assert.equal(isMoreOften({ rate: 0, count: 0 }, { rate: 0, count: 0 }, 0), false)
})
