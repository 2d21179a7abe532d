// Messages between two processes as pieces of bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frameOf } from '../../../../build/runtime/processes/frames.js'

test('buffers of more than 2 GB together are refused by who sends them: the other side would end', () => {
  const half = Buffer.alloc(2 ** 30) // memory that nobody touches takes none
  assert.equal(frameOf([half]).length, 2)
  assert.throws(() => frameOf([half, Buffer.alloc(2 ** 30)]), /larger than 2 GB/)
})
