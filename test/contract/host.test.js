// Functions of the program that tasks call: the option host, and task.host.
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { task } from 'threadwise/task'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { numbers } from '../helpers/many.js'
import { nextTurn, waitUntil } from '../helpers/waiting.js'

describeExecutors('functions of the program', (make, { kind, isPool }) => {
  const options = kind === 'adaptive' ? { maxBlock: 0 } : {}

  test('give their results and promises to the task', async () => {
    const asked = []
    const host = {
      lookUp: async (key) => (asked.push(key), `value of ${key}`),
      add: (a, b) => a + b,
      nothing() {},
    }
    const executor = make('calls-host.js', { host, ...options })
    assert.equal(await executor.tasks.ask('lookUp', 'a'), 'value of a')
    assert.equal(await executor.tasks.ask('add', 1, 2), 3)
    assert.equal(await executor.tasks.ask('nothing'), undefined)
    assert.deepEqual(await executor.tasks.askTwice('add', 2), [NaN, NaN])
    const many = await Promise.all(numbers(200).map((i) => executor.tasks.ask('lookUp', i)))
    assert.deepEqual(
      many,
      numbers(200).map((i) => `value of ${i}`),
    )
    assert.equal(asked.length, 201)
    assert.equal(executor.stats().failed, 0)
  })

  test('take and give whole values', async () => {
    const when = new Date(0)
    const host = { echo: (value) => value, map: () => new Map([[when, [1n]]]) }
    const executor = make('calls-host.js', { host, ...options })
    assert.deepEqual(await executor.tasks.ask('echo', { when, bytes: Buffer.from('abc') }), {
      when,
      bytes: Buffer.from('abc'),
    })
    assert.deepEqual(await executor.tasks.kindOf('map'), [true, 'Map'])
  })

  test('throw whole errors in the task', async () => {
    const host = {
      fails() {
        const error = new TypeError('no such key', { cause: 'the reason' })
        throw Object.assign(error, { code: 'E_KEY' })
      },
      rejects: () => Promise.reject(new RangeError('late')),
    }
    const executor = make('calls-host.js', { host, ...options })
    assert.deepEqual(await executor.tasks.catches('fails'), {
      ...{ isError: true, message: 'no such key', code: 'E_KEY', cause: 'the reason' },
    })
    const error = await rejection(executor.tasks.ask('rejects'))
    assert.ok(error instanceof RangeError)
    assert.equal(error.message, 'late')
  })

  test('run in the contexts of the caller, also those that the task does not wait for', async () => {
    const storage = new AsyncLocalStorage()
    const seen = []
    const host = {
      note: (user) => seen.push([user, storage.getStore()]),
      async noteLater(user) {
        await nextTurn()
        seen.push([user, storage.getStore()])
      },
    }
    const executor = make('calls-host.js', { host, ...options })
    await executor.ready
    const calls = [
      ...['ask', 'tell', 'tellAtOnce'].flatMap((task) => [
        (user) => executor.run(task, ['note', user]),
        (user) => executor.run(task, ['noteLater', user], { timeout: 60_000 }),
      ]),
      (user) => executor.map('forksAsk', [['note', user]]),
    ]
    await Promise.all(numbers(20).flatMap((user) => calls.map((call) => storage.run(user, () => call(user)))))
    await waitUntil(() => seen.length === 20 * calls.length)
    for (const [user, own] of seen) assert.equal(own, user)
  })

  test('one that there is not is refused with those that there are', async () => {
    const executor = make('calls-host.js', { host: { log() {}, lookUp() {} }, ...options })
    for (const name of ['lookup', 'toString', '__proto__']) {
      const error = await rejection(executor.tasks.ask(name))
      assert.equal(error.code, 'TW_ERR_INVALID_CALL')
      assert.match(error.message, /there are log, lookUp/)
    }
    assert.match((await rejection(make('calls-host.js', options).tasks.ask('log'))).message, /has none/)
    assert.equal(await executor.tasks.isPromise(), true)
  })

  test('end with the call: the task has the reason, the function its signal', async () => {
    let started
    const hasStarted = new Promise((resolve) => (started = resolve))
    let isAborted = false
    const host = {
      wait() {
        task.signal.addEventListener('abort', () => (isAborted = true))
        started()
        return new Promise(() => {})
      },
    }
    const executor = make('calls-host.js', { host, ...options })
    const controller = new AbortController()
    const call = rejection(executor.run('ask', ['wait'], { signal: controller.signal }))
    await hasStarted
    controller.abort(new Error('no longer needed'))
    assert.equal((await call).message, 'no longer needed')
    await waitUntil(() => isAborted)
  })

  test('what cannot travel is refused with its place', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    const host = { echo: (value) => value, giveFunction: () => ({ user: { save() {} } }) }
    const executor = make('calls-host.js', { host, ...options })
    const sent = await rejection(executor.tasks.askWithFunction())
    assert.equal(sent.code, 'TW_ERR_NOT_CLONEABLE')
    assert.match(sent.message, /host\.echo.*args\[0\]\.user\.save is a function/)
    const given = await rejection(executor.tasks.ask('giveFunction'))
    assert.equal(given.code, 'TW_ERR_NOT_CLONEABLE')
    assert.match(given.message, /result\.user\.save is a function/)
  })

  test('a function learns that the worker has died', async (t) => {
    if (!isPool) return t.skip('no worker to lose')
    let isAborted = false
    const host = {
      wait() {
        task.signal.addEventListener('abort', () => (isAborted = true))
        return new Promise(() => {})
      },
    }
    const executor = make('calls-host.js', { host, ...options })
    assert.equal((await rejection(executor.tasks.askAndExit('wait'))).code, 'TW_ERR_WORKER_EXITED')
    await waitUntil(() => isAborted)
  })

  test('only functions are taken', () => {
    for (const host of [7, { log: 'text' }, { then() {} }])
      assert.throws(() => make('calls-host.js', { host }), { code: 'TW_ERR_INVALID_OPTION', message: /host/ })
  })
})

