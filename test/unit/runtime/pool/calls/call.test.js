import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createPoolTask,
  EACH_TERMS,
  termsFor,
  termsForFork,
  termsForLane,
} from '../../../../../dist/runtime/pool/calls/call.js'
import { defineContext } from '../../../../../dist/runtime/task/define-context.js'
import { hasSameShape } from '../../../../helpers/has-same-shape.js'

describe('the terms of a call', () => {
  const plain = termsFor(undefined)
  const context = defineContext('pool-task.test')
  const inContext = (terms) => context.run('value', () => createPoolTask('task', [], terms).terms)
  const others = {
    'with options': termsFor({ timeout: 5, key: 'k' }),
    'with an endless grace period': termsFor({ gracePeriod: Infinity }),
    'with half a millisecond of grace': termsFor({ gracePeriod: 0.5 }),
    'with a transfer list': termsFor({ transfer: [new ArrayBuffer(1)] }),
    'of several inputs': EACH_TERMS,
    'of a fork': termsForFork(undefined),
    'of a lane': termsForLane({ priority: 1 }, 2),
    'of a plain call in a context': inContext(plain),
    'of several inputs in a context': inContext(EACH_TERMS),
    'of a call with options in a context': inContext(termsFor({ timeout: 5 })),
  }
  for (const [name, terms] of Object.entries(others))
    test(`${name} have the hidden class of those of a plain call`, () =>
      assert.ok(hasSameShape(terms, plain)))

  test('say what the options say, and what each kind of call adds', () => {
    const { transfer, announceStart, needsMessage, priority } = termsFor({
      transfer: [],
      timeout: 5,
      priority: 3,
    })
    assert.deepEqual([transfer, announceStart, needsMessage, priority], [undefined, true, false, 3])
    assert.deepEqual([EACH_TERMS.isEach, EACH_TERMS.hasContext], [true, false])
    const { isFork, needsMessage: isSent, priority: forkPriority } = termsForFork({ priority: 4 })
    assert.deepEqual([isFork, isSent, forkPriority], [true, true, 4])
    const { lane, isForAll } = termsForLane(undefined, 2)
    assert.deepEqual([lane, isForAll], [2, true])
  })

  test('in a context say so, of this call and no other', () => {
    for (const make of [() => plain, () => EACH_TERMS, () => termsFor({ timeout: 5 })])
      assert.deepEqual(inContext(make()), { ...make(), hasContext: true })
    assert.deepEqual(
      [plain.hasContext, EACH_TERMS.hasContext, termsFor(undefined).hasContext],
      [false, false, false],
    )
  })
})
