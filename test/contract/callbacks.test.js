// Functions of the program among the arguments of a call: callback(fn).
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { callback } from 'threadwise'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { numbers } from '../helpers/many.js'
import { nextTurn } from '../helpers/waiting.js'

describeExecutors('callbacks', (make, { isPool }) => {
  const executor = make('calls-back.js')

  test('give their results and promises to the task', async () => {
    const seen = []
    const tell = callback((n) => (seen.push(n), n % 2 ? 10 * n : Promise.resolve(10 * n)))
    assert.deepEqual(await executor.tasks.each([1, 2, 3], tell), [10, 20, 30])
    assert.deepEqual(
      await executor.run('together', [numbers(50), tell]),
      numbers(50).map((n) => 10 * n),
    )
    assert.deepEqual(seen, [1, 2, 3, ...numbers(50)])
    assert.deepEqual(
      await executor.tasks.both(
        callback((n) => n),
        callback((n) => -n),
      ),
      [1, -2],
    )
    assert.equal(await executor.tasks.kindOf(tell), 'function')
    assert.equal(await executor.tasks.echo(5), 5)
  })

  test('run in the contexts of the caller of each call that is given them', async () => {
    const storage = new AsyncLocalStorage()
    const tell = callback(async (value) => {
      await nextTurn()
      return [value, storage.getStore()]
    })
    const calls = numbers(30).map((n) => storage.run(`user ${n}`, () => executor.tasks.each([n, n], tell)))
    for (const [n, answers] of (await Promise.all(calls)).entries())
      assert.deepEqual(answers, [[n, `user ${n}`], [n, `user ${n}`]]) // prettier-ignore
  })

  test('of many calls at a time do not mix', async () => {
    const calls = numbers(60).map((n) =>
      executor.tasks.each(
        [1, 2],
        callback((value) => `${n}:${value}`),
      ),
    )
    assert.deepEqual(
      await Promise.all(calls),
      numbers(60).map((n) => [`${n}:1`, `${n}:2`]),
    )
  })

  test('take and give whole values, and throw whole errors in the task', async () => {
    const value = { when: new Date(0), list: new Map([[1, [2n]]]) }
    assert.deepEqual(
      await executor.tasks.each(
        [value],
        callback((own) => own),
      ),
      [value],
    )
    const fails = callback(() => {
      throw Object.assign(new RangeError('too far'), { code: 'E_FAR' })
    })
    assert.deepEqual(await executor.tasks.catches(fails), {
      isError: true,
      message: 'too far',
      code: 'E_FAR',
    })
    assert.equal((await rejection(executor.tasks.each([1], fails))).message, 'too far')
  })

  test('are released when their call ends, however it ends', async () => {
    const one = make('calls-back.js', { size: 1, maxBlock: 0 })
    assert.equal(await one.tasks.keep(callback(() => 'never')), 'kept')
    assert.equal((await rejection(one.tasks.callKept())).code, 'TW_ERR_INVALID_CALL')
    const controller = new AbortController()
    const started = Promise.withResolvers?.() ?? later()
    const tell = callback(started.resolve)
    const call = rejection(one.run('waitsFor', [tell], { signal: controller.signal }))
    await started.promise
    controller.abort('enough')
    assert.equal(await call, 'enough')
  })

  test('are refused as parts of arguments, and by map()', async (t) => {
    if (!isPool) return t.skip('in the own thread nothing is copied')
    for (const call of [
      executor.tasks.echo({ tell: callback(() => {}) }),
      executor.map('echo', [callback(() => {}), callback(() => {})]),
    ]) {
      const error = await rejection(call)
      assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
      assert.match(error.message, /callback\(\) is for an argument of run\(\)/)
    }
    assert.throws(() => callback(5), { code: 'TW_ERR_INVALID_OPTION' })
  })
})

function later() {
  let resolve
  const promise = new Promise((settle) => (resolve = settle))
  return { promise, resolve }
}

describeExecutors(
  'a callback, or a source of messages, that uses the pool of the task that waits for it',
  (make, { kind, isPool, isOnQueue }) => {
    if (isOnQueue) return
    const limits = [{}, { maxQueue: 1, whenFull: 'wait' }, { concurrency: 1 }]
    const size = !isPool ? {} : kind === 'adaptive' ? { size: 1, maxBlock: 0 } : { size: 1 }
    for (const limit of limits)
      test(`is not held back by the calls that wait for it: ${JSON.stringify(limit)}`, async () => {
        const tasks = make('calls-back.js', { ...size, ...limit })
        const ask = callback(async (n) => {
          await nextTurn()
          return (await tasks.run('echo', [n])) + 1
        })
        const calls = [1, 2, 3].map((n) => tasks.run('each', [[n, n], ask]))
        assert.deepEqual(await Promise.all(calls), [1, 2, 3].map((n) => [n + 1, n + 1])) // prettier-ignore
        const reads = make('reads-messages.js', { ...size, ...limit })
        const source = async function* () {
          yield await reads.run('sum', [1])
          yield await reads.run('sum', [2])
        }
        const sums = [1, 2].map((n) => reads.run('sum', [n], { messages: source() }))
        assert.deepEqual(await Promise.all(sums), [4, 5])
      })
  },
)
