// Tasks and callers that do what nobody should: each call settles, and no other call suffers.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { testFolder } from '../helpers/files.js'
import { all } from '../helpers/streams.js'
import { nextTurn } from '../helpers/waiting.js'

describeExecutors('what a task throws and returns', (make, { kind, isPool }) => {
  const executor = make('hostile.js')

  for (const name of ['throwWithoutText', 'throwProxy']) {
    test(`${name}: something that throws when it is looked at arrives as a rejection`, async () => {
      let thrown
      await executor.run(name).catch((reason) => (thrown = { reason }))
      assert.ok(thrown)
      if (isPool) assert.equal(thrown.reason instanceof Error, false) // not that of a lost worker
      assert.equal(await executor.tasks.add(1, 2), 3)
    })
  }

  for (const name of ['throwDeep', 'rejectDeep']) {
    test(`${name}: a chain of 20,000 causes does not end the worker`, async () => {
      const error = await rejection(executor.run(name))
      assert.equal(error.message, 'outer')
      assert.equal(error.cause.cause.message, 'outer')
    })
  }

  test('what is nested more deeply than the other side can read fails its own call only', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    assert.equal(await executor.tasks.levelsOf(await executor.tasks.giveNested(990)), 990)
    for (const levels of [1100, 2000, 3500, 20_000]) {
      const tooDeep = (error) =>
        error.code === 'TW_ERR_NOT_CLONEABLE' && /nested more than 1000 levels/.test(error.message)
      await assert.rejects(executor.tasks.giveNested(levels), tooDeep)
      await assert.rejects(all(executor.stream('itemNested', [levels])), tooDeep)
      const error = await rejection(executor.tasks.throwNested(levels))
      assert.deepEqual([error.message, typeof error.value], ['nested', 'object']) // as far as it is of use
      let value = 1
      for (let i = 0; i < levels; i++) value = { value }
      await assert.rejects(executor.tasks.levelsOf(value), tooDeep)
    }
  })

  test('a thenable that calls back twice, or throws afterwards, counts once', async () => {
    for (let i = 0; i < 5; i++) {
      assert.equal(await executor.tasks.callsBackTwice(), 1)
      assert.equal(await executor.tasks.throwsAfterCallback(), 1)
    }
    if (kind !== 'concurrent') return
    const seen = await Promise.all(Array.from({ length: 40 }, () => executor.tasks.mostOpen()))
    assert.equal(Math.max(...seen), 8, 'the concurrency of the executor')
  })

  test('a result whose then throws when it is looked at rejects its call, not the caller', async () => {
    await executor.ready
    const { running } = executor.stats()
    assert.equal((await rejection(executor.tasks.throwsAtThen())).message, 'no then')
    assert.equal(executor.stats().running, running)
  })

  test('a field that the channel cannot carry does not hide the error', async () => {
    const error = await rejection(executor.tasks.throwShared())
    assert.ok(error instanceof RangeError)
    assert.deepEqual([error.message, error.code], ['mine', 'E_MINE'])
  })

  test('one error that is thrown again and again shows one caller', async () => {
    async function theCaller() {
      await executor.tasks.rejectSingle()
    }
    for (let i = 0; i < 3; i++) {
      await Promise.all(Array.from({ length: 50 }, () => rejection(theCaller())))
    }
    const { stack } = await rejection(theCaller())
    assert.ok(stack.split('called by the following').length <= 2, `the stack has ${stack.length} characters`)
  })

  test('an error whose stack is read-only arrives as it is', async () => {
    const fresh = make('hostile.js') // its first call waits for the module
    const error = await rejection(fresh.tasks.rejectReadOnly())
    assert.deepEqual([error.name, error.message], ['RangeError', 'mine'])
  })

  test('messages that the task itself sends are none of ours', async (t) => {
    if (!isPool || kind === 'adaptive') return t.skip('there is no channel')
    for (const value of [null, 'ready', [1, 2, 3, 4], { type: 'ready' }, 7]) {
      assert.equal(await executor.tasks.post(value), 'posted')
      assert.equal(await executor.tasks.add(1, 2), 3)
    }
  })
})

