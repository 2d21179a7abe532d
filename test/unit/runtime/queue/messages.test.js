// What arrives on the channels of a store: messages of ours, and whatever else somebody publishes there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readToCaller, readToWorkers } from '../../../../build/runtime/queue/messages.js'

const worker = { id: 'w', host: 'h', pid: 1, places: 2, running: 0, isClosing: false }
const result = { result: '5', payload: 'x', ms: 1.5 }
const toCaller = [
  { type: 'done', id: 'a', result },
  { type: 'failed', id: 'a', reason: 'no' },
  { type: 'ended', id: 'a' },
  { type: 'progress', id: 'a', payload: 'x' },
  { type: 'here', worker },
]
const toWorkers = [
  { type: 'cancel', id: 'a', reason: 'no' },
  { type: 'who', reply: 'channel' },
]

for (const [read, messages] of [
  [readToCaller, toCaller],
  [readToWorkers, toWorkers],
])
  test(`${read.name} takes messages of ours, and drops what is none`, () => {
    for (const message of messages) {
      assert.deepEqual(read(JSON.stringify(message)), message)
      for (const field of Object.keys(message))
        for (const wrong of [undefined, null, 5, {}, []])
          assert.equal(
            read(JSON.stringify({ ...message, [field]: wrong })),
            undefined,
            `${message.type} ${field}`,
          )
    }
    for (const text of [
      '',
      '{',
      'null',
      '5',
      '[]',
      '{}',
      '"done"',
      '{"type":"toString"}',
      '{"type":"__proto__"}',
    ])
      assert.equal(read(text), undefined, text)
  })

test('numbers of a worker that are none, or negative, are dropped', () => {
  for (const changes of [{ places: -1 }, { places: '2' }, { running: null }, { isClosing: 1 }])
    assert.equal(readToCaller(JSON.stringify({ type: 'here', worker: { ...worker, ...changes } })), undefined)
})
