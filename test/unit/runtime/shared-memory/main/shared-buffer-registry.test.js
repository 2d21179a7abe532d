// Buffers that calls name by number: from when on, who is told, and when they are forgotten.
import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { BufferTable } from '../../../../../build/runtime/shared-memory/worker/buffer-table.js'
import {
  createQueueMemory,
  queueViews,
} from '../../../../../build/runtime/shared-memory/layout/queue-memory.js'
import { QueueProducer, UNFIT } from '../../../../../build/runtime/shared-memory/main/queue-producer.js'
import { QueueConsumer } from '../../../../../build/runtime/shared-memory/worker/queue-consumer.js'
import { SharedBufferRegistry } from '../../../../../build/runtime/shared-memory/main/shared-buffer-registry.js'
import { UPDATES } from '../../../../../build/runtime/shared-memory/layout/worker-layout.js'
import { nanoseconds } from '../../../../helpers/nanoseconds.js'
import { assertSameClone } from '../../../../helpers/same-clone.js'
import { waitUntil } from '../../../../helpers/waiting.js'
import { fakeTimers } from '../../../../helpers/fake-timers.js'

/** Both sides, with what the one has told the other. */
function createSides() {
  const readers = { isListening: true, told: [] }
  const words = new Int32Array(16)
  const table = new BufferTable([], words)
  const known = new SharedBufferRegistry({
    canBeNotified: () => readers.isListening,
    notify(update) {
      readers.told.push(`${update.type} ${update.number}`)
      assert.equal(table.note(update), true)
    },
  })
  const queue = createQueueMemory()
  const producer = new QueueProducer(queueViews(queue), known)
  const host = { setCurrent() {}, bufferOf: (number) => table.get(number) }
  const consumer = new QueueConsumer(queueViews(queue), 0, host)
  /** Whether the arguments fit into the queue. */
  const write = (...args) => (form = producer.write(args, false)) >= 0
  let form = 0
  /** What the worker reads of the arguments that were written last. */
  const read = () => {
    producer.put(1, form)
    producer.publish()
    consumer.take()
    if (consumer.call.problem) throw consumer.call.problem.error
    return consumer.call.args[0]
  }
  /** A call with these arguments: true if the queue has it. */
  const offer = (task, ...buffers) => {
    known.begin()
    const isTaken = write(buffers) && known.accept(task)
    if (isTaken) known.commit(task)
    return isTaken
  }
  const settle = (task) => {
    task.isSettled = true
    known.release(task)
  }
  return { ...{ readers, told: readers.told, words, table, known, write, read, producer, offer, settle }, newTask: () => ({ isSettled: false, written: undefined }) } // prettier-ignore
}

const newBuffer = () => new SharedArrayBuffer(8)

/** Returns what lets milliseconds pass. */
function fakeTime(t) {
  fakeTimers({ mock })
  t.after(() => mock.timers.reset())
  let now = 1000
  t.mock.method(process.hrtime, 'bigint', () => nanoseconds(now))
  return (ms = 101) => {
    for (; ms > 0; ms--) {
      now++
      mock.timers.tick(1)
    }
  }
}

/** Two calls at a time, and then none. Returns which of them the queue had. */
function round({ offer, settle, newTask }, ...buffers) {
  const tasks = [newTask(), newTask()]
  const taken = tasks.map((task) => offer(task, ...buffers))
  tasks.forEach(settle)
  return taken
}

