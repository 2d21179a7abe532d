// What is copied to or from shared memory begins at a whole word: from elsewhere V8 copies byte by byte.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  freeAfter,
  PAYLOAD_BYTES,
  PAYLOAD_FROM,
  slotWord,
} from '../../../../build/runtime/shared-memory/layout/queue-layout.js'
import { createQueueMemory, queueViews } from '../../../../build/runtime/shared-memory/layout/queue-memory.js'
import { QueueProducer, UNFIT } from '../../../../build/runtime/shared-memory/main/queue-producer.js'
import { BY_MESSAGE, copyValue } from '../../../../build/runtime/wire/codec/packet.js'
import { writeValue } from '../../../../build/runtime/wire/codec/write-value.js'

const WORD = 8

test('the arguments of each call do', () => {
  const views = queueViews(createQueueMemory())
  const queue = new QueueProducer(views, { numberOf: (buffer) => buffer.byteLength })
  const calls = Array.from({ length: 20 }, (_, length) => ['x'.repeat(length)])
  calls.push([new SharedArrayBuffer(3), 'and its number'], ['x'])
  const begins = calls.map((args) => {
    assert.ok(queue.write(args, false) >= 0)
    const position = queue.put(1, 0)
    return views.slots[slotWord(position) + PAYLOAD_FROM]
  })
  assert.deepEqual(begins.map((at) => at % WORD), begins.map(() => 0)) // prettier-ignore
  assert.equal(new Set(begins).size, calls.length)
})

test('the bytes of a buffer do, wherever it stands in a value', () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, i) => 200 - i)
  for (const buffer of [bytes, Buffer.from(bytes), bytes.buffer])
    for (let before = 0; before <= WORD; before++) {
      const value = [...'x'.repeat(before), buffer]
      const written = writeValue(value, { carrier: BY_MESSAGE }, (out, length) =>
        Buffer.from(out.bytes.subarray(0, length)),
      )
      assert.equal(written.indexOf(bytes) % WORD, 0, `${before} texts before it`)
      assert.deepEqual(copyValue(value), value)
    }
})

test('with the numbers of their buffers the arguments never reach beyond the memory', () => {
  const views = queueViews(createQueueMemory())
  const queue = new QueueProducer(views, { numberOf: () => 7 })
  const put = (value) => {
    assert.ok(queue.write([value], false) >= 0)
    const position = queue.put(1, 0)
    views.slots[slotWord(position)] = freeAfter(position) // a worker has read it
    return views.slots[slotWord(position) + PAYLOAD_FROM]
  }
  const text = (bytes) => 'x'.repeat(bytes - 17) // a text takes 17 bytes more
  for (let i = 0; i < 16; i++) put(text(65_528))
  put(text(120))
  assert.equal(put('the last word'), PAYLOAD_BYTES - 8)
  for (let i = 0; i < 16; i++) put(text(65_528))
  const buffers = Array.from({ length: 300 }, () => new SharedArrayBuffer(1))
  assert.equal(queue.write([['x'.repeat(64_000), ...buffers]], false), UNFIT)
})
