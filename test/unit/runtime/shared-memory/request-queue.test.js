// Both ends of the request queue in one thread, so that the test decides who moves when.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRandom } from '../../../../build/measure/stats/random.js'
import { QueueConsumer } from '../../../../build/runtime/shared-memory/worker/queue-consumer.js'
import * as layout from '../../../../build/runtime/shared-memory/layout/queue-layout.js'
import { createQueueMemory, queueViews } from '../../../../build/runtime/shared-memory/layout/queue-memory.js'
import {
  FULL,
  LARGE,
  QueueProducer,
  UNFIT,
} from '../../../../build/runtime/shared-memory/main/queue-producer.js'
import { isSmallInteger } from '../../../helpers/is-small-integer.js'

const CALL = 3 << layout.FUNCTION_SHIFT

function queue({ workers = 2 } = {}) {
  const memory = createQueueMemory()
  const views = queueViews(memory)
  const producer = new QueueProducer(views, { numberOf: () => 7 })
  const current = Array.from({ length: workers }, () => -1)
  const consumers = current.map(
    (_, i) =>
      new QueueConsumer(queueViews(memory), i, {
        setCurrent: (id) => (current[i] = id),
        bufferOf: (number) => number,
      }),
  )
  const put = (id, ...args) => {
    const form = producer.write(args, false)
    return form < 0 ? form : producer.put(id, CALL | form)
  }
  const take = (worker = 0) => (consumers[worker].take() ? { ...consumers[worker].call } : undefined)
  return { views, producer, consumers, current, put, take }
}

/** Moves HEAD there. Where TAIL is: there is none. */
function firstFull({ control, slots }) {
  let head = Atomics.load(control, layout.HEAD)
  const tail = Atomics.load(control, layout.TAIL)
  while (head !== tail && Atomics.load(slots, layout.slotWord(head)) !== layout.fullAt(head))
    Atomics.store(control, layout.HEAD, ++head)
  return head
}

/** A worker that dies right after its claim, before it has read anything or moved HEAD. */
function claimAndDie({ views }, worker) {
  const head = firstFull(views)
  const word = layout.slotWord(head)
  assert.equal(
    Atomics.compareExchange(views.slots, word, layout.fullAt(head), layout.claimedAt(head, worker)),
    layout.fullAt(head),
  )
}

