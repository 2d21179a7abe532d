// Which worker runs a call: all take from one queue, unless `balance` or a key says otherwise.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { rmSync } from 'node:fs'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { many } from '../helpers/many.js'

/** How often each worker was told. */
function counts(ids) {
  const counted = new Map()
  for (const id of ids) counted.set(id, (counted.get(id) ?? 0) + 1)
  return [...counted.values()].sort((a, b) => a - b)
}

describeExecutors('a pool that directs its calls', (make, { isPool }) => {
  test('loses no call when its rule, or a getter among the arguments, makes it smaller', async (t) => {
    if (!isPool) return t.skip('nothing is directed')
    let executor = make('basic.js', { balance: 'round-robin' })
    await executor.ready
    const narrows = { get size() { executor.resize(1); return 1 } } // prettier-ignore
    const results = await executor.broadcast('echo', [narrows])
    assert.deepEqual(results, new Array(results.length).fill({ size: 1 }))
    const balance = (workers) => {
      if (executor.size > 1) executor.resize(1)
      return workers.length - 1
    }
    executor = make('basic.js', { balance })
    assert.deepEqual(await many(4, (i) => executor.tasks.double(i)), [0, 2, 4, 6])
  })
})

describeExecutors('calls of some milliseconds whose results are large', (make, { kind, isPool }) => {
  test('do not lie behind a long one while another worker is free', async (t) => {
    if (!isPool || kind === 'adaptive') return t.skip('a long call may run in this thread')
    const path = testFolder(t)
    const executor = make('routed.js', { size: 2 })
    await executor.ready
    await many(10, () => executor.tasks.largeAfter(2)) // from then on it is known how long they take
    const long = executor.tasks.largeAfter(0, path('started'), path('release'))
    await fileExists(path('started'))
    await many(20, () => executor.tasks.largeAfter(2))
    touch(path('release'))
    assert.equal((await long).length, 100_000)
  })
})

describeExecutors('a key', (make, { isPool }) => {
  test('brings all its calls to one worker, in their order', async () => {
    const executor = make('routed.js')
    const own = `${Math.random()} ` // inline, the module is the same for all executors
    const keyed = (key, value) => executor.run('keep', [`${own}${key}${value}`], { key })
    const results = await many(40, async (i) => {
      const lists = await Promise.all([keyed('a', i), keyed('b', i), keyed(3, i)])
      return lists.map((list, k) => list.filter((value) => value.startsWith(own + ['a', 'b', '3'][k])))
    })
    for (const k of [0, 1, 2]) {
      const key = ['a', 'b', '3'][k]
      const all = Array.from({ length: 40 }, (_, i) => `${own}${key}${i}`)
      assert.deepEqual(results.at(-1)[k], all, 'each call finds what those before it have kept')
    }
  })

  test('is text or a number', async () => {
    const executor = make('routed.js')
    for (const key of [null, {}, true, Symbol('key')])
      assert.equal((await rejection(executor.run('workerId', [], { key }))).code, 'TW_ERR_INVALID_OPTION')
  })

  test('waits for its worker while calls without one go to the other', async (t) => {
    if (!isPool) return t.skip('there is one worker only')
    const path = testFolder(t)
    const executor = make('routed.js')
    const id = await executor.run('workerId', [], { key: 'k' })
    const blocked = executor.run('blockUntil', [path('started'), path('release')], { key: 'k' })
    await fileExists(path('started'))
    const next = executor.run('workerId', [], { key: 'k' })
    const others = await many(20, () => executor.tasks.workerId())
    assert.equal(others.includes(id), false)
    assert.ok(executor.stats().running + executor.stats().queued === 2)
    touch(path('release'))
    assert.equal(await blocked, 'released')
    assert.equal(await next, id)
  })

  test('is served by the worker that replaces a dead one', async (t) => {
    if (!isPool) return t.skip('it would be the process of the test')
    const executor = make('routed.js')
    const id = await executor.run('workerId', [], { key: 'k' })
    assert.equal((await rejection(executor.run('exit', [], { key: 'k' }))).code, 'TW_ERR_WORKER_EXITED')
    const ids = await many(10, () => executor.run('workerId', [], { key: 'k' }))
    assert.equal(new Set(ids).size, 1)
    assert.notEqual(ids[0], id)
  })
})

