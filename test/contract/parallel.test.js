// map, filter, reduce and mapReduce: what the algorithms of Array give, on every executor.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filter, map, mapReduce, reduce } from 'threadwise/parallel'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { numbers } from '../helpers/many.js'

const isCode = (code) => (error) => error.code === code
const SIZES = [0, 1, 2, 3, 7, 64, 501]

describeExecutors('parallel', (make, { isPool, kind }) => {
  const pool = make('parallel.js')

  test('rejects with the error of the task, though return() of the source throws', async () => {
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: 1 }),
        return: () => assert.fail('from return'),
      }),
    }
    const error = await rejection(map(pool, 'noSuchTask', source))
    assert.equal(error.code, 'TW_ERR_TASK_NOT_FOUND')
  })

  for (const length of SIZES) {
    test(`${length} items`, async () => {
      const list = numbers(length)
      for (const options of [{}, { chunk: 1 }, { chunk: 3 }, { chunk: 5000, concurrency: 1 }]) {
        for (const task of ['double', 'doubleLater'])
          assert.deepEqual(await map(pool, task, list, options), list.map((n) => n * 2)) // prettier-ignore
        for (const task of ['isEven', 'isEvenLater'])
          assert.deepEqual(await filter(pool, task, list, options), list.filter((n) => n % 2 === 0)) // prettier-ignore
        const text = list.map((n) => ` ${n}`)
        assert.equal(await reduce(pool, 'join', text, { ...options, initial: '>' }), text.reduce((a, b) => a + b, '>')) // prettier-ignore
        if (length > 0) assert.equal(await reduce(pool, 'addLater', list, options), list.reduce((a, b) => a + b)) // prettier-ignore
        const steps = { map: 'echo', reduce: 'join', inputs: text, initial: '>' }
        assert.equal(
          await mapReduce(pool, steps, options),
          text.reduce((a, b) => a + b, '>'),
        )
        const late = { map: 'doubleLater', reduce: 'addLater', inputs: list, initial: 0 }
        assert.equal(
          await mapReduce(pool, late, options),
          list.reduce((a, b) => a + 2 * b, 0),
        )
      }
    })
  }

  test('random sizes and chunks', async () => {
    for (let round = 0; round < 12; round++) {
      const list = numbers(Math.floor(Math.random() ** 3 * 4000))
      const chunk = Math.random() < 0.5 ? undefined : 1 + Math.floor(Math.random() * 40)
      const concurrency = Math.random() < 0.5 ? undefined : 1 + Math.floor(Math.random() * 5)
      const options = { chunk, concurrency }
      const what = JSON.stringify({ length: list.length, ...options })
      assert.deepEqual(await map(pool, 'double', list, options), list.map((n) => n * 2), what) // prettier-ignore
      assert.deepEqual(await filter(pool, 'isEven', list, options), list.filter((n) => n % 2 === 0), what) // prettier-ignore
      const text = list.map(String)
      assert.equal(await reduce(pool, 'join', text, { ...options, initial: '' }), text.join(''), what)
    }
  })

  test('results that are ready come first, all of them once', async () => {
    for (const options of [{}, { chunk: 7 }, { concurrency: 2 }]) {
      const results = []
      for await (const result of map(pool, 'double', numbers(500), { ...options, ordered: false }))
        results.push(result)
      assert.deepEqual(results.sort((a, b) => a - b), numbers(500).map((n) => n * 2)) // prettier-ignore
    }
  })

  test('iterables, endless and asynchronous ones too', async () => {
    let ended = 0
    function* endless() {
      try {
        for (let n = 0; ; n++) yield n
      } finally {
        ended++
      }
    }
    async function* later() {
      for (let n = 0; n < 20; n++) yield n
    }
    for await (const result of map(pool, 'double', endless(), { ordered: false })) if (result > 100) break
    assert.equal(ended, 1)
    assert.deepEqual(await map(pool, 'double', later()), numbers(20).map((n) => n * 2)) // prettier-ignore
    assert.deepEqual(await map(pool, 'double', new Set([1, 2])), [2, 4])
    assert.equal(await reduce(pool, 'add', new Set([1, 2, 3])), 6)
    assert.deepEqual(await filter(pool, 'isEven', new Set([1, 2, 4])), [2, 4])
  })

  test('fails when the iterator of the items is none', async () => {
    for (const result of [undefined, 5]) {
      const next = () => result
      for (const how of [Symbol.iterator, Symbol.asyncIterator])
        await assert.rejects(map(pool, 'double', { [how]: () => ({ next }) }), /^TypeError: Iterator result .* is not an object$/) // prettier-ignore
    }
  })

  test('typed arrays, on shared memory too', async () => {
    const plain = Float64Array.from({ length: 3000 }, (_, i) => i)
    assert.deepEqual(await map(pool, 'double', plain), numbers(3000).map((n) => n * 2)) // prettier-ignore
    assert.equal(await reduce(pool, 'add', plain), 4_498_500)
    if (kind === 'processes') return
    const shared = new Float64Array(new SharedArrayBuffer(8 * 3000))
    shared.set(plain)
    assert.equal(await reduce(pool, 'add', shared), 4_498_500)
    assert.deepEqual(await filter(pool, 'isEven', shared.subarray(10, 20)), [10, 12, 14, 16, 18])
  })

  test('filter gives the items themselves', async () => {
    const items = numbers(50).map((n) => ({ n }))
    const kept = await filter(pool, 'echo', items)
    assert.ok(kept.length === 50 && kept.every((item, i) => item === items[i]))
  })

  test('mapReduce merges objects', async () => {
    const inputs = numbers(200).map((n) => `a b${n % 3} a`)
    const counts = await mapReduce(pool, { map: 'countWords', reduce: 'addCounts', inputs })
    assert.deepEqual(counts, { a: 400, b0: 67, b1: 67, b2: 66 })
  })

  test('an empty list without initial is an error that says so', async () => {
    for (const promise of [
      reduce(pool, 'add', []),
      mapReduce(pool, { map: 'double', reduce: 'add', inputs: [] }),
    ]) {
      const error = await rejection(promise)
      assert.equal(error.code, 'TW_ERR_INVALID_CALL')
      assert.match(error.message, /at least one item, or \{ initial \}/)
    }
    assert.equal(await reduce(pool, 'add', [], { initial: undefined }), undefined)
  })

  test('the first error ends it', async () => {
    const own = make('parallel.js')
    const error = await rejection(map(own, 'failAt', numbers(100_000), { chunk: 10 }))
    assert.ok(error instanceof RangeError && error.message === 'no 700')
    const sofar = (await own.broadcast('callsSoFar')).reduce((a, b) => a + b)
    assert.ok(sofar < 5000, `${sofar} calls were made`)
    const { queued, running } = own.stats()
    assert.deepEqual({ queued, running }, { queued: 0, running: 0 })
    assert.equal((await rejection(reduce(own, 'failOn', numbers(50)))).message, 'no 5')
    const left = map(own, 'failAt', numbers(2000), { ordered: false })
    await assert.rejects(async () => {
      for await (const result of left) assert.ok(result >= 0)
    }, RangeError)
  })

  test('a source that throws ends it with its error', async () => {
    function* broken() {
      yield 1
      throw new RangeError('no more')
    }
    await assert.rejects(map(pool, 'double', broken()), { message: 'no more' })
  })

  test('an abort ends it, also while nothing happens', async () => {
    const reason = new Error('enough')
    assert.equal(await rejection(map(pool, 'double', [1], { signal: AbortSignal.abort(reason) })), reason)
    const own = make('parallel.js')
    const controller = new AbortController()
    const never = rejection(map(own, 'never', [1, 2], { signal: controller.signal }))
    async function* silent() {
      yield 1
      await new Promise(() => {})
    }
    const waiting = rejection(map(own, 'double', silent(), { signal: controller.signal }))
    setTimeout(() => controller.abort(reason), 50)
    assert.equal(await never, reason)
    assert.equal(await waiting, reason)
    for (const call of [
      filter(own, 'isEven', [1], { signal: controller.signal }),
      reduce(own, 'add', [1, 2], { signal: controller.signal }),
    ])
      // prettier-ignore
      assert.equal(await rejection(call), reason)
  })

  test('a queue with bounds is waited for', async () => {
    const own = make('parallel.js', { maxQueue: 0, whenFull: 'reject' })
    assert.deepEqual(await map(own, 'double', numbers(300), { chunk: 2 }), numbers(300).map((n) => n * 2)) // prettier-ignore
    assert.equal(await reduce(own, 'add', numbers(300), { chunk: 2 }), 44_850)
  })

  test('a worker that dies rejects with the name of the task', async (t) => {
    if (!isPool) return t.skip('no worker to lose')
    const own = make('parallel.js')
    const error = await rejection(map(own, 'exit', numbers(10)))
    assert.equal(error.code, 'TW_ERR_WORKER_EXITED')
    assert.match(error.message, /"exit"/)
  })

  test('wrong calls are told at once', async () => {
    const isCall = isCode('TW_ERR_INVALID_CALL')
    const isOption = isCode('TW_ERR_INVALID_OPTION')
    await assert.rejects(map(pool, 'missing', [1]), isCode('TW_ERR_TASK_NOT_FOUND'))
    await assert.rejects(pool.run('threadwise:nothing', []), isCode('TW_ERR_TASK_NOT_FOUND'))
    for (const call of [map, filter, reduce]) {
      await assert.rejects(call(undefined, 'double', []), isCall)
      await assert.rejects(call(pool, 7, []), isCall)
      await assert.rejects(call(pool, 'double', 7), isCall)
      await assert.rejects(call(pool, 'double', [], { chunk: 0 }), isOption)
      await assert.rejects(call(pool, 'double', [], { concurrency: 1.5 }), isOption)
      await assert.rejects(call(pool, 'double', [], { signal: 1 }), isOption)
      await assert.rejects(call(pool, 'double', [], null), isOption)
    }
    await assert.rejects(mapReduce(pool, null), isCall)
    await assert.rejects(mapReduce(pool, { map: 'double', inputs: [] }), isCall)
    assert.throws(() => map(pool, 'double', 7, { ordered: false }), isCall)
    await assert.rejects(map(pool, 'double', [], { ordered: 1 }), isOption)
  })
})
