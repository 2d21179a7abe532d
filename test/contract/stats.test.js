// stats(), inspect() and what else lets a program see inside an executor.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { prometheusText } from 'threadwise'
import { describeExecutors } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { numbers } from '../helpers/many.js'
import { nextTurn, waitUntil } from '../helpers/waiting.js'

/** What is published on `threadwise:NAME` until the test ends. */
function listen(t, name) {
  const messages = []
  const keep = (message) => messages.push(message)
  subscribe(`threadwise:${name}`, keep)
  t.after(() => unsubscribe(`threadwise:${name}`, keep))
  return messages
}

/** Warnings of slow tasks, until the test ends. */
function listenForWarnings(t) {
  const warnings = []
  const keep = (warning) => warning.code === 'TW_WARN_SLOW_TASK' && warnings.push(warning)
  process.on('warning', keep)
  t.after(() => process.off('warning', keep))
  return warnings
}

/** What inspect() gives once all answer: a worker that the machine holds up for a second is blocked, too. */
async function inspectAll(executor) {
  for (;;) {
    const inspected = await executor.inspect()
    if (inspected.workers.every(({ state }) => state !== 'blocked')) return inspected
  }
}

describeExecutors('seeing inside', (make, { kind, isPool }) => {
  test('accepted = completed + failed + cancelled + queued + running, at any time', async (t) => {
    const executor = make('watched.js', { maxQueue: 200, whenFull: 'reject' })
    await executor.ready
    let made = 0
    const check = () => {
      const { completed, failed, cancelled, queued, running, refused } = executor.stats()
      assert.equal(completed + failed + cancelled + queued + running, made - refused)
      assert.ok(queued >= 0 && running >= 0, `${queued} queued, ${running} running`)
    }
    const timer = setInterval(check, 1)
    t.after(() => clearInterval(timer))
    const calls = []
    for (let i = 0; i < 1500; i++) {
      const dice = Math.random()
      const options = dice < 0.1 ? { signal: AbortSignal.timeout(Math.round(5 * Math.random())) } : undefined
      const [name, arg] = dice < 0.4 ? ['fails', i] : dice < 0.6 ? ['sleep', 3 * dice] : ['same', i]
      made++
      calls.push(executor.run(name, [arg], options).then(check, check))
      check()
      if (i % 50 === 0) await nextTurn()
    }
    await Promise.all(calls)
    const { queued, running, completed, failed } = executor.stats()
    assert.deepEqual([queued, running], [0, 0])
    assert.ok(completed > 100 && failed > 10, `${completed} completed, ${failed} failed`)
  })

  test('stats() has a name, and tells how long calls waited and ran', async () => {
    const executor = make('watched.js', { name: 'measured' })
    const before = executor.stats()
    assert.equal(before.name, 'measured')
    assert.deepEqual(before.wait, { count: 0, timed: 0, mean: null, p50: null, p99: null, max: null })
    for (let i = 0; i < 5; i++) {
      await executor.run('burn', [20])
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const { wait, run } = executor.stats()
    assert.deepEqual([wait.count, run.count, run.timed], [5, 5, 5]) // calls that are rare are all timed
    assert.ok(run.p50 >= 19 && run.p50 <= run.p99 && run.p99 <= run.max, JSON.stringify(run))
    assert.ok(run.mean >= 20 && wait.p50 >= 0, JSON.stringify(wait))
  })

  test('tells the times of each function apart', async () => {
    const executor = make('watched.js')
    assert.deepEqual(executor.stats().tasks, [])
    for (const [name, arg] of [
      ['burn', 20],
      ['same', 1],
      ['burn', 20],
    ]) {
      // prettier-ignore
      await executor.run(name, [arg])
      await new Promise((resolve) => setTimeout(resolve, 5)) // so that calls are rare, and all of them timed
    }
    const { tasks } = executor.stats()
    assert.deepEqual(tasks.map(({ task, calls }) => [task, calls]), [['burn', 2], ['same', 1]]) // prettier-ignore
    const [burn, same] = tasks
    assert.ok(burn.run.p50 >= 19 && burn.wait.max >= 0 && same.run.p99 >= 0, JSON.stringify(tasks))
  })

  test('the run time is not counted as waiting, nor the other way round', async () => {
    const executor = make('watched.js', { size: 1, concurrency: 1 })
    await executor.ready
    await executor.run('same', [0])
    await new Promise((resolve) => setTimeout(resolve, 10)) // so that calls are rare, and all of them timed
    await Promise.all([1, 2].map(() => executor.run(kind === 'concurrent' ? 'sleep' : 'burn', [60])))
    const { wait, run } = executor.stats()
    assert.ok(run.max >= 55, JSON.stringify(run))
    if (kind !== 'inline') assert.ok(wait.max >= 50, JSON.stringify(wait))
  })

  test('of many quick calls some are timed, and stand for all', async () => {
    const executor = make('watched.js')
    await executor.ready
    for (let i = 0; i < 40; i++)
      await Promise.all(Array.from({ length: 500 }, () => executor.run('same', [i])))
    const { run, wait, completed } = executor.stats()
    assert.equal(completed, 20_000)
    assert.deepEqual([run.count, wait.count], [completed, completed])
    // Expected: 20_000 / 128 = 156, with a standard deviation of about 12. The machine may make calls rare for a while.
    assert.ok(run.timed > 80 && run.timed < 10_000, String(run.timed))
  })

  test('each call that has started is counted, in the text for Prometheus too', async () => {
    const executor = make('watched.js', { name: 'counted' })
    let made = 0
    for (const count of [1, 50, 200, 1000]) {
      await Promise.all(Array.from({ length: count }, (_, i) => executor.run('same', [i])))
      made += count
      assert.deepEqual([executor.stats().run.count, executor.stats().wait.count], [made, made])
    }
    await executor.map('same', new Array(3000).fill(1))
    await Promise.allSettled([1, 2, 3].map(() => executor.run('fails', [])))
    const aborter = new AbortController()
    const onProgress = () => aborter.abort() // it has started
    await executor.run('waitForAbort', [], { signal: aborter.signal, onProgress }).catch(() => {})
    await executor.run('sleep', [1], { timeout: 60_000 })
    made += 3000 + 3 + 1 + 1
    const { run, completed, failed, cancelled } = executor.stats()
    assert.deepEqual([run.count, completed + failed + cancelled], [made, made])
    const text = prometheusText(executor)
    for (const metric of ['call_run_seconds_count', 'call_wait_seconds_count'])
      assert.match(text, new RegExp(`^threadwise_${metric}\\{.*\\} ${made}$`, 'm'))
  })

  test('of inputs that map sends as one, each that was called counts, and one fails', async (t) => {
    for (const task of ['failsAt', 'failsLaterAt']) {
      const executor = make('watched.js')
      for (let i = 0; i < 3; i++) await executor.map(task, numbers(140)) // they are known to be short
      await assert.rejects(executor.map(task, numbers(300)), { message: 'at 150' })
      await waitUntil(() => executor.stats().running === 0)
      const { completed, failed, cancelled, run, workers } = executor.stats()
      assert.equal(failed, 1)
      // What was under way in other workers is cancelled when the map has failed. Some of it may have run.
      const isOrCancelled = (count) => count >= completed + 1 && count <= completed + 1 + cancelled
      assert.ok(isOrCancelled(run.count), `${run.count} of ${completed} and ${cancelled}`)
      assert.ok(completed + cancelled >= 3 * 140 + 150, `${completed} and ${cancelled}`)
      const answered = workers.reduce((sum, worker) => sum + worker.completed, 0)
      if (isPool) assert.ok(isOrCancelled(answered), `${answered} of ${completed} and ${cancelled}`)
      else assert.equal(cancelled, 0)
      assert.match(prometheusText(executor), /^threadwise_calls_total\{.*outcome="failed"\} 1$/m)
    }
    const told = listen(t, 'call:settled')
    const executor = make('watched.js')
    for (let i = 0; i < 3; i++) await executor.map('failsAt', numbers(140))
    assert.equal(told.length, 3 * 140)
  })

  test('stats() lists the workers, and inspect() asks them', async () => {
    const executor = make('watched.js', { name: 'staff' })
    await executor.ready
    await executor.run('same', [1])
    const { workers } = executor.stats()
    if (!isPool) {
      assert.deepEqual(workers, [])
      return assert.deepEqual(await executor.inspect(), executor.stats())
    }
    assert.deepEqual(workers.map(({ id, name, state }) => [id, name, state]), [[1, 'staff-1', 'up'], [2, 'staff-2', 'up']]) // prettier-ignore
    assert.equal(workers[0].completed + workers[1].completed, 1)
    assert.deepEqual([workers[0].cpu, workers[0].heapBytes], [null, null])
    assert.ok(Math.abs(Date.now() - workers[0].startedAt) < 60_000)
    const number = kind === 'processes' ? 'pid' : 'threadId'
    assert.ok(workers[0][number] > 0 && workers[0][number] !== workers[1][number])
    const inspected = await inspectAll(executor)
    assert.equal(inspected.completed, 1)
    for (const worker of inspected.workers) {
      assert.ok(worker.heapBytes > 1e6, JSON.stringify(worker))
      assert.ok(worker.eventLoopUtilization >= 0 && worker.eventLoopUtilization <= 1, JSON.stringify(worker))
      if (process.platform === 'linux' || kind === 'processes') assert.ok(worker.cpu > 0)
      assert.equal(worker.rssBytes !== null, kind === 'processes')
      // The tasks of a process are its threads, by the numbers of the operating system.
      const folder = `/proc/${worker.pid ?? process.pid}/task/${worker.osThreadId}`
      if (process.platform === 'linux') assert.ok(existsSync(folder), folder)
    }
    // Elsewhere Node does not tell it.
    if (process.platform === 'linux')
      assert.notEqual(inspected.workers[0].osThreadId, inspected.workers[1].osThreadId)
  })

  test('a worker that a task keeps busy is blocked, and its task is named', { skip: !isPool }, async (t) => {
    const path = testFolder(t)
    const executor = make('barrier.js', { size: 1 })
    const slow = executor.run('blockUntil', [path('started'), path('free')])
    await fileExists(path('started'))
    const [worker] = (await executor.inspect()).workers
    assert.deepEqual([worker.state, worker.task, worker.heapBytes], ['blocked', 'blockUntil', null])
    assert.equal(worker.running, 1)
    touch(path('free'))
    await slow
    const [after] = (await inspectAll(executor)).workers
    assert.deepEqual([after.state, after.task, after.running], ['up', null, 0])
  })

  test('inspect() settles when the worker dies, and when the executor ends', { skip: !isPool }, async () => {
    const executor = make('watched.js', { size: 1 })
    await executor.ready
    executor.run('burn', [60_000]).catch(() => {})
    await waitUntil(() => executor.stats().workers[0].task === 'burn')
    const inspected = executor.inspect()
    await executor.destroy()
    assert.deepEqual((await inspected).workers, [])
    assert.deepEqual((await executor.inspect()).workers, [])
  })

  test('channels tell of each call', async (t) => {
    const executor = make('watched.js', { name: `told ${kind}` })
    await executor.ready
    const [accepted, settled] = [listen(t, 'call:accepted'), listen(t, 'call:settled')]
    await executor.run('same', [1])
    await executor.run('fails', []).catch(() => {})
    const aborter = new AbortController()
    const onProgress = () => aborter.abort() // it has started
    await executor.run('waitForAbort', [], { signal: aborter.signal, onProgress }).catch(() => {})
    assert.deepEqual(accepted.map(({ task }) => task), ['same', 'fails', 'waitForAbort']) // prettier-ignore
    assert.deepEqual(settled.map(({ task, outcome }) => `${task} ${outcome}`), ['same completed', 'fails failed', 'waitForAbort cancelled']) // prettier-ignore
    for (const message of settled) {
      assert.deepEqual([message.executor, message.kind], [`told ${kind}`, kind])
      assert.ok(message.waitMs >= 0 && message.runMs >= 0, JSON.stringify(message))
      if (isPool) assert.ok([1, 2].includes(message.workerId), JSON.stringify(message))
    }
  })

  test('channels tell of workers', { skip: !isPool }, async (t) => {
    const [up, exited] = [listen(t, 'worker:up'), listen(t, 'worker:exited')]
    const executor = make('watched.js', { name: 'shift', size: 1 })
    await executor.ready
    await executor.close()
    const own = (events) => events.filter((event) => event.executor === 'shift') // others may still start
    assert.deepEqual(own(up).map(({ workerId }) => workerId), [1]) // prettier-ignore
    assert.deepEqual(own(exited).map(({ name, how }) => [name, how]), [['shift-1', 'with exit code 0']]) // prettier-ignore
  })

  test('a channel tells of a full queue', { skip: kind === 'inline' }, async (t) => {
    const executor = make('watched.js', { size: 1, concurrency: 1, maxQueue: 0 })
    await executor.ready
    const full = listen(t, 'queue:full')
    const first = executor.run('sleep', [100])
    const blocked = executor.run('burn', [100])
    await Promise.allSettled([first, blocked, executor.run('same', [1]), executor.run('same', [2])])
    assert.ok(full.length > 0)
    assert.equal(full.at(-1).task, 'same')
    assert.deepEqual([full[0].maxQueue, full[0].whenFull], [0, 'reject'])
  })

  test('warnAfter warns once of a call that runs long', async (t) => {
    const warnings = listenForWarnings(t)
    const path = testFolder(t)
    const executor = make('barrier.js', { name: 'slow' })
    await executor.ready
    await executor.run('workerId', [], { warnAfter: 5000 })
    const slow = executor.run('waitUntil', [path('started'), path('free')], { warnAfter: 500 })
    await waitUntil(() => warnings.length > 0)
    touch(path('free'))
    assert.equal(await slow, 'released')
    const [{ message, detail }] = warnings
    assert.match(message, /^Task "waitUntil" has run for \d+ ms in /)
    assert.match(message, new RegExp(`${kind} "slow"`))
    assert.match(detail, /^It waits on a promise/)
    assert.equal(warnings.length, 1)
  })

  test('warnAfter of a pool shows the stack of a thread', { skip: !isPool }, async (t) => {
    const warnings = listenForWarnings(t)
    const executor = make('watched.js', { name: 'stuck', warnAfter: 100 })
    await executor.ready
    // A thread that the machine holds up for half a second while it is asked shows none.
    const found = () => warnings.find(({ detail }) => kind === 'processes' || /burn \(file:/.test(detail))
    for (let calls = 0; calls < 5 && !found(); calls++) await executor.tasks.burn(3000)
    const { message, detail } = found() ?? warnings[0]
    assert.match(message, kind === 'processes' ? /worker \d \(process \d+\)/ : /worker \d \(thread \d+\)/)
    if (kind !== 'processes') assert.match(detail, /^ {4}at .*[^]*burn \(file:.*watched\.js:\d+:\d+\)/)
    else assert.match(detail, /no stack/)
    assert.doesNotMatch(detail, /dist|threadwise:/)
    assert.equal(await executor.run('same', [7]), 7) // it goes on as before
  })
})
