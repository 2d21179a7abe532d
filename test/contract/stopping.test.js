// close, destroy, and the calls that they find, on every executor.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'

describeExecutors('stopping', (make, { isPool }) => {
  test('close lets accepted calls finish, and refuses later ones', async (t) => {
    const executor = make('barrier.js')
    const file = testFolder(t)
    const running = executor.tasks.waitUntil(file('started'), file('release'))
    const queued = executor.tasks.note(file('note'), 'x')
    const closed = executor.close()
    assert.equal((await rejection(executor.tasks.note(file('note'), 'late'))).code, 'TW_ERR_CLOSED')
    await fileExists(file('started'))
    touch(file('release'))
    assert.equal(await running, 'released')
    assert.equal(await queued, 'x')
    await closed
    assert.equal((await rejection(executor.run('note', []))).code, 'TW_ERR_CLOSED')
    assert.equal(executor.stats().running + executor.stats().queued, 0)
    if (isPool) assert.equal(executor.stats().size, 0)
  })

  test('close rejects by name what has not finished in time', async (t) => {
    const executor = make('barrier.js')
    const file = testFolder(t)
    const waiting = rejection(executor.tasks.waitUntil(file('started'), file('never')))
    await fileExists(file('started'))
    await executor.close({ timeout: 20 })
    const error = await waiting
    assert.equal(error.code, 'TW_ERR_CLOSED')
    assert.match(error.message, /"waitUntil" did not finish within closeTimeout \(20 ms\)/)
    if (!isPool) touch(file('never'))
  })

  test('destroy rejects all calls now, with the reason as cause', async (t) => {
    const executor = make('barrier.js')
    const file = testFolder(t)
    const calls = [
      rejection(executor.tasks.waitUntil(file('started'), file('never'))),
      ...Array.from({ length: 50 }, () => rejection(executor.tasks.waitUntil(file('other'), file('never')))),
    ]
    await fileExists(file('started'))
    const reason = new Error('shutting down')
    await executor.destroy(reason)
    for (const error of await Promise.all(calls)) {
      assert.equal(error.code, 'TW_ERR_DESTROYED')
      assert.equal(error.cause, reason)
    }
    assert.equal((await rejection(executor.run('note', []))).code, 'TW_ERR_DESTROYED')
    touch(file('never'))
  })

  test('close and destroy may be called again, together and in any order', async () => {
    const executor = make('basic.js')
    await executor.tasks.add(1, 2)
    await Promise.all([executor.close(), executor.close(), executor.destroy(), executor.close()])
    await executor.destroy()
    await executor.close()
  })

  test('an executor that was never used can be closed', async () => {
    await make('basic.js').close()
    await make('load-hangs.js').destroy()
  })

  test('await using closes', async () => {
    const executor = make('basic.js')
    const result = executor.tasks.later('done', 5)
    await executor[Symbol.asyncDispose]()
    assert.equal(await result, 'done')
    assert.equal((await rejection(executor.tasks.add(1, 2))).code, 'TW_ERR_CLOSED')
  })
})

describeExecutors('cancelling', (make, { isPool }) => {
  test('a signal that is aborted already rejects with its reason, and the task never runs', async (t) => {
    const executor = make('barrier.js')
    const file = testFolder(t)
    const reason = { why: 'not needed' }
    const signal = AbortSignal.abort(reason)
    assert.equal(await rejection(executor.run('note', [file('note'), 'x'], { signal })), reason)
    await executor.close()
    await assert.rejects(fileExists(file('note'), 0))
  })

  test('aborting a queued call removes it, and the others go on', async (t) => {
    const executor = make('barrier.js', { size: 1, tasksPerWorker: 1, concurrency: 1 })
    if (executor.kind === 'inline') return t.skip('inline has no queue once its module is loaded')
    const file = testFolder(t)
    const blockers = Array.from({ length: 8 }, (_, i) =>
      executor.tasks.waitUntil(file(`started${i}`), file('release')),
    )
    await fileExists(file('started0'))
    const controller = new AbortController()
    const queued = rejection(executor.run('note', [file('note'), 'x'], { signal: controller.signal }))
    const other = executor.run('note', [file('other'), 'y'])
    controller.abort(new Error('changed my mind'))
    assert.equal((await queued).message, 'changed my mind')
    touch(file('release'))
    await Promise.all(blockers)
    assert.equal(await other, 'y')
    await assert.rejects(fileExists(file('note'), 0))
    assert.equal(executor.stats().cancelled, 1)
  })

  test('aborting a running call rejects at once, and task.signal aborts inside the task', async (t) => {
    const executor = make('barrier.js')
    const file = testFolder(t)
    const controller = new AbortController()
    const running = rejection(
      executor.run('waitUntil', [file('started'), file('never')], { signal: controller.signal }),
    )
    await fileExists(file('started'))
    controller.abort(new Error('too slow'))
    assert.equal((await running).message, 'too slow')
    await fileExists(file('started.aborted'))
    assert.equal(executor.stats().cancelled, 1)
  })

  test('a timeout counts the run time only', async (t) => {
    const executor = make('barrier.js')
    const file = testFolder(t)
    const slow = executor.run('waitUntil', [file('started'), file('never')], { timeout: 30 })
    const error = await rejection(slow)
    assert.equal(error.code, 'TW_ERR_TIMEOUT')
    assert.match(error.message, /"waitUntil" ran longer than its timeout of 30 ms/)
    assert.equal(await executor.run('note', [file('note'), 'x'], { timeout: 60_000 }), 'x')
    await fileExists(file('started.aborted'))
  })

  test('a loop that ignores its cancellation is ended after gracePeriod, and its worker is replaced', async (t) => {
    if (!isPool) return t.skip('a loop in the own thread cannot be interrupted')
    const executor = make('barrier.js', { size: 1 })
    const file = testFolder(t)
    const controller = new AbortController()
    const options = { signal: controller.signal, gracePeriod: 10 }
    const looping = rejection(executor.run('loopForEver', [file('started')], options))
    const behind = executor.tasks.note(file('note'), 'x')
    await fileExists(file('started'))
    controller.abort()
    assert.equal((await looping).name, 'AbortError')
    assert.equal(await behind, 'x')
  })
})