describeExecutors('a key whose worker cannot be replaced', (make, { isPool }) => {
  if (!isPool) return

  test('fails its calls, and works again when the cause is gone', async (t) => {
    const path = testFolder(t)
    const executor = make('load-while.js', { env: { MODULE_IS_BROKEN: path('broken') } })
    const keyed = () => executor.run('workerId', [], { key: 'k' })
    await executor.ready
    const id = await keyed()
    touch(path('broken'))
    assert.equal((await rejection(executor.run('die', [], { key: 'k' }))).code, 'TW_ERR_WORKER_EXITED')
    const error = await rejection(keyed())
    assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.equal(error.cause.message, 'broken for now')
    assert.notEqual(await executor.tasks.workerId(), id) // the other worker goes on
    rmSync(path('broken'))
    assert.notEqual(await keyed(), id) // without any other call that would wake the pool
  })
})

describeExecutors('a directed pool', (make, { isPool }) => {
  if (!isPool) return

  test('goes round', async () => {
    const executor = make('routed.js', { balance: 'round-robin', size: 3 })
    const ids = await many(30, () => executor.tasks.workerId())
    assert.deepEqual(counts(ids), [10, 10, 10])
    assert.deepEqual(ids.slice(3), ids.slice(0, 27))
  })

  test('goes anywhere', async () => {
    const executor = make('routed.js', { balance: 'random' })
    const ids = await many(200, () => executor.tasks.workerId())
    assert.equal(counts(ids).length, 2)
    assert.ok(counts(ids)[0] > 50, `${counts(ids)}`) // 100 +- 7 standard deviations
  })

  test('goes where the least is to do', async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { balance: 'least-busy' })
    const blocked = executor.tasks.blockUntil(path('started'), path('release'))
    await fileExists(path('started'))
    const ids = []
    for (let i = 0; i < 10; i++) ids.push(await executor.tasks.workerId())
    assert.equal(new Set(ids).size, 1)
    touch(path('release'))
    await blocked
  })

  test('goes where a function says, unless there is a key', async () => {
    const balance = (workers, { name, args }) => {
      if (args[0] === 'throw') throw new RangeError('no worker for this')
      return args[0] ?? (name === 'workerId' && workers.length)
    }
    const executor = make('routed.js', { balance })
    const [first, second] = await Promise.all([executor.tasks.workerId(0), executor.tasks.workerId(1)])
    assert.notEqual(first, second)
    assert.deepEqual(await many(9, (i) => executor.tasks.workerId(i % 2)), [first, second, first, second, first, second, first, second, first]) // prettier-ignore
    const keyed = await many(9, (i) => executor.run('workerId', [i % 2], { key: 'one' }))
    assert.equal(new Set(keyed).size, 1)
    assert.equal((await rejection(executor.tasks.workerId())).code, 'TW_ERR_INVALID_CALL')
    assert.match((await rejection(executor.tasks.workerId('throw'))).message, /no worker for this/)
  })

  test('shows its function the loads and nothing else', async () => {
    let seen
    const balance = (workers) => {
      seen = workers
      return 0
    }
    await make('routed.js', { balance }).tasks.workerId()
    assert.deepEqual(seen.map((load) => Object.keys(load)), [['open'], ['open']]) // prettier-ignore
    assert.throws(() => seen.reverse(), TypeError)
  })

  test('lets a call wait for its worker, counts it, and finishes it before it closes', async (t) => {
    const path = testFolder(t)
    const executor = make('routed.js', { balance: 'round-robin' })
    await executor.ready
    assert.equal(executor.stats().size, 2)
    const blocked = executor.tasks.blockUntil(path('started'), path('release'))
    await fileExists(path('started'))
    const ids = many(6, () => executor.tasks.workerId())
    const closed = executor.close()
    touch(path('release'))
    assert.equal(await blocked, 'released')
    assert.deepEqual(counts(await ids), [3, 3])
    await closed
    const { queued, running, completed, size } = executor.stats()
    assert.deepEqual({ queued, running, completed, size }, { queued: 0, running: 0, completed: 7, size: 0 })
    assert.equal((await rejection(executor.tasks.workerId())).code, 'TW_ERR_CLOSED')
  })

  test('replaces a worker, and only its call is lost', async () => {
    const executor = make('routed.js', { balance: 'round-robin' })
    const before = await many(2, () => executor.tasks.workerId())
    const lost = rejection(executor.tasks.exit())
    const after = await many(9, () => executor.tasks.workerId())
    assert.equal((await lost).code, 'TW_ERR_WORKER_EXITED')
    assert.equal(new Set([...before, ...after]).size, 3)
  })

  test('can be destroyed while calls wait', async () => {
    const executor = make('routed.js', { balance: 'least-busy' })
    const calls = Array.from({ length: 20 }, () => rejection(executor.tasks.workerId()))
    await executor.destroy(new Error('enough'))
    for (const call of calls) assert.equal((await call).code, 'TW_ERR_DESTROYED')
  })

  test('says when its workers do not start', async () => {
    const executor = make('load-throws.js', { balance: 'round-robin' })
    assert.equal((await rejection(executor.ready)).code, 'TW_ERR_START_FAILED')
    assert.equal((await rejection(executor.run('add', [1, 2]))).code, 'TW_ERR_START_FAILED')
  })

  test('knows its rule, or says so', () => {
    for (const balance of ['fastest', 1, null, ['random'], Object.create(null)])
      assert.throws(() => make('routed.js', { balance }), {
        code: 'TW_ERR_INVALID_OPTION',
        message: /one of shared, round-robin, /,
      })
  })
})

