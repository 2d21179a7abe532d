// workerData, setup() and teardown(): what a worker has before its first call, and does after its last.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { inline, processes, threads } from 'threadwise'
import { describeExecutors, rejection, taskModule } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { waitUntil } from '../helpers/waiting.js'
import { Point } from '../fixtures/tasks/setup.js'

const linesOf = (file) => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean)

describeExecutors('what is set up in each worker', (make, { kind, isPool }) => {
  // Adaptive has the module in the caller's thread, too.
  const inWorkers = kind === 'adaptive' ? { maxBlock: 0 } : {}

  test('setup() has run, with the data, before the first call, also one that was made at once', async () => {
    const executor = make('setup.js', { name: 'own', workerData: { region: 'eu' } })
    const { id, ...rest } = await executor.tasks.connected()
    assert.deepEqual(rest, { name: 'own', region: 'eu', sameData: true, calls: 1 })
    if (kind !== 'adaptive') assert.equal(id > 0, isPool)
  })

  test('data of any kind: buffers, classes, dates, maps', async () => {
    const when = new Date(0)
    const workerData = { bytes: Buffer.from('abc'), point: new Point(1, 2), map: new Map([[when, [1n]]]) }
    const executor = make('setup.js', { workerData })
    assert.equal(await executor.tasks.isBuffer(), 'abc')
    assert.equal(await executor.tasks.isPoint(), 2)
    assert.deepEqual((await executor.tasks.data()).map, workerData.map)
  })

  test('no data is undefined', async () => {
    assert.equal(await make('setup.js').tasks.data(), undefined)
  })

  test('an async store that setup() enters does not leak into calls', async () => {
    assert.equal(await make('setup.js', { workerData: {} }).tasks.storeOfSetup(), null)
  })

  test('hooks are no tasks', async () => {
    const executor = make('setup.js')
    for (const name of ['setup', 'teardown']) {
      const error = await rejection(executor.run(name, []))
      assert.equal(error.code, 'TW_ERR_TASK_NOT_FOUND')
      assert.doesNotMatch(error.message, /has .*teardown/)
    }
  })

  test('a setup() that throws fails the start, with its error', async () => {
    const executor = make('setup.js', { workerData: { fails: true } })
    const error = await rejection(executor.tasks.connected())
    assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.match(error.message, /no connection/)
    assert.equal(error.cause.message, 'no connection')
    assert.equal((await rejection(executor.ready)).code, 'TW_ERR_START_FAILED')
  })

  test('a setup() that never ends is a start that takes too long', async () => {
    const executor = make('setup.js', { workerData: { hangs: true }, startTimeout: 400 })
    assert.equal((await rejection(executor.tasks.connected())).code, 'TW_ERR_START_TIMEOUT')
  })

  test('a worker that is up in time starts, though the thread of its caller was blocked for longer', async (t) => {
    if (!isPool) return t.skip('it starts no worker')
    const file = testFolder(t)
    const workerData = { entered: file('entered'), goOn: file('go-on') }
    touch(workerData.goOn)
    const executor = make('setup.js', { size: 1, workerData, startTimeout: 400, ...inWorkers })
    await waitUntil(() => executor.stats().workers.length === 1)
    const sleeper = new Int32Array(new SharedArrayBuffer(4))
    while (!existsSync(workerData.entered)) Atomics.wait(sleeper, 0, 0, 1)
    Atomics.wait(sleeper, 0, 0, 800) // it says meanwhile that it is up
    await executor.ready
  })

  test('close() waits for teardown(), which comes after the last call', async (t) => {
    const file = testFolder(t)('log')
    const executor = make('setup.js', { workerData: { file } })
    const calls = Array.from({ length: 20 }, () => executor.tasks.connected())
    await executor.close()
    await Promise.all(calls)
    const lines = linesOf(file)
    const [setups, ends] = [/^setup/, /^teardown/].map((kind) => lines.filter((line) => kind.test(line)))
    assert.ok(setups.length > 0)
    assert.equal(ends.length, setups.length, lines.join())
    assert.equal(
      ends.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0),
      20,
    )
  })

  test('close() in the midst of setup() waits for both', async (t) => {
    const file = testFolder(t)
    const workerData = { file: file('log'), entered: file('entered'), goOn: file('go-on') }
    const executor = make('setup.js', { workerData })
    const call = kind === 'inline' || kind === 'concurrent' ? executor.tasks.connected() : undefined // it loads with the first call
    await fileExists(file('entered'))
    const closed = executor.close()
    touch(file('go-on'))
    await Promise.all([call, closed])
    const lines = linesOf(file('log'))
    const [setups, ends] = [/^setup/, /^teardown/].map((hook) => lines.filter((line) => hook.test(line)))
    assert.ok(setups.length > 0)
    assert.equal(ends.length, setups.length, lines.join())
  })

  test('close() waits for a setup() that never ends as long as a start may take, and tells', async (t) => {
    if (!isPool) return t.skip('it starts no worker')
    const codes = []
    const onWorkerError = ({ code }) => codes.push(code)
    const workerData = { hangs: true }
    const executor = make('setup.js', { workerData, startTimeout: 400, onWorkerError, ...inWorkers })
    await waitUntil(() => executor.stats().workers.length === 2)
    await executor.close()
    assert.deepEqual(codes, ['TW_ERR_START_TIMEOUT', 'TW_ERR_START_TIMEOUT'])
  })

  test('resize() in the midst of setup() lets a worker that leaves have its teardown()', async (t) => {
    if (!isPool) return t.skip('no worker comes or goes')
    const file = testFolder(t)
    const workerData = { file: file('log'), entered: file('entered'), goOn: file('go-on') }
    const executor = make('setup.js', { workerData, ...inWorkers })
    await fileExists(file('entered'))
    executor.resize(1)
    touch(file('go-on'))
    await waitUntil(() => linesOf(file('log')).some((line) => line.startsWith('teardown')))
  })

  test('destroy() does not', async (t) => {
    const file = testFolder(t)('log')
    const executor = make('setup.js', { workerData: { file } })
    await executor.tasks.connected()
    await executor.destroy()
    assert.deepEqual(
      linesOf(file).filter((line) => line.startsWith('teardown')),
      [],
    )
  })

  test('a teardown() that throws or never ends is told, and close() resolves', async (t) => {
    const warnings = []
    const listen = (warning) => warning.code === 'TW_WARN_WORKER_ERROR' && warnings.push(warning.message)
    process.on('warning', listen)
    t.after(() => process.off('warning', listen))
    for (const [fault, told, options] of [
      ['failsLate', /still in use/, {}],
      ['hangsLate', /teardown\(\).* did not end within 300 ms/, { teardownTimeout: 300 }],
    ]) {
      const executor = make('setup.js', { workerData: { [fault]: true }, ...options })
      await executor.tasks.connected()
      await executor.close()
      await waitUntil(() => warnings.some((warning) => told.test(warning)))
    }
  })
})