describe('a buffer becomes known', () => {
  test('with the second call while the first one is open, as long as calls in the table name it and for a while', (t) => {
    const passTime = fakeTime(t)
    const { offer, settle, newTask, told, table, known } = createSides()
    const buffer = newBuffer()
    const [first, second, third] = [newTask(), newTask(), newTask()]
    assert.equal(offer(first, buffer), false)
    assert.equal(offer(second, buffer), true)
    assert.equal(offer(third, buffer), true)
    assert.equal(table.get(1), buffer)
    assert.deepEqual(known.all, [{ number: 1, buffer }])
    settle(second)
    passTime()
    assert.deepEqual(told, ['buffer 1'])
    settle(third)
    assert.deepEqual(told, ['buffer 1'])
    passTime()
    assert.deepEqual(told, ['buffer 1', 'forget-buffer 1'])
    assert.deepEqual([table.get(1), known.all], [undefined, []])
  })

  test('not with calls that follow each other, up to the sixteenth; then it stays for a while', (t) => {
    const passTime = fakeTime(t)
    const { offer, settle, newTask, told, known } = createSides()
    const buffer = newBuffer()
    const taken = Array.from({ length: 20 }, () => {
      const task = newTask()
      const isTaken = offer(task, buffer)
      settle(task)
      return isTaken
    })
    assert.equal(taken.indexOf(true), 15)
    assert.deepEqual(taken.slice(15), [true, true, true, true, true])
    assert.deepEqual(told, ['buffer 1'])
    passTime()
    assert.deepEqual(told, ['buffer 1', 'forget-buffer 1'])
    assert.deepEqual(known.all, [])
  })

  test('not by one call that is offered again and again', () => {
    const { offer, newTask, told } = createSides()
    const [buffer, task] = [newBuffer(), newTask()]
    for (let i = 0; i < 50; i++) assert.equal(offer(task, buffer), false)
    assert.deepEqual(told, [])
  })

  test('by a call that is offered again, if it was meant to', () => {
    const { readers, offer, newTask } = createSides()
    const [buffer, first, second] = [newBuffer(), newTask(), newTask()]
    offer(first, buffer)
    readers.isListening = false
    for (let i = 0; i < 3; i++) assert.equal(offer(second, buffer), false)
    readers.isListening = true
    assert.equal(offer(second, buffer), true)
  })

  test('not while a worker could not be told; calls with known ones go on', () => {
    const { readers, offer, newTask, told } = createSides()
    const [known, other] = [newBuffer(), newBuffer()]
    for (let i = 0; i < 2; i++) offer(newTask(), known)
    readers.isListening = false
    for (let i = 0; i < 20; i++) assert.equal(offer(newTask(), other), false)
    assert.equal(offer(newTask(), known), true)
    assert.equal(offer(newTask(), known, other), false)
    assert.deepEqual(told, ['buffer 1'])
  })

  test('together with the others of its call', () => {
    const { offer, newTask, told } = createSides()
    const buffers = [newBuffer(), newBuffer(), newBuffer()]
    assert.equal(offer(newTask(), ...buffers), false)
    assert.equal(offer(newTask(), ...buffers, ...buffers.map((buffer) => new Uint8Array(buffer))), true)
    assert.deepEqual(told, ['buffer 1', 'buffer 2', 'buffer 3'])
  })

  test('not by a call that cannot be in the queue anyway', () => {
    const { known, producer, told } = createSides()
    const buffer = newBuffer()
    for (let i = 0; i < 20; i++) {
      known.begin()
      assert.equal(producer.write([[buffer, new Blob([])]], false), UNFIT)
    }
    assert.deepEqual(told, [])
  })
})

test('few stay that no call names: the oldest goes, and makes no place for one that came with few calls', () => {
  const sides = createSides()
  const { offer, settle, newTask, told } = sides
  const forgotten = () => told.filter((text) => text.startsWith('forget'))
  for (let i = 0; i < 10; i++) {
    const buffer = newBuffer()
    const tasks = Array.from({ length: 17 }, newTask)
    for (const task of tasks) offer(task, buffer)
    for (const task of tasks) settle(task)
  }
  assert.deepEqual(forgotten(), ['forget-buffer 1', 'forget-buffer 2'])
  for (let i = 0; i < 3; i++) round(sides, newBuffer())
  assert.deepEqual(forgotten().slice(2), ['forget-buffer 11'])
})

test('of those that came with few calls two rest, and are known in the next round', () => {
  const sides = createSides()
  const { told } = sides
  const [from, to, other] = [newBuffer(), newBuffer(), newBuffer()]
  assert.deepEqual(round(sides, from, to), [false, true])
  assert.deepEqual(round(sides, from, to), [true, true])
  assert.deepEqual(round(sides, from, to), [true, true])
  assert.deepEqual(told, ['buffer 1', 'buffer 2'])
  assert.deepEqual(round(sides, other), [false, true])
  assert.deepEqual(told.slice(2), ['buffer 3', 'forget-buffer 1'])
})

test('each rests for 100 ms, and as long as a call names it', (t) => {
  const passTime = fakeTime(t)
  const sides = createSides()
  const { offer, settle, newTask, told } = sides
  const [early, late] = [newBuffer(), newBuffer()]
  round(sides, early)
  passTime(60)
  round(sides, late)
  passTime(39)
  assert.deepEqual(told, ['buffer 1', 'buffer 2'])
  passTime(10)
  assert.deepEqual(told.slice(2), ['forget-buffer 1'])
  const task = newTask()
  assert.equal(offer(task, late), true)
  passTime(300)
  assert.deepEqual(told.slice(3), [])
  settle(task)
  passTime(99)
  assert.deepEqual(told.slice(3), [])
  passTime(10)
  assert.deepEqual(told.slice(3), ['forget-buffer 2'])
})