describeExecutors('calls that wait on promises', (make, { isPool, isOnQueue, kind }) => {
  if (!isPool || isOnQueue) return

  test('go one to each worker, as long as one has nothing to do: each may need the other', async (t) => {
    const path = testFolder(t)
    const executor = make('barrier.js', { size: 2 })
    await executor.ready
    for (let round = 0; round < 30; round++) {
      const [a, b] = [path(`${round}.a`), path(`${round}.b`)]
      const calls = [
        [a, b],
        [b, a],
      ]
      const way = [
        () => Promise.all(calls.map((args) => executor.run('meet', args))),
        () => Promise.all(calls.map((args) => executor.run('meet', args, { timeout: 60_000 }))),
        () => Promise.all(calls.map((args) => executor.tasks.meet(...args))),
      ][round % 3]
      const workers = await way()
      assert.equal(new Set(workers).size, 2, `round ${round}`)
    }
  })

  test('go one to each worker also right after calls that came by message, and in a pool that is just ready', async (t) => {
    const path = testFolder(t)
    const meet = async (executor, round) => {
      const [a, b] = [path(`${round}.a`), path(`${round}.b`)]
      const workers = await Promise.all([executor.run('meet', [a, b]), executor.run('meet', [b, a])])
      assert.equal(new Set(workers).size, 2, round)
    }
    const executor = make('barrier.js', { size: 2 })
    await executor.ready
    const byMessage = () => executor.run('workerId', [], { transfer: [new ArrayBuffer(8)] })
    for (let round = 0; round < 30; round++) {
      await Promise.all([byMessage(), byMessage()])
      await meet(executor, `after messages ${round}`)
    }
    for (let round = 0; round < 5; round++) {
      const fresh = make('barrier.js', { size: 2 })
      await fresh.ready
      await meet(fresh, `fresh ${round}`)
    }
  })

  test('overlap beyond that: many more of them wait at a time than there are workers', async (t) => {
    if (kind === 'web') return t.skip('a worker of a page runs one call at a time that waits')
    const path = testFolder(t)
    const executor = make('barrier.js', { size: 2 })
    const names = Array.from({ length: 40 }, (_, i) => path(`${i}`))
    const calls = names.map((name) => executor.run('waitUntil', [name, path('release')]))
    for (const name of names) await fileExists(name)
    touch(path('release'))
    assert.equal((await Promise.all(calls)).length, 40)
  })
})