describe('the data of workers', () => {
  for (const [kind, create] of Object.entries({ threads, processes })) {
    test(`${kind}: each worker has its own copy, of what it was at first`, async (t) => {
      const workerData = { count: 0, region: 'eu' }
      const executor = create(taskModule('setup.js'), { size: 2, workerData })
      t.after(() => executor.destroy())
      workerData.region = 'us'
      const [one, other] = await executor.broadcast('changeData', [])
      assert.deepEqual([one, other, workerData.count], [1, 1, 0])
      assert.equal(await executor.run('regionAtLoad', []), 'eu')
    })

    test(`${kind}: what cannot be copied is told at once, with its place`, () => {
      const workerData = { db: { save() {} } }
      assert.throws(
        () => create(taskModule('setup.js'), { workerData }),
        (error) => {
          assert.equal(error.code, 'TW_ERR_INVALID_OPTION')
          assert.match(error.message, /workerData\.db\.save is a function/)
          return true
        },
      )
    })

    test(`${kind}: workers that come later are set up too, and those that leave are taken down`, async (t) => {
      const file = testFolder(t)('log')
      const recycle = { maxTasks: 1 }
      const executor = create(taskModule('setup.js'), { size: 1, recycle, workerData: { file } })
      t.after(() => executor.destroy())
      for (let call = 0; call < 3; call++) assert.equal((await executor.tasks.connected()).calls, 1)
      await waitUntil(() => linesOf(file).filter((line) => line === 'teardown after 1').length === 3)
    })
  }

  test('shared memory is shared', async (t) => {
    const shared = new Int32Array(new SharedArrayBuffer(4))
    const executor = threads(taskModule('setup.js'), { size: 2, workerData: { count: 0, shared } })
    t.after(() => executor.destroy())
    const { shared: there } = await executor.tasks.data()
    there[0] = 7
    assert.equal(shared[0], 7)
    assert.throws(() => processes(taskModule('setup.js'), { workerData: shared }), /workerData/)
  })

  test("executors of one module in the caller's thread each have their own", async (t) => {
    const one = inline(taskModule('setup.js'), { workerData: 'one' })
    t.after(() => one.destroy())
    const other = inline(taskModule('setup.js'), { workerData: 'other' })
    t.after(() => other.destroy())
    assert.deepEqual(await Promise.all([one.tasks.data(), other.tasks.data()]), ['one', 'other'])
  })
})
