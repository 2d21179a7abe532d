// Any AsyncLocalStorage of the program, and the context of OpenTelemetry, are the caller's in each callback that runs for a call: whichever
// executor, however long the call waits, whoever's event settles it. And what a task leaves in a storage reaches no other call.
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { context, createContextKey } from '@opentelemetry/api'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { map } from 'threadwise/parallel'
import { caller } from '../fixtures/classes/stores.js'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { testFolder, touch } from '../helpers/files.js'
import { numbers } from '../helpers/many.js'
import { waitUntil } from '../helpers/waiting.js'

new NodeTracerProvider().register()
const USER = createContextKey('user')

/** Runs the callback for a user, of whom both a storage and OpenTelemetry know. */
const as = (user, callback) =>
  caller.run(user, () => context.with(context.active().setValue(USER, user), callback))

/** The user for whom this runs; fails where the two differ. */
function user() {
  const own = caller.getStore()
  assert.equal(context.active().getValue(USER), own)
  return own
}

const USERS = numbers(12).map((i) => `user${i}`)
/** Calls of all users at once. */
const forAll = (call) => Promise.all(USERS.map((name) => as(name, () => call(name))))

function listen(t, event) {
  const users = []
  const note = ({ task, executor }) => users.push({ task, executor, user: user() })
  subscribe(`threadwise:${event}`, note)
  t.after(() => unsubscribe(`threadwise:${event}`, note))
  return users
}

const POLICIES = {
  'one place': {},
  'a full queue, wait': { maxQueue: 1, whenFull: 'wait' },
  'a full queue, caller-runs': { maxQueue: 1, whenFull: 'caller-runs' },
}
const narrow = { size: 1, tasksPerWorker: 1, concurrency: 1 }