test(
  'a buffer is forgotten, too, if the timer that was set before never fires, since it was a fake one',
  { timeout: 10_000 },
  async (t) => {
    fakeTimers({ mock })
    const sides = createSides()
    round(sides, newBuffer())
    mock.timers.reset()
    for (const end = performance.now() + 101; performance.now() < end;);
    round(sides, newBuffer())
    const alive = setInterval(() => {}, 1000) // its timer does not keep the process alive
    t.after(() => clearInterval(alive))
    await waitUntil(() => sides.known.all.length === 0)
  },
)

test('one that came to rest later is forgotten later, though nobody calls any more', (t) => {
  const passTime = fakeTime(t)
  const sides = createSides()
  round(sides, newBuffer())
  passTime(60)
  round(sides, newBuffer())
  passTime(95)
  assert.deepEqual(sides.told.slice(2), ['forget-buffer 1'])
  passTime(10)
  assert.deepEqual(sides.told.slice(2), ['forget-buffer 1', 'forget-buffer 2'])
})

test('a call that changes its argument holds what it has named', (t) => {
  const passTime = fakeTime(t)
  const { known, write, read, newTask, table, settle } = createSides()
  const argument = { view: new Uint8Array(newBuffer()) }
  for (const task of [newTask(), newTask()]) {
    known.begin()
    assert.ok(write(argument))
    if (known.accept(task)) known.commit(task)
    argument.task = undefined
    argument.last = task
    delete argument.last
    if (known.all.length > 0) {
      argument.view = undefined
      assert.equal(read().view.buffer, table.get(1))
      settle(task)
    }
  }
  passTime()
  assert.equal(table.get(1), undefined)
})

test('a worker knows from its start what was known then, counts what it reads, and takes nothing else', () => {
  const words = new Int32Array(16)
  const [early, late] = [newBuffer(), newBuffer()]
  const table = new BufferTable([{ number: 3, buffer: early }], words)
  assert.equal(table.note({ type: 'buffer', number: 4, buffer: late }), true)
  assert.equal(table.note({ type: 'forget-buffer', number: 3 }), true)
  for (const message of [undefined, 0, [], { type: 'cancel', id: -1 }])
    assert.equal(table.note(message), false)
  assert.deepEqual([table.get(3), table.get(4), words[UPDATES]], [undefined, late, 2])
})

describe('values with a buffer that is known', () => {
  const { known, producer, write, read, told, offer, newTask } = createSides()
  const buffer = new SharedArrayBuffer(64)
  new Uint8Array(buffer).set([1, 2, 3, 4, 5, 6, 7, 8, 9])
  for (let i = 0; i < 2; i++) offer(newTask(), buffer)
  const travel = (value) => {
    known.begin()
    assert.ok(write(value))
    return read()
  }

  test('are the same as clones, and no copies', () => {
    const views = [
      ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
      ...[Float32Array, Float64Array, BigInt64Array, BigUint64Array],
    ].flatMap((type) => [new type(buffer), new type(buffer, 8, 2), new type(buffer, 64, 0)])
    for (const value of [buffer, ...views, { views, from: 1 }]) assertSameClone(travel(value), structuredClone(value)) // prettier-ignore
    const [a, b] = travel([new Uint8Array(buffer, 1, 4), new Int32Array(buffer)])
    assert.equal(a.buffer, b.buffer)
    a[0] = 99
    assert.equal(new Uint8Array(buffer)[1], 99)
    assert.deepEqual(told, ['buffer 1'])
  })

  test('a Buffer stays one, and a view that hides its length comes as what it is', () => {
    const copy = travel(Buffer.from(buffer, 2, 3))
    assert.ok(Buffer.isBuffer(copy))
    assert.deepEqual([copy.byteOffset, copy.length], [2, 3])
    const liar = Object.defineProperty(new Uint8Array(buffer, 0, 2), 'length', { value: 1000 })
    assert.equal(travel(liar).length, 2)
  })

  test('what can grow goes by message', () => {
    const growable = new SharedArrayBuffer(8, { maxByteLength: 16 })
    for (const value of [growable, new Uint8Array(growable)]) {
      known.begin()
      assert.equal(producer.write([value], false), UNFIT)
    }
  })
})
