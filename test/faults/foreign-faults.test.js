// What tasks, modules and the way in which the program was started can do to real threads and processes.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { describeExecutors, rejection, taskModule } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { waitUntil } from '../helpers/waiting.js'

describeExecutors('faults', (make, { kind, isPool }) => {
  // With adaptive a function that is known to be short may block, or end, the program itself.
  if (!isPool || kind === 'adaptive') return

  for (const thrown of ['null', 'an object without a text']) {
    test(`${thrown} thrown outside of any task ends the worker and not the program`, async () => {
      const executor = make('hostile.js', { size: 1 })
      const error = await rejection(executor.tasks.throwOutside(thrown))
      assert.equal(error.code, 'TW_ERR_WORKER_EXITED')
      assert.equal(await executor.tasks.add(1, 2), 3)
    })
  }

  for (const how of ['throws', 'rejects']) {
    test(`a timer that ${how} after its task has returned is told, with the error, and its worker is replaced`, async (t) => {
      const executor = make('hostile.js', { size: 1, name: 'late' })
      const exits = []
      const note = (message) => message.executor === 'late' && exits.push(message)
      subscribe('threadwise:worker:exited', note)
      t.after(() => unsubscribe('threadwise:worker:exited', note))
      let warning
      process.once('warning', (given) => (warning = given))
      assert.equal(await executor.tasks.failLater(how), 'returned')
      await waitUntil(() => warning)
      const { code, message, detail } = warning
      assert.equal(code, 'TW_WARN_WORKER_ERROR')
      assert.match(
        message,
        /^Worker 1 of (threads|processes) "late" ended because of an error outside of any task \(Error: late\)/,
      )
      assert.match(detail, /hostile\.js/)
      assert.match(exits[0].how, /Error: late/)
      assert.equal(exits[0].cause.message, 'late')
      assert.equal(await executor.tasks.add(1, 2), 3)
    })
  }

  test('a module that says "ready" to somebody else is not taken to be ready', async () => {
    const executor = make('says-ready.js', { size: 1, startTimeout: 500 })
    assert.equal((await rejection(executor.ready)).code, 'TW_ERR_START_TIMEOUT')
  })

  test('a module that always crashes once it is loaded is not started for ever', async (t) => {
    const started = testFolder(t)('started')
    const executor = make('crashes-when-ready.js', { size: 1, env: { STARTS: dirname(started) } })
    await executor.ready
    await waitUntil(() => executor.stats().size === 0)
    assert.ok(readdirSync(dirname(started)).length < 10)
  })

  test('an abort with a reason that the channel cannot carry reaches the caller and the task', async (t) => {
    const executor = make('barrier.js', { size: 1 })
    const file = testFolder(t)
    const controller = new AbortController()
    const call = rejection(
      executor.run('waitUntil', [file('started'), file('never')], { signal: controller.signal }),
    )
    await fileExists(file('started'))
    const reason = new SharedArrayBuffer(4)
    controller.abort(reason)
    assert.equal(await call, reason)
    await fileExists(file('started.aborted'))
  })

  test('calls that are done when a later call of their batch exits have their results', async () => {
    const executor = make('exits.js', { size: 1 })
    for (let i = 0; i < 100; i++) {
      await executor.tasks.add(i, 1)
      await executor.tasks.exitIf(false)
    }
    const done = Array.from({ length: 20 }, (_, i) => executor.tasks.add(i, 1))
    const last = rejection(executor.tasks.exitIf(true))
    assert.deepEqual(
      await Promise.all(done),
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
    assert.equal((await last).code, 'TW_ERR_WORKER_EXITED')
  })

  test('the end of a call with a timeout is told before the next call of its batch runs', async (t) => {
    const executor = make('barrier.js', { size: 1 })
    const file = testFolder(t)
    for (let i = 0; i < 100; i++) {
      await executor.tasks.workerId()
      await executor.tasks.blockIf(false)
    }
    const { signal } = new AbortController()
    const first = executor.run('workerId', [], { signal })
    const blocking = executor.tasks.blockIf(true, file('started'), file('release'))
    await first // would wait for the one behind it, which waits for this test
    touch(file('release'))
    await blocking
  })

  test('env is laid over the environment of the caller, and undefined removes a variable', async (t) => {
    process.env.TW_TEST_KEPT = 'kept'
    process.env.TW_TEST_REMOVED = 'removed'
    t.after(() => {
      delete process.env.TW_TEST_KEPT
      delete process.env.TW_TEST_REMOVED
    })
    const executor = make('hostile.js', { size: 1, env: { TW_TEST_ADDED: '1', TW_TEST_REMOVED: undefined } })
    const names = ['TW_TEST_KEPT', 'TW_TEST_ADDED', 'TW_TEST_REMOVED']
    assert.deepEqual(await executor.map('variable', names), ['kept', '1', undefined])
  })

  test('what the program has put in place of process.env is the environment of its workers', async (t) => {
    const before = process.env
    t.after(() => (process.env = before))
    process.env = { ...before, TW_TEST_REPLACED: '1' }
    const executor = make('hostile.js', { size: 1 })
    assert.equal(await executor.run('variable', ['TW_TEST_REPLACED']), '1')
  })

  test('NODE_OPTIONS that the program has set hold for its workers', async (t) => {
    const { NODE_OPTIONS } = process.env
    t.after(() => {
      if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS
      else process.env.NODE_OPTIONS = NODE_OPTIONS
    })
    const file = testFolder(t)('preloaded.cjs')
    writeFileSync(file, "process.env.TW_TEST_PRELOADED = '1'")
    process.env.NODE_OPTIONS = `--require ${file}`
    const executor = make('hostile.js', { size: 1 })
    assert.equal(await executor.run('variable', ['TW_TEST_PRELOADED']), '1')
  })

  test('arguments that a worker with little stack cannot read fail their own call, and no other', async (t) => {
    if (kind !== 'threads') return t.skip('the stack of a process is as large as that of its caller')
    const executor = make('hostile.js', { size: 1, resourceLimits: { stackSizeMb: 0.35 } })
    let deep = {}
    for (let i = 0; i < 990; i++) deep = { deep }
    const call = executor.tasks.add(deep, 1).catch((error) => error)
    const others = Promise.all(Array.from({ length: 20 }, (_, i) => executor.tasks.add(i, 1)))
    await call // whether it is read depends on the stack
    assert.deepEqual(await others, Array.from({ length: 20 }, (_, i) => i + 1)) // prettier-ignore
  })

  test('a batch that the worker cannot read is settled by its end', async (t) => {
    if (kind !== 'threads') return t.skip('a process has no such event')
    const executor = make('hostile.js', { size: 1 })
    assert.equal((await rejection(executor.tasks.breakMessages())).code, 'TW_ERR_WORKER_EXITED')
  })

  const index = new URL('../../dist/index.js', import.meta.url)
  const source = `import('${index}').then(async (threadwise) => {
    const executor = threadwise.${kind}('${taskModule('basic.js')}', { size: 1 })
    console.log(await executor.run('add', [1, 2]))
  })`
  for (const options of [
    ['-e'],
    ['--input-type=module', '-e'],
    ['--input-type', 'module', '--expose-gc', '--eval'],
  ]) {
    test(`a program given with ${options.join(' ')} can use a pool`, () => {
      const { stdout, stderr } = spawnSync(process.execPath, [...options, source], { encoding: 'utf8' })
      assert.deepEqual({ stdout, stderr }, { stdout: '3\n', stderr: '' })
    })
  }
})

for (const kind of ['inline', 'concurrent']) {
  test(`${kind}: a module that hangs does not hold a program that has destroyed its executor`, () => {
    const index = new URL('../../dist/index.js', import.meta.url)
    const source = `import { ${kind} } from '${index}'
      await ${kind}('${taskModule('load-hangs.js')}', { startTimeout: 60_000 }).destroy()`
    const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { timeout: 30_000 })
    assert.equal(status, 0)
  })
}