/** What our code does not send. A list of holes may be as long as it likes. */
const forgedMessages = [
  "5", "'text'", "new Map()", "{ type: 'mine' }", "new Array(2 ** 32 - 1)", "[0]", "[0, {}, 1, 0]", "[0, -1, 1, {}]",
  "{ type: 'forks' }", "{ type: 'forks', calls: [null] }", "{ type: 'forks', calls: new Array(2 ** 32 - 1) }",
  "{ type: 'start-failed', error: {} }", "{ type: 'output', to: 3, text: '' }", "{ type: 'output', to: 1, text: {} }",
  "{ type: 'report' }", "{ type: 'report', usage: 5 }", "{ type: 'uncaught', error: {} }",
] // prettier-ignore
const forgedReplies = ["[0, ID, {}, 0]", "[1, ID, 'garbage', 0]", "[0, ID, 1, {}]", "[10, ID, 'x', 0]", "[0, ID, 1, -1]", "[4, ID, 5, 0]", "[4, ID, null, 0]"] // prettier-ignore
/** Bytes of messages whose parts the platform itself refuses: a number that is cut, a pattern, a URL; 5,000 lists in lists. */
const forgedBytes = [
  Buffer.alloc(64),
  Buffer.alloc(64, 0xff),
  frameOf([0x80]),
  frameOf([0x85, 1]),
  frameOf([0x97, 0x41, 0x40], '('),
  frameOf([0x9e, 0x41], 'x'),
  frameOf([0x91, 255, 255, 255, 255, 0, 0, 0, 0]),
  frameOf([...new Array(5000).fill([0x8e, 1]).flat(), 0x80]),
]

function frameOf(values, text = '') {
  const frame = Buffer.alloc(24)
  const end = 12 + values.length
  frame.writeUInt32LE(0x4d5754f5, 0) // MARK of frames.ts
  frame.writeUInt32LE(end + text.length, 8)
  frame.writeUInt32LE(end, 16)
  frame.writeUInt32LE(end + text.length, 20)
  return Buffer.concat([frame, Buffer.from(values), Buffer.from(text)])
}

describeExecutors('what a task writes to the channel of its worker', (make, { kind }) => {
  test('ends that worker and nothing else, and its calls settle', async (t) => {
    if (kind !== 'threads' && kind !== 'processes') return t.skip('there is no channel')
    const isChild = kind === 'processes'
    const all = isChild ? forgedBytes : [...forgedMessages, ...forgedReplies]
    const executor = make('hostile.js', { size: 1, ...(!isChild && { transport: 'message' }) })
    assert.equal(await executor.tasks.add(1, 2), 3) // call -1 of its worker
    for (const forged of all) {
      const error = await rejection(
        isChild ? executor.tasks.forgeBytes(forged) : executor.tasks.forge(forged.replace('ID', '-2')),
      )
      assert.equal(error.code, 'TW_ERR_WORKER_EXITED', `${forged}: ${error}`)
      assert.equal(await executor.tasks.add(1, 2), 3, String(forged)) // call -1 of the next one
    }
  })
})

/** Taken for a header they would be a message of 1 GB, of 100 bytes, of 8 with a buffer, and half a header. */
const STRAY_BYTES = [[0, 0, 0, 64, 0, 0, 0, 0], [100, 0, 0, 0, 0, 0, 0, 0, 1, 2], [8, 0, 0, 0, 1, 0, 0, 0], [1]] // prettier-ignore

describeExecutors('stray bytes on the channel of a worker', (make, { kind }) => {
  test('are not taken for the beginning of a message: its calls settle, and those after them', async (t) => {
    if (kind !== 'processes') return t.skip('there is no such descriptor')
    for (const bytes of STRAY_BYTES) {
      const executor = make('hostile.js', { size: 1 })
      const error = await rejection(executor.run('strayBytes', [Buffer.from(bytes)]))
      assert.equal(error.code, 'TW_ERR_WORKER_EXITED', String(bytes))
      assert.equal(await executor.tasks.add(1, 2), 3)
      await executor.destroy()
    }
  })
})

