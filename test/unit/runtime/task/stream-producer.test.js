// The producing side of a stream, on iterators written by hand and a clock that the test moves.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { ALONE, StreamProducer } from '../../../../build/runtime/task/stream-producer.js'
import { nextTurn } from '../../../helpers/waiting.js'

let now = 0
mock.method(performance, 'now', () => now)

/** Draws from what `call` gives. `log` are the messages: lists of items, 'runs', and 'pauses'. */
function draw(call, { credit = 3, refuse } = {}) {
  const log = []
  const deferred = []
  const sink = {
    runs: () => log.push('runs'),
    keep: (value) => (typeof value === 'object' ? ALONE : value),
    defer: (callback) => deferred.push(callback),
    send(items, isPausing) {
      for (const item of items) if (item === refuse) throw new Error('refused')
      if (items.length > 0) log.push(items)
      if (isPausing) log.push('pauses')
    },
  }
  const drawer = new StreamProducer({ task: 'task', credit, sink, enter: (code) => code() })
  const outcome = { state: 'open' }
  const ended = drawer.run(call)
  ended.then(
    () => (outcome.state = 'ended'),
    (error) => Object.assign(outcome, { state: 'failed', error }),
  )
  /** Lets the event loop turn: microtasks, then what was deferred. */
  async function runDeferred() {
    await nextTurn()
    for (const callback of deferred.splice(0)) callback()
    await nextTurn()
  }
  return { drawer, log, outcome, runDeferred }
}

/** An iterator that counts, and logs what is called. */
function counter({ ms = 0, calls = [], ...more } = {}) {
  let n = 0
  return {
    calls,
    [Symbol.iterator]() {
      return this
    },
    next() {
      now += ms
      return { done: false, value: ++n }
    },
    return() {
      calls.push('return')
      return { done: true }
    },
    ...more,
  }
}

test('quick items travel together, after the first one, which shows how quick they are', () => {
  const { log, drawer } = draw(() => counter(), { credit: 10 })
  assert.deepEqual(log, [[1], [2, 3, 4, 5, 6, 7, 8, 9, 10], 'pauses'])
  drawer.grant(4)
  assert.deepEqual(log.slice(3), ['runs', [11, 12, 13, 14], 'pauses'])
})

test('slow items travel alone, and the event loop has its turn between them', async () => {
  const { log, drawer, runDeferred } = draw(() => counter({ ms: 1 }), { credit: 5 })
  assert.deepEqual(log, [[1], [2], [3], 'pauses'])
  await runDeferred()
  assert.deepEqual(log.slice(4), ['runs', [4], [5], 'pauses'])
  drawer.stop()
})

test('after a slow item quick ones leave at once, for a while', () => {
  let ms = 0.19
  const source = counter({ calls: [] })
  const { next } = source
  source.next = () => {
    now += ms
    ms = 0
    return next.call(source)
  }
  const { log } = draw(() => source, { credit: 8 })
  assert.deepEqual(log, [[1], [2], [3, 4, 5, 6, 7, 8], 'pauses'])
})

test('what may change is sent before the iterator goes on', () => {
  const row = { i: 0 }
  const seen = []
  function* rows() {
    for (; row.i < 5; row.i++) yield row
  }
  const sink = {
    runs() {},
    keep: () => ALONE,
    defer() {},
    send: (items) => seen.push(items.map(({ i }) => i)),
  }
  void new StreamProducer({ task: 't', credit: 5, sink, enter: (code) => code() }).run(rows)
  assert.deepEqual(seen, [[0], [1], [2], [3], [4]])
})

test('stop() inside of next() ends the iterator after that', async () => {
  const source = counter()
  const { next } = source
  const drawn = { drawer: undefined }
  source.next = () => {
    drawn.drawer?.stop()
    assert.deepEqual(source.calls, [])
    return next.call(source)
  }
  const { drawer, outcome } = draw(() => source, { credit: 1 })
  drawn.drawer = drawer
  drawer.grant(5)
  await nextTurn()
  assert.deepEqual(source.calls, ['return'])
  assert.equal(outcome.state, 'ended')
})

test('stop() before the task has given its iterator ends that when it comes, and hides its failure', async () => {
  for (const fails of [false, true]) {
    const source = counter()
    let settle
    const { drawer, outcome, log } = draw(
      () =>
        new Promise(
          (resolve, reject) => (settle = () => (fails ? reject(new Error('late')) : resolve(source))),
        ),
    )
    drawer.stop()
    settle()
    await nextTurn()
    assert.deepEqual(source.calls, fails ? [] : ['return'])
    assert.equal(outcome.state, 'ended')
    assert.deepEqual(log.flat().filter(Number.isInteger), [])
  }
})

test('an iterator without return(), or with results that are none', async () => {
  const endless = draw(() => counter({ return: undefined }))
  endless.drawer.stop()
  await nextTurn()
  assert.equal(endless.outcome.state, 'ended')
  const wrong = draw(() => counter({ next: () => 5 }))
  await nextTurn()
  assert.match(wrong.outcome.error.message, /Iterator result 5 is not an object/)
  const wrongLater = draw(() => ({ [Symbol.asyncIterator]: () => ({ next: async () => null }) }))
  await nextTurn()
  assert.match(wrongLater.outcome.error.message, /Iterator result null/)
})

test('an item that cannot be sent ends the iterator, and is the error', async () => {
  const source = counter()
  const { outcome } = draw(() => source, { credit: 9, refuse: 5 })
  await nextTurn()
  assert.deepEqual(source.calls, ['return'])
  assert.equal(outcome.error.message, 'refused')
})

test('asynchronous items that are ready together travel together, and none waits for the next one', async () => {
  let release
  async function* items() {
    for (let i = 0; i < 6; i++) yield i
    await new Promise((resolve) => (release = resolve))
    yield 'last'
  }
  const { log, runDeferred, outcome } = draw(items, { credit: 20 })
  await runDeferred()
  assert.deepEqual(log.flat(), [0, 1, 2, 3, 4, 5])
  assert.deepEqual(log, [[0], [1, 2, 3, 4, 5]])
  release()
  await runDeferred()
  assert.deepEqual(log.flat().at(-1), 'last')
  assert.equal(outcome.state, 'ended')
})

test('an asynchronous generator that never waits gives the event loop its turn', async () => {
  async function* items() {
    for (let i = 0; ; i++) {
      now += 0.5
      yield i
    }
  }
  const { log, runDeferred, drawer } = draw(items, { credit: 1000 })
  await nextTurn()
  const first = log.flat().length
  assert.ok(first < 10, `${first} items in one turn`)
  await runDeferred()
  assert.ok(log.flat().length > first)
  drawer.stop()
})
