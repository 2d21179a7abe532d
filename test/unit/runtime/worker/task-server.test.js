// The worker's side on a port that the test reads: which messages leave, when, and in which order.
import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { ANNOUNCE_START, ONE_ARGUMENT, WITH_CONTEXT } from '../../../../build/runtime/wire/messages.js'
import { BY_MESSAGE, carry, receive } from '../../../../build/runtime/wire/codec/packet.js'
import { carryThrown, receiveThrown } from '../../../../build/runtime/wire/thrown.js'
import { TaskServer } from '../../../../build/runtime/worker/task-server.js'
import { enterPlace } from '../../../../build/runtime/worker/worker-place.js'
import { registry } from '../../../../build/runtime/task/task-context.js'
import { task } from '../../../../dist/task.js'
import { isSmallInteger } from '../../../helpers/is-small-integer.js'
import { nanoseconds } from '../../../helpers/nanoseconds.js'
import { nextTurn } from '../../../helpers/waiting.js'

enterPlace({ name: 'test', id: 7 }, undefined)

/** The clock, in ms: a task that takes time moves it on. */
let now = 0
mock.method(process.hrtime, 'bigint', () => nanoseconds(now))

const kinds = ['result', 'error', 'waiting', 'started', 'unsendable']

const carried = (value) => structuredClone(carry(value, { carrier: BY_MESSAGE }).carried)

/** A server over plain functions. `sent` are the messages that left, as lists of "kind id" and values. */
function serve(tasks, port = {}) {
  const sent = []
  const deferred = []
  let starts = 0
  const findTask = (name) => {
    if (tasks[name]) return tasks[name]
    throw new Error(`no task ${name}`)
  }
  const server = new TaskServer(findTask, {
    carrier: BY_MESSAGE,
    callStarts: () => starts++,
    defer: (callback) => deferred.push(callback),
    post(replies) {
      const message = structuredClone(replies)
      const entries = []
      for (let i = 0; i < message.length; i += 4) {
        const [kind, id, value, us] = message.slice(i, i + 4)
        entries.push({
          kind: kinds[kind],
          id,
          value: kind === 1 ? receiveThrown(value) : kind === 0 || kind === 4 ? receive(value) : value,
          us,
        })
      }
      sent.push(entries)
    },
    ...port,
  })
  return {
    server,
    sent,
    get starts() {
      return starts
    },
    /** Calls as [name, args, flags], with the ids 1, 2, 3 ... */
    run: (...calls) =>
      server.runBatch(
        calls.flatMap(([name, args = [], flags = 0], i) => [i + 1, name, carried(args), flags]),
      ),
    /** The microtasks, then what was planned for the next turn of the event loop. */
    async nextTurn() {
      await nextTurn()
      for (const callback of deferred.splice(0)) callback()
    },
    short: () => sent.map((entries) => entries.map(({ kind, id }) => `${kind} ${id}`)),
  }
}

describe('arguments', () => {
  const seen = []
  const note = (...args) => void seen.push(args.map(isSmallInteger))

  /** V8 takes its time to learn that a list is one of doubles. */
  const manyDoubles = (args) => Array.from({ length: 100 }, () => ['note', ...args])

  test('integers are small ones, also after doubles came in their place', () => {
    const { run } = serve({ note })
    run(...manyDoubles([0.5, ONE_ARGUMENT]), ['note', 200_000, ONE_ARGUMENT])
    assert.deepEqual(seen.splice(0).slice(-2), [[false], [true]])
  })

  test('also behind the contexts of a caller', () => {
    const { run } = serve({ note })
    run(...manyDoubles([[[], 0.5, 1.5], WITH_CONTEXT]), ['note', [[], 0.5, 200_000], WITH_CONTEXT])
    assert.deepEqual(seen.splice(0).slice(-2), [[false, false], [false, true]]) // prettier-ignore
  })
})

