// Both ends of a reply ring in one thread.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRandom } from '../../../../../build/measure/stats/random.js'
import {
  FULL,
  ReplyReader,
  ReplyWriter,
  UNFIT,
  WRITTEN,
} from '../../../../../build/runtime/shared-memory/layout/reply-ring.js'
import {
  MAX_VALUE_BYTES,
  RING_BYTES,
} from '../../../../../build/runtime/shared-memory/layout/worker-layout.js'
import {
  createWorkerMemory,
  workerViews,
} from '../../../../../build/runtime/shared-memory/layout/worker-memory.js'
import { isSmallInteger } from '../../../../helpers/is-small-integer.js'
import { randomValues } from '../../../../helpers/random-values.js'
import { assertSameClone } from '../../../../helpers/same-clone.js'

function ring() {
  const memory = createWorkerMemory()
  const writer = new ReplyWriter(workerViews(memory))
  const reader = new ReplyReader(workerViews(memory), () => 'task')
  const read = () => {
    const replies = []
    assert.equal(reader.drain((id, kind, value) => replies.push({ id, kind, value })), replies.length) // prettier-ignore
    return replies
  }
  return { writer, reader, read }
}

describe('the reply ring', () => {
  test('says when more than a quarter of it lies unread', () => {
    const { writer, read } = ring()
    const text = 'x'.repeat(990)
    let bytes = 0
    for (; !writer.isFilling; bytes += 1024) assert.equal(writer.write(0, 1, text), WRITTEN)
    assert.ok(bytes > RING_BYTES / 4 && bytes < RING_BYTES / 4 + 4096, `${bytes} bytes`)
    read()
    writer.write(0, 1, text)
    assert.equal(writer.isFilling, false)
  })

  test('gives replies in their order, with their kind', () => {
    const { writer, reader, read } = ring()
    assert.equal(reader.isEmpty, true)
    const values = [1.5, undefined, 'text', { a: [1] }, -0, null]
    values.forEach((value, i) => assert.equal(writer.write(i % 5, i, value), WRITTEN))
    assert.equal(reader.isEmpty, false)
    assert.deepEqual(read(), values.map((value, i) => ({ id: i, kind: i % 5, value }))) // prettier-ignore
    assert.equal(reader.isEmpty, true)
    assert.deepEqual(read(), [])
  })

  test('gives integers as V8 keeps small ones, and every other number as it is', () => {
    const { writer, reader } = ring()
    const integers = [0, 1, -1, 200_000, 2 ** 30 - 1, -(2 ** 30)] // small in all builds of V8
    const others = [-0, NaN, 0.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, Infinity, -Infinity]
    const numbers = [...integers, ...others]
    numbers.forEach((value, i) => writer.write(0, i, value))
    let read = 0
    reader.drain((id, _, value) => {
      assert.ok(Object.is(value, numbers[id]))
      assert.equal(isSmallInteger(value), id < integers.length) // here: a list of numbers would hold doubles
      read++
    })
    assert.equal(read, numbers.length)
  })

  test('is full when nobody reads, and has room again once somebody has', () => {
    const { writer, read } = ring()
    let written = 0
    while (writer.write(0, written, written) === WRITTEN) written++
    assert.equal(written, RING_BYTES / 16)
    assert.equal(writer.write(0, 1, 'text'), FULL)
    const { kept } = writer
    assert.equal(writer.writeKept(kept), false)
    assert.equal(read().length, written)
    assert.equal(writer.writeKept(kept), true)
    assert.deepEqual(read(), [{ id: 1, kind: 0, value: 'text' }])
    assert.equal(writer.write(0, 1, 'text'), WRITTEN)
    assert.deepEqual(read(), [{ id: 1, kind: 0, value: 'text' }])
  })

  test('refuses what only a message can carry', () => {
    const { writer, read } = ring()
    for (const value of [new Blob(['x']), 'x'.repeat(70_000)]) assert.equal(writer.write(0, 1, value), UNFIT)
    assert.deepEqual(read(), [])
  })

  test('a value of nearly the largest size fits wherever the ring stands', () => {
    const { writer, read } = ring()
    const text = 'x'.repeat(65_000)
    for (let i = 0; i < 100; i++) {
      for (let j = 0; j < i; j++) writer.write(0, j, j)
      assert.equal(writer.write(0, i, text), WRITTEN)
      assert.equal(read().at(-1).value, text)
    }
  })

  for (const back of [16, 32, 48, MAX_VALUE_BYTES]) {
    test(`the largest value fits ${back} bytes before its end, and keeps what follows out`, () => {
      const { writer, read } = ring()
      const text = 'x'.repeat(MAX_VALUE_BYTES - 17) // header, tag and length stand before it
      for (let at = 0; at < RING_BYTES - back; at += 16) {
        assert.equal(writer.write(0, 0, 0), WRITTEN)
        if (at % 4096 === 0) read()
      }
      read()
      assert.equal(writer.write(0, 1, text), WRITTEN)
      let written = 1
      while (writer.write(0, written + 1, written + 1) === WRITTEN) written++
      const [first, ...others] = read()
      assert.equal(first.value, text)
      assert.equal(others.length, written - 1)
      assert.ok(others.every(({ id, value }, i) => id === i + 2 && value === id))
      assert.equal(writer.write(0, 1, text + 'x'), UNFIT)
    })
  }

  for (let seed = 1; seed <= 3; seed++) {
    test(`carries any value over many rounds (seed ${seed})`, () => {
      const { writer, read } = ring()
      const random = createRandom(seed)
      const next = randomValues(seed)
      let expected = []
      const check = () => {
        const replies = read()
        assert.deepEqual(replies.map(({ id }) => id), expected.map(({ id }) => id)) // prettier-ignore
        replies.forEach(({ value }, i) => assertSameClone(value, expected[i].value))
        expected = []
      }
      for (let id = 0; id < 4000; id++) {
        const value = random() < 0.1 ? 'x'.repeat(random() * 60_000) : next()
        const result = writer.write(0, id, value)
        if (result === WRITTEN) expected.push({ id, value: structuredClone(value) })
        if (result === FULL) assert.ok(expected.length > 0, 'full although empty')
        if (result === FULL || random() < 0.1) check()
      }
      check()
    })
  }
})