/** What a task may know, and what it may make up: what is no reply to a call of its own changes nothing. */
describeExecutors('a forged reply to the call of another worker', (make, { kind, name }) => {
  test('is not taken for one', async (t) => {
    if (kind !== 'threads' || name !== 'threads') return t.skip('calls are not shared')
    const executor = make('hostile.js', { size: 2 })
    await executor.ready
    const busy = executor.tasks.busyFor(300)
    const ids = Array.from({ length: 64 }, (_, id) => id)
    const forged = JSON.stringify(ids.flatMap((id) => [0, id, 13, 0]))
    await executor.run('forge', [forged], { timeout: 1000 }).catch(() => {}) // its own call it may answer
    assert.equal(await busy, 'mine')
    assert.equal(await executor.tasks.add(1, 2), 3)
  })
})

describeExecutors('a forged answer to a call for many inputs', (make, { kind }) => {
  test('ends its worker, and the map rejects', async (t) => {
    if (kind !== 'threads') return t.skip('there is no channel that a task can reach')
    for (const forged of ['[0, -2, 5, 0]', '[0, -2, null, 0]', '[11, -2, 1e9, 0]', '[11, -2, 0.5, 0]']) {
      const executor = make('hostile.js', { size: 1, transport: 'message' })
      assert.equal(await executor.tasks.add(1, 2), 3)
      assert.equal(
        (await rejection(executor.map('forge', [forged, forged]))).code,
        'TW_ERR_WORKER_EXITED',
        forged,
      )
      assert.equal(await executor.tasks.add(1, 2), 3)
      await executor.destroy()
    }
  })
})