describe('a batch', () => {
  test('of short calls is answered with one message, in order', () => {
    const { run, sent } = serve({ add: (a, b) => a + b })
    run(['add', [1, 2]], ['add', [3, 4]])
    assert.equal(sent.length, 1)
    assert.deepEqual(
      sent[0].map(({ kind, id, value }) => [kind, id, value]),
      [
        ['result', 1, 3],
        ['result', 2, 7],
      ],
    )
  })

  test('whose first call is announced says so at once, and answers with one message where calls are not counted', () => {
    const { run, short } = serve({ add: (a, b) => a + b }, { callStarts: undefined })
    run(['add', [1, 2], ANNOUNCE_START], ['add', [3, 4]], ['add', [5, 6]])
    assert.deepEqual(short(), [['started 1'], ['result 1', 'result 2', 'result 3']])
  })

  test('tells that its replies come before they leave', () => {
    const messages = []
    const { run, sent } = serve({ add: (a, b) => a + b }, { beforeReplies: () => messages.push(sent.length) })
    run(['add', [1, 2]], ['add', [3, 4]])
    assert.deepEqual([messages, sent.length], [[0], 1])
  })

  test('tells so of a long call too, whose reply must not leave earlier', () => {
    const messages = []
    const long = () => void (now += 1)
    const { run, sent } = serve({ long }, { beforeReplies: () => messages.push(sent.length) })
    run(['long', []])
    run(['long', []], ['long', []])
    assert.equal(sent.length, 3)
    for (const before of [0, 2]) assert.ok(messages.includes(before), `told when ${before} had left`)
  })

  test('answers with what is done while long calls go on, before the next one starts', () => {
    const served = serve({
      quick: () => (now += 0.1),
      long() {
        now += 1
        return served.short().flat()
      },
    })
    served.run(['quick'], ['quick'], ['long'], ['quick'], ['long'])
    assert.deepEqual(served.short(), [
      ['result 1', 'result 2', 'result 3'],
      ['result 4', 'result 5'],
    ])
    assert.deepEqual(served.sent[1][1].value, ['result 1', 'result 2', 'result 3'])
  })

  test('says of each call for how many microseconds it kept the thread busy', async () => {
    const takes = (ms) => () => void (now += ms)
    const { run, sent, nextTurn } = serve({
      a: takes(0.125),
      b: takes(0),
      async waits() {
        now += 0.0625
      },
      fails() {
        now += 0.25
        throw new Error('x')
      },
    })
    now = 0
    run(['a'], ['b'], ['waits'], ['fails', [], ANNOUNCE_START])
    await nextTurn()
    const times = sent.flat().map(({ kind, id, us }) => `${kind} ${id}: ${us}`)
    assert.deepEqual(times, [
      'result 1: 125',
      'result 2: 0',
      'waiting 3: 62.5',
      'started 4: 0',
      'error 4: 250',
      'result 3: 0',
    ])
  })

  test('says that too of a result with a part that only a message can carry, which leaves with no other call', () => {
    const shared = () => ((now += 0.5), new SharedArrayBuffer(8))
    const { run, sent } = serve({ shared, quick: () => {} })
    run(['quick'], ['quick'], ['shared'], ['shared'], ['quick'])
    assert.deepEqual(
      sent.map((entries) => entries.map(({ id, us }) => [id, us])),
      [[[1, 0], [2, 0]], [[3, 500]], [[4, 500]], [[5, 0]]], // prettier-ignore
    )
  })

  test('goes on after a call that throws, and after a task that does not exist', () => {
    const { run, sent } = serve({
      fail() {
        throw new RangeError('bad')
      },
      fine: () => 'fine',
    })
    run(['fail'], ['missing'], ['fine'])
    const [fail, missing, fine] = sent[0]
    assert.ok(fail.value instanceof RangeError)
    assert.deepEqual([fail.kind, missing.kind, fine.value], ['error', 'error', 'fine'])
    assert.equal(missing.value.message, 'no task missing')
  })

  test('tells before each call that it starts', () => {
    const seen = []
    const served = serve({ look: () => seen.push(served.starts) })
    served.run(['look'], ['look'], ['missing'], ['look'])
    assert.deepEqual(seen, [1, 2, 4])
  })

  test('without calls sends nothing', () => {
    const { run, sent } = serve({})
    run()
    assert.deepEqual(sent, [])
  })
})

