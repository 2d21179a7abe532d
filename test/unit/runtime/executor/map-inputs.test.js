// map on top of run: how many calls are open, in which order inputs and results come, and where it stops.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mapInputs } from '../../../../build/runtime/executor/map-inputs.js'
import { nextTurn } from '../../../helpers/waiting.js'

/** Calls that the test settles: open[i].resolve(value), open[i].reject(reason). */
function controlled() {
  const started = []
  const open = []
  const call = (input) => {
    started.push(input)
    return new Promise((resolve, reject) => open.push({ resolve, reject }))
  }
  return { call, started, open }
}

/** An iterable that notes how far it was read, and whether it was told that no more is wanted. */
function watched(values) {
  const seen = { read: 0, returned: 0 }
  const iterator = {
    next: () => (seen.read < values.length ? { value: values[seen.read++], done: false } : { done: true }),
    return() {
      seen.returned++
      return { done: true }
    },
  }
  return {
    seen,
    sync: { [Symbol.iterator]: () => iterator },
    async: { [Symbol.asyncIterator]: () => iterator },
  }
}

describe('results', () => {
  test('stand in the order of the inputs, in whatever order the calls settle', async () => {
    const { call, open } = controlled()
    const mapped = mapInputs(['a', 'b', 'c'], { limit: 10, call })
    await nextTurn()
    for (const [i, value] of [[2, 'C'], [0, 'A'], [1, 'B']]) open[i].resolve(value) // prettier-ignore
    assert.deepEqual(await mapped, ['A', 'B', 'C'])
  })

  test('of no inputs are an empty list', async () => {
    assert.deepEqual(await mapInputs([], { limit: 1, call: assert.fail }), [])
    assert.deepEqual(await mapInputs(watched([]).async, { limit: 1, call: assert.fail }), [])
  })

  test('undefined is an input and a result like others', async () => {
    assert.deepEqual(await mapInputs([undefined, null], { limit: 1, call: async (input) => input }), [
      undefined,
      null,
    ])
  })

  test('each input is called once, whatever the limit and the kind of iterable', async () => {
    const values = Array.from({ length: 50 }, (_, i) => i)
    for (const limit of [1, 2, 7, 49, 50, 51, Infinity]) {
      for (const kind of ['sync', 'async']) {
        const seen = []
        const double = async (n) => {
          seen.push(n)
          if (n % 3 === 0) await nextTurn()
          return n * 2
        }
        const results = await mapInputs(watched(values)[kind], { limit, call: double })
        assert.deepEqual(results, values.map((n) => n * 2)) // prettier-ignore
        assert.deepEqual(seen, values)
      }
    }
  })

  test('an array of promises is an array of inputs: they are not awaited', async () => {
    const promise = Promise.resolve(1)
    const results = await mapInputs([promise], {
      limit: 1,
      call: async (input) => ({ isPromise: input === promise }),
    })
    assert.deepEqual(results, [{ isPromise: true }])
  })
})

for (const kind of ['sync', 'async']) {
  describe(`${kind === 'sync' ? 'an iterable' : 'an async iterable'} of inputs`, () => {
    test('is read no further than there are calls open, plus one', async () => {
      const { call, open, started } = controlled()
      const inputs = watched([...'abcdef'])
      const mapped = mapInputs(inputs[kind], { limit: 2, call })
      await nextTurn()
      assert.deepEqual(started, ['a', 'b'])
      assert.ok(inputs.seen.read <= 3)
      open[1].resolve()
      await nextTurn()
      assert.deepEqual(started, ['a', 'b', 'c'])
      for (let i = 0; i < 6; i++) {
        open[i].resolve(i)
        await nextTurn()
      }
      assert.equal((await mapped).length, 6)
    })

    test('is told to stop at the first error, and no later call starts', async () => {
      const { call, open, started } = controlled()
      const inputs = watched([...'abcdef'])
      const mapped = mapInputs(inputs[kind], { limit: 2, call })
      mapped.catch(() => {})
      await nextTurn()
      const reason = new Error('first')
      open[0].reject(reason)
      open[1].reject(new Error('second'))
      await assert.rejects(mapped, (error) => error === reason)
      await nextTurn()
      assert.deepEqual(started, ['a', 'b'])
      assert.equal(inputs.seen.returned, 1)
    })

    test('that is read to its end is not told to stop', async () => {
      const inputs = watched([1, 2, 3])
      await mapInputs(inputs[kind], { limit: 1, call: async (input) => input })
      assert.equal(inputs.seen.returned, 0)
    })

    test('that throws rejects the map, once its reading has begun', async () => {
      const inputs = watched([1])
      inputs[kind][kind === 'sync' ? Symbol.iterator : Symbol.asyncIterator]().next = () => {
        throw new RangeError('cannot read')
      }
      await assert.rejects(mapInputs(inputs[kind], { limit: 1, call: assert.fail }), { name: 'RangeError' })
    })
  })
}

describe('errors', () => {
  test('the last call may be the one that fails', async () => {
    const call = async (n) => {
      if (n === 3) throw new Error('three')
      return n
    }
    await assert.rejects(mapInputs([1, 2, 3], { limit: 1, call }), { message: 'three' })
  })

  test('reject at once, while other calls are still open', async () => {
    const { call, open } = controlled()
    const mapped = mapInputs([1, 2, 3], { limit: 10, call })
    mapped.catch(() => {})
    await nextTurn()
    open[2].reject('now')
    await assert.rejects(mapped, (error) => error === 'now')
    open[0].reject('nobody hears this') // an unhandled rejection would fail this test
    open[1].resolve()
    await nextTurn()
  })

  test('undefined is a reason to reject', async () => {
    const outcome = await mapInputs([1], { limit: 1, call: () => Promise.reject(undefined) }).then(
      () => 'resolved',
      (reason) => ({ reason }),
    )
    assert.deepEqual(outcome, { reason: undefined })
  })
  test('reject at once, while the source of the inputs has nothing to give', async () => {
    async function* waits() {
      yield 1
      await new Promise(() => {})
    }
    let reason
    mapInputs(waits(), { limit: 10, call: () => Promise.reject('failed') }).catch((error) => (reason = error))
    for (let i = 0; i < 5; i++) await nextTurn()
    assert.equal(reason, 'failed')
  })
})