describeExecutors('what a caller does', (make, { isPool }) => {
  test('a call behind one that cannot be sent runs all the same', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    const executor = make('basic.js', { size: 1 })
    await executor.ready
    const refused = rejection(executor.tasks.echo(() => {}))
    const next = executor.tasks.echo(1)
    assert.equal((await refused).code, 'TW_ERR_NOT_CLONEABLE')
    assert.equal(await next, 1)
  })

  test('thousands of synchronous calls made before the module is loaded all settle', async () => {
    const executor = make('basic.js')
    const results = await Promise.all(Array.from({ length: 20_000 }, (_, i) => executor.tasks.add(i, 1)))
    assert.ok(results.every((value, i) => value === i + 1))
    assert.deepEqual([executor.stats().completed, executor.stats().running], [20_000, 0])
  })

  test('a time longer than a timer can wait never comes', async () => {
    const executor = make('basic.js', { startTimeout: 2 ** 31, closeTimeout: 2 ** 31 })
    for (const timeout of [2 ** 31, Infinity]) {
      assert.equal(await executor.run('later', ['done', 20], { timeout }), 'done')
    }
    const last = executor.tasks.later('last', 20)
    await executor.close()
    assert.equal(await last, 'last')
  })

  test('close refuses a timeout that is no time, and the executor stays open', async () => {
    const executor = make('basic.js')
    for (const options of [{ timeout: 'x' }, { tmeout: 1 }, 5, null])
      assert.equal((await rejection(executor.close(options))).code, 'TW_ERR_INVALID_OPTION')
    assert.equal(await executor.tasks.add(1, 2), 3)
  })

  test('a list of arguments that throws when it is read fails its call, and no other', async () => {
    const executor = make('streams.js')
    const list = Object.defineProperty([], 0, { enumerable: true, get: () => assert.fail('mine') })
    const proxy = new Proxy([1], { get: () => assert.fail('mine') })
    for (const args of [list, proxy]) {
      const others = [executor.run('sum', [1, 2]), executor.run('sum', [3, 4], { timeout: 60_000 })]
      assert.equal((await rejection(executor.run('sum', args))).message, 'mine')
      assert.equal((await rejection(executor.run('sum', args, { timeout: 60_000 }))).message, 'mine')
      assert.equal((await rejection(executor.broadcast('sum', args))).message, 'mine')
      assert.throws(() => executor.stream('count', args), { message: 'mine' })
      assert.deepEqual(await Promise.all(others), [3, 7])
    }
    const { queued, running } = executor.stats()
    assert.deepEqual({ queued, running }, { queued: 0, running: 0 })
  })

  test('a list of arguments is read when the call is made', async () => {
    const executor = make('basic.js')
    const args = [1, 1]
    const calls = [1, 2, 3].map((n) => {
      args[0] = n
      return executor.run('add', args)
    })
    assert.deepEqual(await Promise.all(calls), [2, 3, 4])
  })

  test('a call that a getter among its arguments cancels does not run', async (t) => {
    if (!isPool) return t.skip('arguments are not read')
    const executor = make('barrier.js', { size: 1 })
    await executor.ready
    const started = testFolder(t)('started')
    for (const wrap of [(value) => value, (value) => [new Map(), value]]) {
      const controller = new AbortController()
      const aborts = { get release() { controller.abort('enough'); return '' } } // prettier-ignore
      const call = executor.run('waitUntil', [started, wrap(aborts)], { signal: controller.signal })
      assert.equal(await rejection(call), 'enough')
      await executor.tasks.workerId()
      assert.equal(existsSync(started), false)
    }
  })

  test('a signal that is none is refused', async () => {
    const executor = make('basic.js')
    for (const signal of [
      { aborted: false, addEventListener: 1 },
      { aborted: false, addEventListener() {} },
    ]) {
      const error = await rejection(executor.run('add', [1, 2], { signal }))
      assert.equal(error.code, 'TW_ERR_INVALID_OPTION')
    }
    const { queued, running } = executor.stats()
    assert.deepEqual({ queued, running }, { queued: 0, running: 0 })
  })

  test('printing an executor as JSON runs nothing', async () => {
    const executor = make('basic.js')
    await executor.ready
    assert.equal(JSON.parse(JSON.stringify(executor)).kind, executor.kind)
    const { queued, running, failed } = executor.stats()
    assert.deepEqual({ queued, running, failed }, { queued: 0, running: 0, failed: 0 })
  })

  test('one signal for thousands of calls prints no warning', async (t) => {
    const executor = make('basic.js')
    const warnings = []
    const note = (warning) => warnings.push(String(warning))
    process.on('warning', note)
    t.after(() => process.off('warning', note))
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 2000 }, () => executor.run('add', [1, 2], { signal })))
    await nextTurn()
    assert.deepEqual(warnings, [])
  })

  test('an Error.prepareStackTrace that gives no text changes no outcome', async (t) => {
    const executor = make('throws.js')
    const before = Error.prepareStackTrace
    Error.prepareStackTrace = (_, frames) => frames
    t.after(() => (Error.prepareStackTrace = before))
    const call = async () => {
      await executor.tasks.rejectCustom()
    }
    const error = await rejection(call())
    Error.prepareStackTrace = before
    assert.equal(error.message, 'bad email later')
  })

  test('the reason of an abort is left as it was, however many calls it ends', async () => {
    const executor = make('basic.js')
    const controller = new AbortController()
    const call = async () => {
      await executor.run('later', [1, 50], { signal: controller.signal })
    }
    const calls = Array.from({ length: 50 }, () => rejection(call()))
    const reason = new Error('mine')
    const { stack } = reason
    controller.abort(reason)
    for (const error of await Promise.all(calls)) assert.equal(error, reason)
    assert.equal(reason.stack, stack)
  })
})

describeExecutors('map over a source that is silent', (make) => {
  const executor = make('throws.js')
  async function* silentAfter(...inputs) {
    yield* inputs
    await new Promise(() => {})
  }

  test('rejects at the first error', async () => {
    const error = await rejection(executor.map('throwValue', silentAfter('no')))
    assert.equal(error, 'no')
  })

  test('rejects when it is aborted', async () => {
    const controller = new AbortController()
    const mapped = rejection(executor.map('throwValue', silentAfter(), { signal: controller.signal }))
    await nextTurn()
    controller.abort('enough')
    assert.equal(await mapped, 'enough')
  })
})