describe('a promise', () => {
  test('that is settled already is answered in one message with the rest of the batch', async () => {
    const { run, short, nextTurn } = serve({ later: async (x) => x, now: (x) => x })
    run(['later', [1]], ['now', [2]])
    assert.deepEqual(short(), [])
    await nextTurn()
    assert.deepEqual(short(), [['waiting 1', 'result 2', 'result 1']])
  })

  test('that stays open is announced, and answered when it settles', async () => {
    let settle
    const { run, sent, short, nextTurn } = serve({ wait: () => new Promise((resolve) => (settle = resolve)) })
    run(['wait'])
    await nextTurn()
    assert.deepEqual(short(), [['waiting 1']])
    settle('done')
    await nextTurn()
    assert.deepEqual(short(), [['waiting 1'], ['result 1']])
    assert.equal(sent[1][0].value, 'done')
  })

  test('counts as waiting until it settles, or is abandoned', async () => {
    const settle = []
    const { server, run, nextTurn } = serve({ wait: () => new Promise((resolve) => settle.push(resolve)) })
    run(['wait'], ['wait'])
    assert.equal(server.waiting, 2)
    for (const id of [1, 1, 9]) server.control({ type: 'abandon', id }) // twice, and one that is not open
    assert.equal(server.waiting, 1)
    settle[0]()
    await nextTurn()
    assert.equal(server.waiting, 1)
    settle[1]()
    await nextTurn()
    assert.equal(server.waiting, 0)
  })

  test('that rejects is answered like a throw', async () => {
    const { run, sent, nextTurn } = serve({
      async fail() {
        throw new TypeError('later')
      },
    })
    run(['fail'])
    await nextTurn()
    const error = sent.flat().find(({ kind }) => kind === 'error')
    assert.ok(error.value instanceof TypeError)
  })

  test('of another library counts, as with await', async () => {
    const { run, sent, nextTurn } = serve({
      thenable: () => ({ then: (resolve) => void setImmediate(resolve, 5) }),
    })
    run(['thenable'])
    await nextTurn()
    await nextTurn()
    assert.equal(sent.flat().find(({ kind }) => kind === 'result').value, 5)
  })

  test('whose then throws is an error of its call', async () => {
    const { run, short, nextTurn } = serve({
      broken: () => ({
        get then() {
          throw new Error('no then')
        },
      }),
      fine: () => 1,
    })
    run(['broken'], ['fine'])
    await nextTurn()
    assert.deepEqual(short(), [['error 1', 'result 2']])
  })

  test('and its answers keep the order in which they settle', async () => {
    const settle = []
    const { run, short, nextTurn } = serve({ wait: () => new Promise((resolve) => settle.push(resolve)) })
    run(['wait'], ['wait'], ['wait'])
    await nextTurn()
    for (const i of [2, 0, 1]) settle[i]()
    await nextTurn()
    assert.deepEqual(short()[1], ['result 3', 'result 1', 'result 2'])
  })
})

describe('a value that cannot be sent', () => {
  test('fails its own call only, with the reason', () => {
    const bad = () => {
      now += 0.5
      return () => {}
    }
    const { run, sent } = serve({ bad, fine: (x) => x })
    run(['fine', [1]], ['bad'], ['fine', [3]])
    const entries = sent.flat()
    assert.deepEqual(
      entries.map(({ kind, id }) => `${kind} ${id}`),
      ['result 1', 'unsendable 2', 'result 3'],
    )
    assert.deepEqual(entries[1].value, { reason: 'result is a function', sendable: 0 })
    assert.equal(entries[1].us, 500)
  })

  test('fails its call when it comes from a promise too', async () => {
    const { run, sent, nextTurn } = serve({ bad: async () => Symbol('no') })
    run(['bad'])
    await nextTurn()
    assert.deepEqual(
      sent.flat().map(({ kind }) => kind),
      ['waiting', 'unsendable'],
    )
  })
})

describe('a call that may be cancelled', () => {
  test('is announced, with all earlier answers, just before it runs', () => {
    const served = serve({ first: () => 1, look: () => served.short().flat() })
    served.run(['first'], ['look', [], ANNOUNCE_START], ['first'])
    assert.deepEqual(
      served.sent[0].map(({ kind, id }) => `${kind} ${id}`),
      ['result 1', 'started 2'],
    )
    assert.deepEqual(served.sent[1][0].value, ['result 1', 'started 2'])
    assert.deepEqual(served.short().flat(), ['result 1', 'started 2', 'result 2', 'result 3'])
  })

  test('sees the reason in task.signal, and the worker in task.worker', async () => {
    assert.ok(registry.storage, 'importing threadwise/task switches the context on')
    let worker
    const { run, server, sent, nextTurn } = serve({
      async wait() {
        worker = task.worker
        await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
        throw task.signal.reason
      },
      other: async () => task.signal.aborted,
    })
    run(['wait'], ['other'])
    server.control({ type: 'cancel', id: 1, reason: carryThrown(new Error('stop'), BY_MESSAGE).carried })
    await nextTurn()
    assert.deepEqual(worker, { name: 'test', id: 7 })
    const byId = new Map(sent.flat().map((entry) => [entry.id, entry]))
    assert.equal(byId.get(1).value.message, 'stop')
    assert.equal(byId.get(2).value, false)
  })

  test('may be unknown or done already when it is cancelled', async () => {
    let signal
    const done = async () => void (signal = task.signal)
    const { run, server, short, nextTurn } = serve({ done })
    run(['done'])
    await nextTurn()
    for (const id of [1, 99])
      server.control({ type: 'cancel', id, reason: carryThrown('x', BY_MESSAGE).carried })
    assert.deepEqual(short(), [['waiting 1', 'result 1']])
    assert.equal(signal.aborted, false)
  })
})
