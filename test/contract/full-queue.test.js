// What happens to calls when all workers are busy: maxQueue, whenFull, queueTimeout, priority.
import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { numbers } from '../helpers/many.js'
import { all, end as END } from '../helpers/streams.js'

/** An executor whose only place is taken, until `free()`. The call that takes it waits, or blocks its worker. */
async function busyExecutor(t, make, options) {
  const path = testFolder(t)
  const executor = make('barrier.js', { size: 1, tasksPerWorker: 1, concurrency: 1, ...options })
  const first = executor.tasks.waitUntil(path('started'), path('free'))
  await fileExists(path('started'))
  const note = (text, runOptions) => executor.run('note', [path('notes'), text], runOptions)
  return {
    executor,
    note,
    notes: () => readFileSync(path('notes'), 'utf8'),
    async free() {
      touch(path('free'))
      assert.equal(await first, 'released')
    },
  }
}

const balances = (isPool) => (isPool ? ['shared', 'round-robin'] : ['shared'])

describeExecutors('a full queue', (make, { kind, isPool }) => {
  if (kind === 'inline')
    return test('does not exist: every call starts at once', async () => {
      const executor = make('basic.js', { maxQueue: 0 })
      assert.deepEqual(await Promise.all([executor.tasks.add(1, 2), executor.tasks.add(3, 4)]), [3, 7])
    })

  for (const balance of balances(isPool)) {
    test(`refuses what comes beyond maxQueue (${balance})`, async (t) => {
      const { executor, note, free, notes } = await busyExecutor(t, make, { maxQueue: 2, balance })
      const accepted = [note('a'), note('b')]
      for (const late of [note('c'), executor.tasks.note('d')]) {
        const error = await rejection(late)
        assert.equal(error.code, 'TW_ERR_QUEUE_FULL')
        assert.match(error.message, /2 calls wait \(maxQueue\)/)
      }
      const { queued, running, refused } = executor.stats()
      assert.deepEqual({ queued, running, refused }, { queued: 2, running: 1, refused: 2 })
      await free()
      assert.deepEqual(await Promise.all(accepted), ['a', 'b'])
      assert.equal(await note('e'), 'e', 'there is room again')
      assert.equal(notes(), 'abe')
      assert.equal(executor.stats().failed, 0)
    })

    test(`tells whether there is room, and when (${balance})`, async (t) => {
      const { executor, note, free } = await busyExecutor(t, make, { maxQueue: 1, balance })
      assert.equal(executor.hasRoom, true)
      await executor.whenRoom()
      const waiting = note('a')
      assert.equal(executor.hasRoom, false)
      const order = []
      const producer = async (name) => {
        while (!executor.hasRoom) await executor.whenRoom()
        order.push(name)
        return note(name)
      }
      const producers = ['b', 'c', 'd'].map(producer)
      assert.deepEqual(order, [])
      await free()
      assert.deepEqual(await Promise.all([waiting, ...producers]), ['a', 'b', 'c', 'd'])
      assert.deepEqual(order, ['b', 'c', 'd'])
      assert.equal(executor.stats().refused, 0)
      assert.equal(executor.hasRoom, true)
    })

    test(`those who wait for room learn that it is closed (${balance})`, async (t) => {
      const { executor, note, free } = await busyExecutor(t, make, { maxQueue: 0, balance })
      assert.equal(executor.hasRoom, false)
      const waiting = executor.whenRoom()
      const closing = executor.close()
      await waiting
      assert.equal(executor.hasRoom, false)
      assert.equal((await rejection(note('late'))).code, 'TW_ERR_CLOSED')
      await free()
      await closing
      await executor.whenRoom()
    })

    test(`tells subscribers once when there is room again (${balance})`, async (t) => {
      const events = []
      const options = { maxQueue: 0, balance, name: 'told' }
      const listen = ({ executor }) => executor === 'told' && events.push('room')
      diagnostics.subscribe('threadwise:queue:room', listen)
      t.after(() => diagnostics.unsubscribe('threadwise:queue:room', listen))
      const { note, free } = await busyExecutor(t, make, options)
      await rejection(note('a'))
      await rejection(note('b'))
      assert.deepEqual(events, [])
      await free()
      await note('c')
      assert.deepEqual(events, ['room'])
    })

    test(`gives up the oldest call that waits (${balance})`, async (t) => {
      const { note, free, notes, executor } = await busyExecutor(t, make, {
        maxQueue: 2,
        whenFull: 'discard-oldest',
        balance,
      })
      const calls = ['a', 'b', 'c', 'd'].map((text) => note(text))
      for (const call of calls.slice(0, 2)) {
        const error = await rejection(call)
        assert.equal(error.code, 'TW_ERR_DISCARDED')
        assert.match(error.message, /the oldest call/)
      }
      await free()
      assert.deepEqual(await Promise.all(calls.slice(2)), ['c', 'd'])
      assert.equal(notes(), 'cd')
      assert.equal(executor.stats().failed, 2)
    })
  }

  test('gives up the new call', async (t) => {
    const { note, free, notes } = await busyExecutor(t, make, { maxQueue: 1, whenFull: 'discard' })
    const kept = note('a')
    assert.equal((await rejection(note('b'))).code, 'TW_ERR_DISCARDED')
    await free()
    assert.equal(await kept, 'a')
    assert.equal(notes(), 'a')
  })

  test('of no length takes a call when a worker is free, and no other', async (t) => {
    for (const whenFull of ['reject', 'discard-oldest']) {
      const { note, free } = await busyExecutor(t, make, { maxQueue: 0, whenFull })
      const code = whenFull === 'reject' ? 'TW_ERR_QUEUE_FULL' : 'TW_ERR_DISCARDED'
      assert.equal((await rejection(note('a'))).code, code)
      await free()
      assert.equal(await note('b'), 'b')
    }
  })

  test('lets the caller run it', async (t) => {
    const { executor, note, free } = await busyExecutor(t, make, { maxQueue: 0, whenFull: 'caller-runs' })
    assert.equal(await executor.tasks.workerId(), 0, 'in the own thread')
    const error = await rejection(executor.tasks.noSuchTask())
    assert.equal(error.code, 'TW_ERR_TASK_NOT_FOUND')
    if (isPool) assert.equal((await rejection(executor.tasks.note(() => {}))).code, 'TW_ERR_NOT_CLONEABLE')
    assert.equal(executor.stats().completed, 1)
    await free()
    assert.equal(await note('b'), 'b')
  })

  test('makes the caller wait, in order, until there is room', async (t) => {
    const { executor, note, free, notes } = await busyExecutor(t, make, { maxQueue: 1, whenFull: 'wait' })
    const calls = [...'abcdef'].map((text) => note(text))
    assert.equal(executor.stats().queued, 1)
    await free()
    assert.deepEqual(await Promise.all(calls), [...'abcdef'])
    assert.equal(notes(), 'abcdef')
  })

  test('lets a waiting caller go when its signal aborts, its queueTimeout passes, or the executor ends', async (t) => {
    const { executor, note, free, notes } = await busyExecutor(t, make, { maxQueue: 1, whenFull: 'wait' })
    const accepted = note('a')
    const controller = new AbortController()
    const aborted = rejection(note('b', { signal: controller.signal }))
    const late = rejection(note('c', { queueTimeout: 5 }))
    const left = rejection(note('d'))
    controller.abort('enough')
    assert.equal(await aborted, 'enough')
    assert.equal((await late).code, 'TW_ERR_QUEUE_TIMEOUT')
    const closed = executor.close()
    assert.equal((await left).code, 'TW_ERR_CLOSED')
    await free()
    assert.equal(await accepted, 'a', 'it was accepted before')
    await closed
    assert.equal(notes(), 'a')
  })

  test('lets a stream wait, which has its items then, or leaves the line when it is given up', async (t) => {
    const { executor, free } = await busyExecutor(t, make, { maxQueue: 0, whenFull: 'wait' })
    for (const options of [undefined, { highWaterMark: 4 }]) {
      const dropped = executor.stream('count', [100], options)
      const next = dropped.next()
      assert.deepEqual([await dropped.return(), await next], [END, END])
    }
    const streams = [undefined, { highWaterMark: 4 }].map((options) =>
      executor.stream('count', [20], options),
    )
    const items = Promise.all(streams.map(all))
    await free()
    assert.deepEqual(await items, [numbers(20), numbers(20)])
    const { queued, running } = executor.stats()
    assert.deepEqual({ queued, running }, { queued: 0, running: 0 })
  })

  test('does not refuse the calls of map, which bounds itself', async (t) => {
    const { executor, free } = await busyExecutor(t, make, { maxQueue: 2 })
    const ids = executor.map('workerId', [1, 2, 3, 4, 5, 6, 7])
    await free()
    assert.equal((await ids).length, 7)
    assert.equal(executor.stats().refused, 0)
  })

  test('has room for what runs and for maxQueue more when the workers are still starting', async () => {
    const size = kind === 'concurrent' ? 8 : 2
    const executor = make('basic.js', { maxQueue: 3 })
    const calls = Array.from({ length: size + 3 + 4 }, (_, i) => executor.tasks.later(i, 5))
    const outcomes = await Promise.allSettled(calls)
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 4)
    for (const { reason } of refused) assert.equal(reason.code, 'TW_ERR_QUEUE_FULL')
  })
})

