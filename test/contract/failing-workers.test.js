// Workers that do not start, die, or are killed: every promise settles, and the next call works.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'

describeExecutors('a module that does not load', (make, { isPool }) => {
  test('fails ready and all calls with the error of the module as cause', async () => {
    const executor = make('load-throws.js')
    const calls = Array.from({ length: 10 }, () => rejection(executor.run('add', [1, 2])))
    for (const error of [await rejection(executor.ready), ...(await Promise.all(calls))]) {
      assert.equal(error.code, 'TW_ERR_START_FAILED')
      assert.ok(error.cause instanceof RangeError)
      assert.match(error.message, /the module is broken/)
    }
    assert.equal((await rejection(executor.run('add', [1, 2]))).code, 'TW_ERR_START_FAILED')
  })

  test('a file that does not exist is named', async () => {
    const error = await rejection(make('no-such-file.js').run('add', []))
    assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.match(error.message, /no-such-file\.js/)
  })

  test('loading that takes longer than startTimeout fails', async () => {
    const executor = make('load-hangs.js', { startTimeout: 50 })
    const error = await rejection(executor.run('add', [1, 2]))
    assert.equal(error.code, 'TW_ERR_START_TIMEOUT')
    assert.match(error.message, /startTimeout \(50 ms\)/)
    assert.equal((await rejection(executor.ready)).code, 'TW_ERR_START_TIMEOUT')
  })

  test('a module that loops for ever, or exits, while loading fails too', async (t) => {
    if (!isPool) return t.skip('in the own thread nothing can be done about that')
    assert.equal(
      (await rejection(make('load-loops.js', { startTimeout: 300 }).run('a'))).code,
      'TW_ERR_START_TIMEOUT',
    )
    const error = await rejection(make('load-exits.js').run('a'))
    assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.match(error.message, /with exit code 7 while loading/)
  })
})

describeExecutors('a worker that ends in the middle of a task', (make, { kind, isPool }) => {
  const dies = async (executor, task, ...args) => {
    const error = await rejection(executor.run(task, args))
    assert.equal(error.code, 'TW_ERR_WORKER_EXITED', String(error))
    assert.match(error.message, new RegExp(`"${task}"`))
    assert.equal(await executor.tasks.add(1, 2), 3)
    return error
  }

  test('again and again: each such call costs itself alone', async (t) => {
    if (!isPool) return t.skip('process.exit in the own thread ends the program')
    const executor = make('exits.js', { size: 2 })
    await executor.run('exitIf', [false])
    const bad = Array.from({ length: 8 }, () => rejection(executor.run('exit', [1])))
    const good = Array.from({ length: 10 }, (_, i) => executor.run('add', [i, 1]))
    for (const { code } of await Promise.all(bad)) assert.equal(code, 'TW_ERR_WORKER_EXITED')
    assert.deepEqual(
      await Promise.all(good),
      good.map((_, i) => i + 1),
    )
  })

  test('by process.exit, at once or later', async (t) => {
    if (!isPool) return t.skip('process.exit in the own thread ends the program')
    const executor = make('exits.js', { size: 1 })
    assert.match((await dies(executor, 'exit', 3)).message, /with exit code 3/)
    assert.match((await dies(executor, 'exitLater', 0)).message, /with exit code 0/)
  })

  test('by an error or rejection that no task catches', async (t) => {
    if (!isPool) return t.skip('it would end the program')
    const executor = make('exits.js', { size: 1 })
    const thrown = await dies(executor, 'throwOutside')
    const rejected = await dies(executor, 'rejectOutside')
    if (kind !== 'threads') return
    assert.equal(thrown.cause.message, 'thrown in a timer')
    assert.equal(rejected.cause.message, 'nobody handles this')
  })

  test('by SIGKILL', async (t) => {
    if (kind !== 'processes') return t.skip('only a process can be killed')
    const executor = make('exits.js', { size: 1 })
    const how = (signal) => (process.platform === 'win32' ? /with exit code 1/ : new RegExp(`by ${signal}`))
    assert.match((await dies(executor, 'killSelf', 'SIGKILL')).message, how('SIGKILL'))
    assert.match((await dies(executor, 'killSelf', 'SIGTERM')).message, how('SIGTERM'))
  })

  test('by running out of memory', async (t) => {
    if (!isPool) return t.skip('it would end the program')
    const executor = make('exits.js', { size: 1, resourceLimits: { maxOldGenerationSizeMb: 24 } })
    const error = await dies(executor, 'outOfMemory')
    assert.match(
      error.message,
      kind !== 'processes' ? /it ran out of memory/ : /as when it runs out of memory/,
    )
    assert.equal(await executor.tasks.add(1, 2), 3)
  })

  test('calls of the dead worker that had not started run on the next one', async (t) => {
    if (kind !== 'threads') return t.skip('only threads know which calls had started')
    const executor = make('exits.js', { size: 1 })
    for (let i = 0; i < 200; i++) await executor.tasks.add(i, i) // the cost of add is known: many are sent ahead
    const outcomes = await Promise.allSettled([
      executor.tasks.exit(1),
      ...Array.from({ length: 100 }, (_, i) => executor.tasks.add(i, 1)),
    ])
    assert.equal(outcomes[0].reason.code, 'TW_ERR_WORKER_EXITED')
    outcomes.slice(1).forEach(({ value }, i) => assert.equal(value, i + 1))
  })

  test('only the calls of the dead worker are lost', async (t) => {
    if (!isPool) return t.skip('there is only one thread')
    const executor = make('barrier.js', { size: 2 })
    const file = testFolder(t)
    const survivor = executor.tasks.blockUntil(file('one'), file('release'))
    await fileExists(file('one'))
    const controller = new AbortController()
    const doomed = rejection(
      executor.run('loopForEver', [file('two')], { signal: controller.signal, gracePeriod: 1 }),
    )
    await fileExists(file('two'))
    controller.abort()
    await doomed
    assert.equal(await executor.tasks.note(file('note'), 'x'), 'x')
    touch(file('release'))
    assert.equal(await survivor, 'released')
  })

  test('many deaths under load lose no promise', async (t) => {
    if (!isPool) return t.skip('there is no worker to lose')
    const executor = make('exits.js', { size: 2 })
    const deaths = kind === 'threads' ? 40 : 20
    const calls = []
    for (let i = 0; i < deaths; i++) {
      calls.push(executor.tasks.exit(i))
      for (let j = 0; j < 20; j++) calls.push(executor.tasks.add(i, j))
    }
    const outcomes = await Promise.allSettled(calls)
    const lost = outcomes.filter(({ reason }) => reason?.code === 'TW_ERR_WORKER_EXITED').length
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length
    assert.equal(lost + done, calls.length)
    assert.ok(lost >= deaths)
    const { completed, failed, queued, running } = executor.stats()
    assert.deepEqual(
      { completed, failed, queued, running },
      { completed: done, failed: lost, queued: 0, running: 0 },
    )
    assert.equal(await executor.tasks.add(20, 22), 42)
  })
})