describeExecutors('stores', (make, { kind, isPool }) => {
  /** What a task sees that runs in the caller's thread, or in a worker. */
  const check = (seen, name) =>
    assert.ok(seen === name || (isPool && seen === undefined), `${seen}, not ${name}`)

  for (const [policy, options] of Object.entries(POLICIES)) {
    test(`each callback is in those of its caller (${policy})`, async () => {
      const executor = make('stores.js', { ...narrow, ...options })
      for (const moment of ['before the module has loaded', 'after']) {
        await forAll(async (name) => {
          const told = []
          const onProgress = (value) => told.push([value, user()])
          const calls = [
            executor.tasks.seen().then((seen) => (check(seen, name), user())),
            executor
              .run('seenLater', [2])
              .then((seen) => (seen.forEach((each) => check(each, name)), user())),
            executor.run('report', [3], { onProgress }).then(user),
            executor.run('seen', [], { priority: 3 }).then((seen) => (check(seen, name), user())),
            executor.run('seen', [], { timeout: 30_000 }).then((seen) => (check(seen, name), user())),
            executor.run('missing').catch(user),
          ]
          assert.deepEqual(await Promise.all(calls), new Array(calls.length).fill(name), moment)
          assert.deepEqual(told, numbers(3).map((i) => [i, name])) // prettier-ignore
          assert.equal(user(), name)
        })
      }
    })
  }

  test('the items of a stream are drawn in those of whoever has asked for it, whoever reads them', async () => {
    const executor = make('stores.js', { concurrency: USERS.length })
    for (const task of ['items', 'syncItems']) {
      const streams = await forAll(async () => executor.stream(task, [6]))
      await as('reader', async () => {
        for (let round = 0; round < 6; round++)
          for (const [i, stream] of streams.entries()) {
            const { value } = await stream.next()
            assert.equal(value, isPool ? undefined : USERS[i], task)
            assert.equal(user(), 'reader')
          }
        for (const stream of streams) assert.equal((await stream.next()).done, true)
      })
    }
    await forAll(async (name) => {
      for await (const item of executor.stream('items', [3]))
        assert.deepEqual([item, user()], [isPool ? undefined : name, name])
    })
  })

  test('a listener of task.signal is in those of the caller, whoever aborts', { skip: isPool }, async () => {
    const executor = make('stores.js', { tasksPerWorker: 4 })
    await as('mine', async () => {
      const controller = new AbortController()
      const onProgress = () => as('other', () => controller.abort())
      await rejection(executor.run('seenByListener', [], { signal: controller.signal, onProgress }))
    })
    let last
    await waitUntil(async () => (last = await executor.tasks.lastSeenByListener()))
    assert.equal(last.seen, 'mine')
  })

  test('the inputs of map are drawn in those of its caller', async () => {
    const executor = make('stores.js')
    await forAll(async (name) => {
      const drawn = []
      function* inputs() {
        for (let i = 0; i < 150; i++) {
          drawn.push(user())
          yield i
        }
      }
      async function* inputsLater() {
        for (const i of inputs()) yield await i
      }
      for (const source of [inputs, inputsLater]) {
        for (const seen of await executor.map('seen', source())) check(seen, name)
        for (const seen of await map(executor, 'seen', source())) check(seen, name)
        assert.equal(user(), name)
      }
      assert.deepEqual(new Set(drawn), new Set([name]))
    })
  })

  test('events of a call are told in those of its caller, and so are those of the calls that it forks', async (t) => {
    const executor = make('stores.js', { name: `events of ${kind}` })
    await executor.ready
    const [accepted, settled] = [listen(t, 'call:accepted'), listen(t, 'call:settled')]
    const own = (events) => events.filter(({ executor: name }) => name === `events of ${kind}`)
    await forAll(() =>
      Promise.all([
        executor.tasks.forkSeen(),
        executor.run('seenLater'),
        executor.run('missing').catch(() => {}),
      ]),
    )
    for (const events of [own(accepted), own(settled)]) {
      assert.equal(events.length, 4 * USERS.length)
      for (const task of ['forkSeen', 'seen', 'seenLater', 'missing'])
        assert.deepEqual(events.filter((event) => event.task === task).map((event) => event.user).sort(), [...USERS].sort(), task) // prettier-ignore
    }
  })

  for (const whenFull of ['reject', 'wait', 'discard', 'discard-oldest', 'caller-runs'])
    for (const maxQueue of ['wait', 'caller-runs'].includes(whenFull) ? [0, 100] : [100])
      test(
        `a call that waits too long settles, and is told of, in those of its caller (${whenFull}, maxQueue ${maxQueue})`,
        { skip: kind === 'inline' },
        async (t) => {
          const name = `late of ${kind}`
          const executor = make('stores.js', { ...narrow, maxBlock: kind === 'adaptive' ? 0 : undefined, maxQueue, whenFull, name }) // prettier-ignore
          await executor.ready
          const [accepted, settled] = [listen(t, 'call:accepted'), listen(t, 'call:settled')]
          const path = testFolder(t)
          const inTheWay = as('first', () =>
            ['a', 'b'].map((file) => executor.run('waitUntil', [path(file), path('free')])),
          )
          await forAll(async (user1) => {
            const late = executor.run('seen', [], { queueTimeout: 5 })
            assert.equal(await late.then(assert.fail, (error) => `${error.code} ${user()}`), `TW_ERR_QUEUE_TIMEOUT ${user1}`) // prettier-ignore
          })
          const own = (events) => events.filter((each) => each.executor === name && each.task === 'seen')
          for (const events of [own(accepted), own(settled)])
            assert.deepEqual(events.map((event) => event.user).sort(), [...USERS].sort())
          touch(path('free'))
          await Promise.all(inTheWay)
        },
      )

  test('a warning of a slow call comes in those of its caller', async (t) => {
    const executor = make('stores.js', { tasksPerWorker: 100, concurrency: USERS.length })
    await executor.ready
    const users = []
    const note = ({ code }) => code === 'TW_WARN_SLOW_TASK' && users.push(user())
    process.on('warning', note)
    t.after(() => process.off('warning', note))
    const path = testFolder(t)
    const wait = (name) => executor.run('waitUntil', [path(name), path('free')], { warnAfter: 20 })
    const calls = USERS.map((name) => as(name, () => wait(name)))
    await waitUntil(() => users.length === USERS.length)
    touch(path('free'))
    assert.deepEqual(users.sort(), [...USERS].sort())
    await Promise.all(calls)
  })

  test(
    'a call that is tried again, or cancelled, settles in those of its caller',
    { skip: !isPool },
    async () => {
      const executor = make('stores.js', { size: 1, onWorkerExit: { retries: 1, backoff: 1 } })
      await forAll(async (name) => {
        const controller = new AbortController()
        const waiting = executor.run('waitForAbort', [], { signal: controller.signal, gracePeriod: 50 })
        const dying = name === USERS[3] ? executor.run('exit') : executor.run('seen', [], { key: name })
        setTimeout(() => as('nobody', () => controller.abort()), 20)
        assert.equal(await waiting.catch(user), name)
        assert.equal(await dying.then(user, user), name)
      })
    },
  )

  test('a rule chooses the worker in those of the caller', { skip: !isPool }, async () => {
    const users = []
    const balance = (workers) => (users.push(user()), users.length % workers.length)
    const executor = make('stores.js', { size: 2, balance, maxQueue: 1, whenFull: 'wait' })
    await forAll(() => Promise.all(numbers(3).map(() => executor.tasks.seenLater(1))))
    for (const name of USERS) assert.equal(users.filter((each) => each === name).length, 3, name)
  })

  test('a worker starts in none of its callers', { skip: !isPool }, async (t) => {
    const users = []
    const note = () => users.push(user())
    subscribe('threadwise:worker:up', note)
    t.after(() => unsubscribe('threadwise:worker:up', note))
    const executor = make('stores.js', {
      size: { min: 0, max: 2 },
      maxBlock: kind === 'adaptive' ? 0 : undefined,
    })
    await as('first', () => executor.tasks.burn(1))
    // One, or two: where the first one is slow to start, the call that waits asks for another.
    assert.deepEqual(new Set(users), new Set([undefined]))
  })

  test('what a task leaves in a storage reaches no other call', async (t) => {
    if (!isPool) return t.skip('a task is called in the context of its caller, as any function')
    const make1 = () => make('stores.js', { size: 1, maxBlock: kind === 'adaptive' ? 0 : undefined })
    const nothing = (count) => new Array(count).fill(null)
    let one = make1()
    assert.deepEqual(
      await Promise.all(numbers(50).map((i) => one.tasks[i % 2 ? 'leave' : 'leaveLater'](i))),
      nothing(50),
    )
    for (let i = 0; i < 100; i++) assert.equal(await one.tasks.leave(i), null)
    for (const inputs of [numbers(1000), numbers(50).map((i) => ({ i }))]) {
      one = make1()
      assert.deepEqual(await one.map('leave', inputs), nothing(inputs.length))
      assert.deepEqual(await map(one, 'leave', inputs), nothing(inputs.length))
      assert.deepEqual(await one.map('leaveLater', inputs.slice(0, 50)), nothing(Math.min(50, inputs.length)))
      one = make1()
      assert.deepEqual(
        await map(one, 'leaveLater', inputs.slice(0, 50)),
        nothing(Math.min(50, inputs.length)),
      )
    }
    one = make1()
    for (let i = 0; i < 3; i++) {
      const stream = one.stream('leaveInStream', [i])
      assert.equal((await stream.next()).value, null)
      assert.equal(await one.tasks.leave(i), null)
      await stream.return()
    }
    assert.deepEqual(await one.tasks.forkLeave(5), [null, null, null])
    assert.deepEqual(await one.run('leave', [1], { timeout: 5000, onProgress() {} }), null)
  })

  test('a task finds AsyncLocalStorage as it is elsewhere', async () => {
    const { enterWith } = AsyncLocalStorage.prototype
    const expected = [enterWith.name, enterWith.length, 'prototype' in enterWith, false, true, true]
    assert.deepEqual(await make('stores.js').tasks.enterWithLooks(), expected)
  })

  test('all of it at once', async () => {
    const executor = make('stores.js', { tasksPerWorker: 3, concurrency: 3, maxQueue: 5, whenFull: 'wait' })
    const random = (count) => Math.floor(Math.random() * count)
    const actions = [
      async (name) => check(await executor.tasks.seen(), name),
      async (name) => (await executor.run('seenLater', [random(4)])).forEach((seen) => check(seen, name)),
      async (name) => executor.run('report', [3], { onProgress: () => assert.equal(user(), name) }),
      async (name) => {
        for await (const item of executor.stream('items', [random(5)])) check(item, name)
      },
      async (name) => (await executor.map('seen', numbers(random(100)))).forEach((seen) => check(seen, name)),
      async (name) => check(await executor.tasks.forkSeen(), name),
      async () =>
        executor.run('seenLater', [10], { signal: AbortSignal.timeout(1 + random(10)) }).catch(() => {}),
      async () => executor.run('missing').catch(() => {}),
      // A call that adaptive makes in the caller's thread leaves it to the caller, as any function, who finds it in the next one.
      async () =>
        isPool
          ? assert.ok([null, ...(kind === 'adaptive' ? [1] : [])].includes(await executor.tasks.leave(1)))
          : undefined,
    ]
    await Promise.all(
      numbers(200).map((i) =>
        as(`user${i}`, async () => {
          for (let n = 0; n < 3; n++) {
            await actions[random(actions.length)](`user${i}`)
            assert.equal(user(), `user${i}`)
          }
        }),
      ),
    )
  })
})