test('outside of a call there is none', async () => {
  assert.equal((await rejection(task.host.log())).code, 'TW_ERR_INVALID_CALL')
})

describeExecutors(
  'a function of the program that uses the pool of the task that waits for it',
  (make, { kind, isPool, isOnQueue }) => {
    if (isOnQueue) return
    const limits = [
      {},
      { maxQueue: 0, whenFull: 'wait' },
      { maxQueue: 1, whenFull: 'wait' },
      { concurrency: 1 },
      ...(isPool ? [{ tasksPerWorker: 1 }, { balance: 'round-robin', tasksPerWorker: 1 }] : []),
    ]
    for (const limit of limits)
      test(`is not held back by the calls that wait for it: ${JSON.stringify(limit)}`, async () => {
        const size = isPool && kind !== 'adaptive' ? { size: 1 } : {}
        const own = kind === 'adaptive' ? { size: 1, maxBlock: 0 } : size
        const host = {
          next: (n) => executor.run('askTwiceAfter', ['last', n]),
          async last(n) {
            await nextTurn()
            const [one, two] = await executor.map('echo', [n, n + 1])
            return one + two + (await executor.tasks.echo(1))
          },
        }
        const executor = make('calls-host.js', { host, ...own, ...limit })
        const calls = [1, 2, 3].map((n) => executor.run('ask', ['next', n]))
        assert.deepEqual(await Promise.all(calls), [8, 12, 16])
        assert.equal(executor.stats().failed, 0)
      })

    test('is held back as any other when it has answered', async (t) => {
      if (!isPool || kind === 'adaptive') return t.skip('limits are those of a pool')
      let late
      const host = {
        leave() {
          late = new Promise((resolve) =>
            setTimeout(() => resolve(executor.run('echo', [1]).catch(({ code }) => code)), 20),
          )
        },
      }
      const executor = make('calls-host.js', { size: 1, tasksPerWorker: 1, maxQueue: 0, host })
      await executor.run('ask', ['leave'])
      const holds = executor.run('never', [], { signal: AbortSignal.timeout(60) }).catch(() => {})
      assert.equal(await late, 'TW_ERR_QUEUE_FULL')
      await holds
    })
  },
)
