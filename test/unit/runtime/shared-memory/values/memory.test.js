import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemory, viewsOf } from '../../../../../build/runtime/shared-memory/values/memory.js'

test('memory that nobody has written to takes no room', () => {
  const bytes = 256 * 1024
  // What is freed here, malloc clears and gives out next; and from now on it asks the system for larger blocks only.
  for (let i = 0; i < 50; i++) structuredClone(new Uint8Array(400_000))
  const before = process.memoryUsage.rss()
  const memories = Array.from({ length: 200 }, () => createMemory(bytes))
  const taken = process.memoryUsage.rss() - before
  assert.ok(taken < 5e6, `${taken} bytes for 200 times 256 KB`)
  assert.ok(memories.every((memory) => memory.byteLength === bytes))
})

test('is empty, and of the length that was asked for', () => {
  const memory = createMemory(262_400)
  assert.equal(memory.byteLength, 262_400)
  assert.ok(new Uint8Array(memory).every((byte) => byte === 0))
})

test('its views see the same bytes', () => {
  const { words, doubles, bytes, view } = viewsOf(createMemory(4096), 256, 1024)
  words[0] = 7
  assert.deepEqual([bytes[0], view.getInt32(0, true), bytes.length], [7, 7, 1024])
  doubles[1] = 0.5
  assert.equal(view.getFloat64(8, true), 0.5)
})
