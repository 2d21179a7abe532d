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