describeExecutors('map over a source that aborts the map itself', (make) => {
  test('rejects, though the source is silent from then on', async () => {
    const executor = make('basic.js')
    for (const before of [0, 3]) {
      const controller = new AbortController()
      let asked = 0
      const next = async () => {
        await new Promise((resolve) => setTimeout(resolve, 20)) // the calls before have settled
        return { done: false, value: asked }
      }
      const silent = () => (controller.abort('enough'), new Promise(() => {}))
      const source = {
        [Symbol.asyncIterator]: () => ({ next: () => (asked++ < before ? next() : silent()) }),
      }
      assert.equal(await rejection(executor.map('echo', source, { signal: controller.signal })), 'enough')
    }
  })
})

describeExecutors('map over a source that aborts the map, and then fails', (make) => {
  test('rejects with the reason of the abort, and nothing else is rejected', async () => {
    const executor = make('basic.js')
    for (const later of [async () => {}, nextTurn]) {
      const controller = new AbortController()
      const failed = new Promise((resolve) => {
        controller.signal.addEventListener('abort', () => resolve(later()))
      })
      async function* source() {
        controller.abort('enough')
        await later()
        yield assert.fail('of the source')
      }
      assert.equal(await rejection(executor.map('echo', source(), { signal: controller.signal })), 'enough')
      await failed
      await nextTurn() // an unhandled rejection would fail this file
    }
  })
})

describeExecutors('a program that replaces setImmediate for a while', (make, { isPool }) => {
  test('hinders its calls no longer than that', async (t) => {
    if (!isPool) return t.skip('nothing waits for the event loop')
    const executor = make('basic.js', { size: 1 })
    await executor.ready
    t.mock.timers.enable({ apis: ['setImmediate'] })
    const first = executor.tasks.add(1, 2)
    await new Promise((resolve) => setTimeout(resolve, 1)) // a turn of the event loop
    t.mock.timers.reset()
    assert.deepEqual(await Promise.all([first, executor.tasks.add(3, 4)]), [3, 7])
  })
})

describeExecutors('a program that replaces queueMicrotask for a while', (make, { isPool, kind }) => {
  test('hinders its calls no longer than that', async (t) => {
    if (!isPool || kind === 'adaptive') return t.skip('nothing waits for others')
    const executor = make('basic.js', { size: 1 })
    await executor.tasks.add(1, 1)
    const before = globalThis.queueMicrotask
    t.after(() => (globalThis.queueMicrotask = before))
    globalThis.queueMicrotask = () => {}
    const first = executor.tasks.add(1, 2)
    await nextTurn()
    globalThis.queueMicrotask = before
    assert.deepEqual(await Promise.all([first, executor.tasks.add(3, 4)]), [3, 7])
  })
})

describeExecutors('an executor that is made where microtasks and turns are replaced', (make, { kind }) => {
  test('works, forks and streams', async (t) => {
    if (kind === 'adaptive') return t.skip('it measures in turns of the event loop')
    t.mock.timers.enable({ apis: ['setImmediate'] })
    t.mock.method(globalThis, 'queueMicrotask', () => {})
    assert.equal(await make('forks.js', { size: 1 }).run('fibonacci', [8]), 21)
    assert.deepEqual(await all(make('streams.js', { size: 1 }).stream('count', [3])), [0, 1, 2])
  })
})

describeExecutors('ready of an executor that is stopped while it starts', (make) => {
  for (const [how, code] of [
    ['close', 'TW_ERR_CLOSED'],
    ['destroy', 'TW_ERR_DESTROYED'],
  ]) {
    test(`says so after ${how}`, async () => {
      const executor = make('load-hangs.js')
      const ready = rejection(executor.ready)
      await executor[how]()
      assert.equal((await ready).code, code)
    })
  }
})
