import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createCall,
  EACH_OPTIONS,
  callOptions,
  forkOptions,
  laneOptions,
} from '../../../../../build/runtime/pool/calls/call.js'
import { defineContext } from '../../../../../build/runtime/task/define-context.js'
import { hasSameShape } from '../../../../helpers/has-same-shape.js'

describe('the options of a call', () => {
  const plain = callOptions(undefined)
  const context = defineContext('pool-task.test')
  const inContext = (options) => context.run('value', () => createCall({}, 'task', [], options).options)
  const others = {
    'with options': callOptions({ timeout: 5, key: 'k' }),
    'with an endless grace period': callOptions({ gracePeriod: Infinity }),
    'with half a millisecond of grace': callOptions({ gracePeriod: 0.5 }),
    'with a transfer list': callOptions({ transfer: [new ArrayBuffer(1)] }),
    'of several inputs': EACH_OPTIONS,
    'of a fork': forkOptions(undefined),
    'of a lane': laneOptions({ priority: 1 }, 2),
    'of a plain call in a context': inContext(plain),
    'of several inputs in a context': inContext(EACH_OPTIONS),
    'of a call with options in a context': inContext(callOptions({ timeout: 5 })),
  }
  for (const [name, options] of Object.entries(others))
    test(`${name} have the hidden class of those of a plain call`, () =>
      assert.ok(hasSameShape(options, plain)))

  test('say what the options say, and what each kind of call adds', () => {
    const { transfer, announceStart, needsMessage, priority } = callOptions({
      transfer: [],
      timeout: 5,
      priority: 3,
    })
    assert.deepEqual([transfer, announceStart, needsMessage, priority], [undefined, true, false, 3])
    assert.deepEqual([EACH_OPTIONS.isEach, EACH_OPTIONS.hasContext], [true, false])
    const { isFork, needsMessage: isSent, priority: forkPriority } = forkOptions({ priority: 4 })
    assert.deepEqual([isFork, isSent, forkPriority], [true, true, 4])
    const { lane, isForAll } = laneOptions(undefined, 2)
    assert.deepEqual([lane, isForAll], [2, true])
  })

  test('in a context say so, of this call and no other', () => {
    for (const make of [() => plain, () => EACH_OPTIONS, () => callOptions({ timeout: 5 })])
      assert.deepEqual(inContext(make()), { ...make(), hasContext: true })
    assert.deepEqual(
      [plain.hasContext, EACH_OPTIONS.hasContext, callOptions(undefined).hasContext],
      [false, false, false],
    )
  })
})