describe('the request queue', () => {
  test('gives calls in their order, each to one worker', () => {
    const { producer, put, take } = queue()
    for (let i = 0; i < 6; i++) assert.ok(put(i, { number: i }) >= 0)
    producer.publish()
    const taken = [take(0), take(1), take(1), take(0), take(0), take(1)]
    assert.deepEqual(taken.map(({ id }) => id), [0, 1, 2, 3, 4, 5]) // prettier-ignore
    assert.deepEqual(taken.map(({ args }) => args[0].number), [0, 1, 2, 3, 4, 5]) // prettier-ignore
    assert.equal(taken[0].functionIndex, 3)
    assert.equal(take(0), undefined)
  })

  test('gives integers as V8 keeps small ones, also beside and after other numbers', () => {
    const { producer, put, take } = queue()
    const lists = [[0.5], [-0], [200_000], [7, 0.5, 200_000, -0], [1, 'text', 2.5], [3, 4]]
    for (const list of lists) put(1, ...list)
    producer.publish()
    for (const list of lists) {
      const { args } = take()
      assert.deepEqual(args, list) // tells -0 from 0
      for (const item of args)
        assert.equal(isSmallInteger(item), Number.isInteger(item) && !Object.is(item, -0))
    }
  })

  test('gives integers in arrays of several kinds as V8 keeps small ones', () => {
    const { producer, put, take } = queue()
    put(1, { list: [0.5, 200_000, 'text'], none: [] })
    producer.publish()
    const [{ list, none }] = take().args
    assert.deepEqual([list, none], [[0.5, 200_000, 'text'], []])
    assert.equal(isSmallInteger(list[1]), true)
  })

  test('keeps argument lists of every length apart', () => {
    const { producer, put, take } = queue()
    for (const args of [[], [undefined], [5], [-0], ['a'], [null], [[]], [1, 2], [[1], { b: 2 }, 'c']]) {
      put(1, ...args)
      producer.publish()
      assert.deepEqual(take().args, args)
    }
  })

  test('shows nothing before it is published', () => {
    const { producer, put, take, consumers } = queue()
    put(1, 1)
    assert.equal(take(), undefined)
    assert.equal(consumers[0].hasCalls, false)
    producer.publish()
    assert.equal(consumers[0].hasCalls, true)
    assert.equal(take().id, 1)
  })

  test('says whether a call asks to be announced', () => {
    const { producer, take } = queue()
    producer.put(1, CALL | layout.ANNOUNCE | producer.write([]))
    producer.put(2, CALL | producer.write([]))
    producer.publish()
    assert.deepEqual([take().isAnnounced, take().isAnnounced], [true, false])
  })

  test('is full after its slots, and has room for each call that is taken', () => {
    const { producer, put, take } = queue()
    for (let i = 0; i < layout.SLOTS; i++) assert.ok(put(i, i) >= 0)
    assert.equal(put(9999, 1), FULL)
    producer.publish()
    assert.equal(take().id, 0)
    assert.ok(put(5000, 1) >= 0)
    assert.equal(put(5001, 1), FULL)
  })

  test('a slot that a worker still holds is not overwritten, and hides nothing behind it', () => {
    const q = queue()
    for (let i = 0; i < layout.SLOTS; i++) q.put(i, i)
    q.producer.publish()
    claimAndDie(q, 1)
    for (let i = 1; i < layout.SLOTS; i++) assert.equal(q.take(0).id, i)
    assert.equal(q.put(7000, 1), FULL, 'the slot of the first call is still claimed')
    assert.deepEqual(q.producer.release(1).map(({ id }) => id), [0]) // prettier-ignore
    assert.ok(q.put(7000, 1) >= 0)
    q.producer.publish()
    assert.equal(q.take(0).id, 7000)
  })

  test('refuses what only a message can carry, and goes on', () => {
    const { producer, put, take } = queue()
    assert.equal(put(1, new Blob(['x'])), UNFIT)
    assert.throws(() => put(1, () => {}))
    assert.equal(put(1, 'x'.repeat(layout.MAX_VALUE_BYTES + 1)), LARGE)
    put(2, 'fits')
    producer.publish()
    assert.deepEqual(take().args, ['fits'])
  })

  test('is full, not unfit, while the bytes of its arguments are waiting to be read', () => {
    const { producer, put, take } = queue()
    const text = 'x'.repeat(60_000)
    let written = 0
    while (put(written, text) >= 0) written++
    assert.equal(written, Math.floor(layout.PAYLOAD_BYTES / 60_024)) // whole words
    assert.equal(put(0, text), FULL)
    producer.publish()
    assert.equal(take().args[0], text)
    assert.ok(put(written, text) >= 0)
  })

  for (const back of [8, 16, 64, layout.MAX_VALUE_BYTES]) {
    test(`the largest value fits ${back} bytes before the end of the payload, and keeps what follows out`, () => {
      const { producer, put, take } = queue()
      const textOf = (bytes) => 'x'.repeat(bytes - 17) // header, tag and length stand before it
      for (let left = layout.PAYLOAD_BYTES - back; left > 0;) {
        const bytes = Math.min(left, layout.MAX_VALUE_BYTES / 2)
        assert.ok(put(0, textOf(bytes)) >= 0)
        producer.publish()
        take()
        left -= bytes
      }
      assert.ok(put(1, textOf(layout.MAX_VALUE_BYTES)) >= 0)
      let written = 1
      while (put(written + 1, String(written + 1).repeat(1000)) >= 0) written++
      producer.publish()
      assert.equal(take().args[0], textOf(layout.MAX_VALUE_BYTES))
      for (let id = 2; id <= written; id++) assert.equal(take().args[0], String(id).repeat(1000))
      assert.equal(put(1, textOf(layout.MAX_VALUE_BYTES + 1)), LARGE)
    })
  }
})

