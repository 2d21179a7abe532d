// What is said where one of the cells could not gain anyway.
import { describe, test } from 'node:test'
import assert from 'node:assert/strict'
import { concurrent, inline, scout, situation, threads } from './cells.js'
import { advise } from '../../../build/measure/advise.js'

function adviceFor(cells, theScout = scout()) {
  const [advice] = advise(situation(cells, { scout: { love: theScout } }))
  return advice
}

function choiceFor(cells, theScout) {
  const { executor, size, verdict } = adviceFor(cells, theScout)
  return [executor, size, verdict]
}

describe('a control, which computes and has nothing to overlap', () => {
  const wide = concurrent(8, { ratio: [1.07, 0.4, 2.37], processes: 1 })
  const slower = threads(2, { ratio: 0.3 })

  test('leaves a verdict about the others as it is, however little is known of it', () => {
    assert.deepEqual(choiceFor([inline(), wide, slower]), ['inline', 1, 'slower'])
    assert.match(
      adviceFor([inline(), wide, slower]).sentence,
      /2 threads give 0\.300?x the calls .*, which is slower/,
    )
    const { reasons } = adviceFor([inline(), wide, slower])
    assert.ok(!reasons.some(({ id }) => id === 'cannot-tell'))
  })

  test('is open like any other where the calls wait', () => {
    const waiting = scout({ cpuUs: 2000 })
    assert.deepEqual(choiceFor([inline(), wide, slower], waiting), ['inline', 1, 'cannot-tell'])
  })

  test('is open where nothing else was measured', () => {
    assert.deepEqual(choiceFor([inline(), wide]), ['inline', 1, 'cannot-tell'])
  })

  test('wins where it is seen to be faster after all', () => {
    const batching = concurrent(8, { ratio: 1.8 })
    assert.deepEqual(choiceFor([inline(), batching, slower]), ['concurrent', 8, 'faster'])
  })
})
