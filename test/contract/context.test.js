// Values of contexts travel with the call: what is there where it is made is there in the task, on every executor.
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { defineContext } from 'threadwise'
import { map } from 'threadwise/parallel'
import * as task from 'threadwise/task'
import { Point } from '../fixtures/classes/shapes.js'
import { request, traceparent } from '../fixtures/classes/contexts.js'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { numbers } from '../helpers/many.js'
import { waitUntil } from '../helpers/waiting.js'

test('a context is an AsyncLocalStorage with a name, and one for each name', () => {
  const context = defineContext('once')
  assert.ok(context instanceof AsyncLocalStorage)
  assert.equal(context.name, 'once')
  assert.equal(defineContext('once'), context)
  assert.equal(task.defineContext('once'), context)
  assert.notEqual(defineContext('twice'), context)
  assert.equal(context.run(5, () => context.getStore()), 5) // prettier-ignore
  for (const name of ['', 5, undefined, null])
    assert.throws(() => defineContext(name), { code: 'TW_ERR_INVALID_OPTION', message: /name of a context/ })
})

describeExecutors('contexts', (make, { isPool, isOnQueue }) => {
  const executor = make('contexts.js')

  test('the value of the call is there in the task, and without one there is none', async () => {
    assert.equal(await executor.tasks.read(), undefined)
    assert.equal(await request.run('r-1', () => executor.tasks.read()), 'r-1')
    assert.equal(await request.run('r-2', () => executor.run('read')), 'r-2')
    assert.equal(await request.run('r-3', () => executor.run('read', [], { timeout: 5000 })), 'r-3')
    const keyed = executor.capabilities.keys ? { key: 'k' } : {}
    assert.equal(await request.run('r-4', () => executor.run('read', [], keyed)), 'r-4')
    assert.equal(await executor.tasks.read(), undefined)
    for (const value of [null, 0, '', false, { id: 7, tags: ['a'] }])
      assert.deepEqual(await request.run(value, () => executor.tasks.read()), value)
    assert.equal(await request.run(undefined, () => executor.tasks.read()), undefined)
  })

  test('arguments are those of the call', async () => {
    await request.run('r', async () => {
      assert.equal(await executor.tasks.readX('x'), 'x r')
      for (const count of [0, 1, 2, 3])
        assert.equal(await executor.run('argumentCount', numbers(count)), count)
    })
  })

  test('it stays across awaits, whatever runs meanwhile, and in what the task logs', async () => {
    const calls = numbers(60).map((i) => request.run(`r-${i}`, () => executor.tasks.readLater(i % 3)))
    const plain = numbers(20).map(() => executor.tasks.readLater())
    const seen = await Promise.all(calls)
    seen.forEach((values, i) => assert.deepEqual(values, [`r-${i}`, `r-${i}`, `r-${i}`]))
    for (const values of await Promise.all(plain)) assert.deepEqual(values, [undefined, undefined, undefined])
    const one = make('contexts.js', { size: 1 })
    await Promise.all(['a', 'b'].map((id) => request.run(id, () => one.tasks.logLater('done'))))
    assert.deepEqual((await one.tasks.logged()).sort(), ['a: done', 'b: done'])
  })

  test('several contexts, each with its own value', async () => {
    const both = () => executor.tasks.readBoth()
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    assert.deepEqual(await request.run(1, () => traceparent.run(trace, both)), [1, trace])
    assert.deepEqual(await traceparent.run(trace, both), [undefined, trace])
  })

  test('enterWith counts too', async () => {
    const inner = new AsyncLocalStorage() // an asynchronous scope of its own
    await inner.run(1, async () => {
      await null
      request.enterWith('entered')
      assert.equal(await executor.tasks.read(), 'entered')
    })
  })

  test('what a task leaves behind with enterWith does not reach other calls', async (t) => {
    if (!isPool) return t.skip('the task runs in the asynchronous context of its caller')
    const one = make('contexts.js', { size: 1 })
    const results = await Promise.all([one.tasks.enter('left'), one.tasks.read(), one.tasks.read()])
    assert.deepEqual(results, ['left', undefined, undefined])
  })

  test('what a task changes with enterWith stays in its call: of its caller, and of others', async () => {
    const own = make('contexts.js', isPool ? { size: 1 } : {})
    const seen = (value) => value === undefined
    const many = isOnQueue ? 100 : 300 // more than map sends one by one at first
    for (const inputs of [numbers(many), [1]]) {
      assert.ok((await own.map('enterAndTell', inputs)).every(seen))
      assert.ok((await map(own, 'enterAndTell', inputs)).every(seen))
    }
    for (let i = 0; i < many / 3; i++) assert.equal(await own.run('enterAndTell', ['left']), undefined)
    await request.run('mine', async () => {
      assert.equal(await own.tasks.enterAndTell('left'), 'mine')
      assert.equal(request.getStore(), 'mine')
      assert.deepEqual(new Set(await own.map('enterAndTell', numbers(many))), new Set(['mine']))
    })
  })

  test('what a stream changes with enterWith does not reach who reads it', async (t) => {
    if (!executor.capabilities.streams) return t.skip('it has no streams')
    const own = make('contexts.js')
    await request.run('mine', async () => {
      for (let i = 0; i < 2; i++) {
        const items = []
        for await (const item of own.stream('enterInStream', ['left'])) items.push(item)
        assert.deepEqual([items.length, items[0], request.getStore()], [3, 'mine', 'mine'])
      }
    })
  })

  test('an object is copied for each call of map, as for others', async (t) => {
    if (!isPool) return t.skip('nothing is copied')
    const own = make('contexts.js')
    const calls = isOnQueue ? 40 : 200
    const counts = await request.run({ calls: 0 }, () => own.map('countInContext', numbers(calls)))
    assert.deepEqual(counts, new Array(calls).fill(1))
    const narrow = make('contexts.js', { size: 1, tasksPerWorker: 1, maxQueue: 1, whenFull: 'caller-runs' })
    const mine = { calls: 0 }
    const alone = await request.run(mine, () =>
      Promise.all(numbers(20).map(() => narrow.run('countInContext'))),
    )
    assert.deepEqual([...alone, mine.calls], [...new Array(20).fill(1), 0])
  })

  test('it is there in a listener of task.signal, whoever aborts', async () => {
    const own = make('contexts.js', { size: 1 })
    const controller = new AbortController()
    const onProgress = () => request.run('other', () => controller.abort())
    await request.run('mine', () =>
      rejection(own.run('tellAtAbort', [], { signal: controller.signal, onProgress })),
    )
    await waitUntil(async () => (await own.tasks.toldAtAbort())?.value === 'mine')
  })

  test('broadcast carries it to all', async (t) => {
    if (!executor.capabilities.broadcast) return t.skip('its workers are not its own')
    const own = make('contexts.js')
    await own.run('read')
    const results = await request.run('all', () => own.broadcast('read'))
    assert.ok(results.length > 0 && results.every((value) => value === 'all'), String(results))
  })

  test('it is the value of its caller after a wait in the queue', async () => {
    const busy = make('contexts.js', { size: 1, tasksPerWorker: 1 })
    const first = request.run('first', () => busy.tasks.readLater(20))
    const calls = numbers(30).map((i) =>
      i % 3 === 2 ? busy.tasks.read() : request.run(i, () => busy.tasks.readLater(1).then((all) => all[2])),
    )
    assert.deepEqual(await first, ['first', 'first', 'first'])
    assert.deepEqual(await Promise.all(calls), numbers(30).map((i) => (i % 3 === 2 ? undefined : i))) // prettier-ignore
  })

  test('an object is copied where arguments are, and classes are kept', async () => {
    const value = { list: [1] }
    const back = await request.run(value, () => executor.tasks.read())
    assert.deepEqual(back, value)
    assert.equal(back === value, !isPool)
    assert.equal(await request.run(new Point(1, 2), () => executor.tasks.isPoint()), true)
    const shared = { id: 1 }
    const all = await request.run(shared, () => Promise.all(numbers(50).map(() => executor.tasks.read())))
    for (const each of all) assert.deepEqual(each, shared)
    if (isPool) assert.equal(new Set(all).size, 50)
  })

  test('errors are as without it', async () => {
    const error = await rejection(request.run('r', () => executor.tasks.throwWith()))
    assert.equal(error.message, 'in r')
    assert.equal(
      (await rejection(request.run('r', () => executor.tasks.missing()))).code,
      'TW_ERR_TASK_NOT_FOUND',
    )
  })

  test('a value that cannot be cloned rejects its call, with the name of the context', async (t) => {
    if (!isPool) return t.skip('nothing is cloned')
    const [before, error, after] = await Promise.all([
      executor.tasks.readX(1),
      rejection(traceparent.run('ok', () => request.run({ log() {} }, () => executor.tasks.read()))),
      request.run('good', () => executor.tasks.readX(2)),
    ])
    assert.deepEqual([before, after], ['1 undefined', '2 good'])
    assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
    assert.match(error.message, /^The context "request" of task "read" cannot be sent/)
    const argument = await rejection(request.run('ok', () => executor.tasks.readX(() => {})))
    assert.match(argument.message, /^An argument of task "readX"/)
    const each = await rejection(request.run(() => {}, () => executor.map('readX', numbers(100)))) // prettier-ignore
    assert.match(each.message, /^The context "request" of task "readX"/)
  })

  test('a context that the task module does not define is ignored', async () => {
    const other = defineContext('known to the caller only')
    assert.equal(await other.run('x', () => executor.tasks.readX(1)), '1 undefined')
    const basic = make('basic.js')
    assert.equal(await other.run('x', () => basic.tasks.add(1, 2)), 3)
    assert.equal(await request.run('x', () => basic.tasks.later(4)), 4)
    assert.deepEqual(await request.run('x', () => basic.map('double', numbers(200))), numbers(200).map((i) => 2 * i)) // prettier-ignore
  })

  for (const whenFull of ['wait', 'caller-runs']) {
    test(`it is the value of its caller where the queue is bounded (${whenFull})`, async () => {
      const own = make('contexts.js', { size: 1, tasksPerWorker: 1, maxQueue: 1, whenFull })
      const calls = numbers(30).map((i) => {
        const call = () => own.tasks.readLater(1).then((all) => all[2])
        return i % 3 === 2 ? call() : request.run(i, call)
      })
      assert.deepEqual(await Promise.all(calls), numbers(30).map((i) => (i % 3 === 2 ? undefined : i))) // prettier-ignore
    })
  }

  test('a call that moves to another worker keeps it', async (t) => {
    if (!isPool) return t.skip('there is no worker to lose')
    const own = make('contexts.js', { size: 1 })
    await own.ready
    const blocked = rejection(own.run('burnAndRead', [60_000], { timeout: 100, gracePeriod: 0 }))
    const calls = numbers(5).map((i) => request.run(`moved ${i}`, () => own.tasks.read()))
    assert.equal((await blocked).code, 'TW_ERR_TIMEOUT')
    const outcomes = await Promise.allSettled(calls)
    for (const [i, { status, value }] of outcomes.entries())
      if (status === 'fulfilled') assert.equal(value, `moved ${i}`)
    assert.ok(outcomes.some(({ status }) => status === 'fulfilled'))
  })
})