describe('taking a call back', () => {
  test('works until a worker has it', () => {
    const { producer, put, take } = queue()
    const [first, second, third] = [put(1, 1), put(2, 2), put(3, 3)]
    producer.publish()
    assert.equal(take().id, 1)
    assert.deepEqual([producer.withdraw(first), producer.withdraw(second), producer.withdraw(second)], [false, true, false]) // prettier-ignore
    assert.equal(producer.unclaimed, 1)
    assert.equal(take().id, 3)
    assert.equal(producer.withdraw(third), false)
    assert.equal(take(), undefined)
  })

  test('of a whole queue leaves room for another', () => {
    const { producer, put, take } = queue()
    for (let lap = 0; lap < 3; lap++) {
      const positions = Array.from({ length: layout.SLOTS }, (_, i) => put(i, 'text'))
      assert.ok(positions.every((position) => position >= 0 && producer.withdraw(position)))
      producer.publish()
      assert.equal(take(), undefined)
    }
  })
})

describe('a worker that dies', () => {
  test('between its claim and its step of HEAD stops nobody', () => {
    const q = queue()
    for (const id of [1, 2, 3]) q.put(id, id)
    q.producer.publish()
    claimAndDie(q, 0)
    assert.equal(q.take(1).id, 2)
    assert.deepEqual(q.producer.release(0).map(({ id }) => id), [1]) // prettier-ignore
    assert.deepEqual(q.producer.release(0), [])
    assert.equal(q.take(1).id, 3)
  })

  test('holds the call that it runs by its name only: its slot is free', () => {
    const q = queue()
    q.put(1, 1)
    q.producer.publish()
    q.take(0)
    assert.equal(q.current[0], 1)
    assert.deepEqual(q.producer.release(0), [])
  })

  test('gives up the role of the spinner', () => {
    const { views, producer } = queue()
    for (const [spinner, dead, left] of [
      [2, 1, 0],
      [1, 1, 1],
    ]) {
      Atomics.store(views.control, layout.SPINNER, spinner)
      producer.release(dead)
      assert.equal(Atomics.load(views.control, layout.SPINNER), left)
    }
  })
})

for (let seed = 1; seed <= 5; seed++) {
  test(`over many laps each call comes out once, in order, or was withdrawn or released (seed ${seed})`, () => {
    const random = createRandom(seed)
    const q = queue({ workers: 3 })
    const open = new Map()
    let next = 1
    let taken = 0
    let lastTaken = 0
    for (let step = 0; step < 60_000; step++) {
      const roll = random()
      if (roll < 0.5) {
        const value = random() < 0.3 ? 'text '.repeat(Math.floor(random() * 400)) : { n: next }
        const position = q.put(next, value)
        if (position >= 0) open.set(next++, { value, position })
      } else if (roll < 0.6) {
        q.producer.publish()
      } else if (roll < 0.96) {
        const call = q.take(Math.floor(random() * 3))
        if (!call) continue
        assert.ok(call.id > lastTaken, `${call.id} after ${lastTaken}`)
        lastTaken = call.id
        assert.deepEqual(call.args, [open.get(call.id).value])
        open.delete(call.id)
        taken++
      } else if (roll < 0.98 && open.size > 0) {
        const ids = [...open.keys()]
        const id = ids[Math.floor(random() * ids.length)]
        assert.equal(q.producer.withdraw(open.get(id).position), true)
        open.delete(id)
      } else if (firstFull(q.views) !== Atomics.load(q.views.control, layout.TAIL)) {
        claimAndDie(q, 2)
        const [{ id }] = q.producer.release(2)
        assert.ok(open.delete(id))
      }
    }
    q.producer.publish()
    while (q.take(0)) taken++
    assert.equal(q.producer.unclaimed, 0)
    assert.ok(next > 4 * layout.SLOTS && taken > 2 * layout.SLOTS, `${next} put, ${taken} taken`)
  })
}