describeExecutors('options for waiting calls', (make, { kind, isPool }) => {
  test('are checked', async () => {
    for (const options of [
      { maxQueue: -1 },
      { maxQueue: 1.5 },
      { maxQueue: 'all' },
      { whenFull: 'drop' },
      { whenFull: 3 },
    ])
      assert.throws(() => make('basic.js', options), { code: 'TW_ERR_INVALID_OPTION' })
    const executor = make('basic.js')
    for (const options of [{ priority: 0.5 }, { priority: 21 }, { priority: '1' }, { queueTimeout: -1 }])
      assert.equal((await rejection(executor.run('add', [1, 2], options))).code, 'TW_ERR_INVALID_OPTION')
  })

  if (kind === 'inline') return

  test('a call that has not started within queueTimeout never starts', async (t) => {
    const { note, free, notes, executor } = await busyExecutor(t, make)
    const late = note('late', { queueTimeout: 5 })
    const patient = note('patient', { queueTimeout: 60_000 })
    const error = await rejection(late)
    assert.equal(error.code, 'TW_ERR_QUEUE_TIMEOUT')
    assert.match(error.message, /"note" did not start within its queueTimeout of 5 ms/)
    await free()
    assert.equal(await patient, 'patient')
    assert.equal(notes(), 'patient')
    assert.equal(executor.stats().failed, 1)
  })

  test('queueTimeout does not count the time that a call runs', async (t) => {
    const path = testFolder(t)
    const executor = make('barrier.js')
    await executor.ready // its start would be waiting
    const call = executor.run('waitUntil', [path('started'), path('free')], { queueTimeout: 2000 })
    await fileExists(path('started'))
    await new Promise((resolve) => setTimeout(resolve, 2100))
    touch(path('free'))
    assert.equal(await call, 'released')
  })

  test('calls of a higher priority go first, those of the same in their order', async (t) => {
    const { note, free, notes } = await busyExecutor(t, make)
    const plan = [['a'], ['b', -5], ['c', 1], ['d'], ['e', 20], ['f', 1]]
    const calls = plan.map(([text, priority]) => note(text, { priority }))
    await free()
    await Promise.all(calls)
    assert.equal(notes(), 'ecfadb')
  })

  test('a call of a low priority has its turn among any number of higher ones', async (t) => {
    const { note, free, notes } = await busyExecutor(t, make)
    const calls = [
      note('L', { priority: -20 }),
      ...Array.from({ length: 50 }, () => note('h', { priority: 20 })),
    ]
    await free()
    await Promise.all(calls)
    assert.ok(notes().indexOf('L') <= 8, notes())
  })

  test('a line of callers may be as long as it likes', async (t) => {
    const { executor, free } = await busyExecutor(t, make, { maxQueue: 0, whenFull: 'wait' })
    const ids = Array.from({ length: kind === 'concurrent' ? 20_000 : 500 }, () => executor.tasks.workerId())
    await free()
    assert.equal((await Promise.all(ids)).length, ids.length)
  })

  test('a getter among the arguments may make calls that pass its own', async (t) => {
    if (!isPool) return t.skip('arguments are not read')
    const { executor, note, free } = await busyExecutor(t, make)
    let inner
    const text = {
      get text() {
        inner ??= note('inner', { priority: 5 })
        return 'outer'
      },
    }
    const waiting = Array.from({ length: 30 }, () => note('x'))
    const outer = executor.tasks.workerId(text)
    await free()
    assert.equal((await Promise.all(waiting)).length, 30)
    assert.equal(typeof (await outer), 'number')
    assert.equal(await inner, 'inner')
  })
})
