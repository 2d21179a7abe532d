// Copies of large buffers that a program has dropped are freed soon, without changing what the program sees.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countCopies, createCopyCollector } from '../../../../build/runtime/threads/young-collection.js'
import { markCopy } from '../../../../build/runtime/wire/codec/spare-memory.js'

const MB = 1024 * 1024

describe('the sender', () => {
  const buffers = (mb) => [markCopy(new ArrayBuffer(mb * MB))]

  test('tells of each 8 MB, once they have been sent', () => {
    let told = 0
    const count = countCopies(() => told++)
    const after = Array.from({ length: 12 }, () => (count(buffers(2)), told))
    assert.deepEqual(after, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
  })

  test('tells of one large buffer too', () => {
    let told = 0
    const count = countCopies(() => told++)
    count(buffers(40))
    assert.equal(told, 0)
    count(buffers(1))
    assert.equal(told, 1)
  })

  test('does not count what is no copy of ours', () => {
    const count = countCopies(() => assert.fail('told'))
    for (let i = 0; i < 100; i++)
      for (const list of [undefined, [], [{ byteLength: 40 * MB }], [new ArrayBuffer(MB)]]) count(list)
  })
})

describe('the receiver', () => {
  /** With a clock that collections move on. collect() gives how many there were. */
  function timed(clock) {
    let count = 0
    const find = () => (options) => {
      assert.deepEqual(options, { type: 'minor' })
      count++
      clock.now += clock.takes
    }
    const run = createCopyCollector(() => clock.now, find)
    return { clock, collect: () => (run(), count) }
  }

  test('rests for twice the time that collections take', () => {
    const { collect, clock } = timed({ now: 0, takes: 8 })
    assert.equal(collect(), 1)
    clock.now += 1.9 // of an average of 1, since it begins at 0
    assert.equal(collect(), 1)
    clock.now += 0.2
    assert.equal(collect(), 2)
  })

  for (const durations of [[5], [10, 0.2], [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 8]])
    test(`takes a third of the time at most: ${durations.slice(-2).join(' and ')} ms`, () => {
      const { collect, clock } = timed({ now: 0 })
      let spent = 0
      for (let count = 0; count < 1000;) {
        clock.takes = durations[count % durations.length]
        const before = count
        count = collect()
        if (count > before) spent += clock.takes
        else clock.now += 0.01 // somebody always says that copies have arrived
      }
      assert.ok(spent / clock.now < 0.35, `${spent} of ${clock.now} ms`)
    })

  test('is not kept from collecting by one that took long', () => {
    const { collect, clock } = timed({ now: 0, takes: 0.3 })
    for (let i = 0; i < 50; i++) {
      collect()
      clock.now += 5
    }
    clock.takes = 8
    const before = collect()
    clock.now += 5
    assert.equal(collect(), before + 1)
  })

  test('asks V8 three times for its function, and then never again', () => {
    let asked = 0
    const collect = createCopyCollector(
      () => performance.now(),
      () => void asked++,
    )
    for (let i = 0; i < 10; i++) collect()
    assert.equal(asked, 3)
  })
})
