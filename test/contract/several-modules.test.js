// Several task modules on the same workers, by name.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { adaptive, executor as byProfile, inline } from 'threadwise'
import { bullmq } from 'threadwise/bullmq'
import { filter, map, sort } from 'threadwise/parallel'
import { describeExecutors, rejection, taskModule } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { numbers } from '../helpers/many.js'

const modules = { basic: taskModule('basic.js'), lazy: taskModule('lazy.js') }
const linesOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [])

describeExecutors('several modules', (make, { kind }) => {
  if (kind === 'adaptive') return
  const options = kind === 'concurrent' || kind === 'inline' ? {} : { size: 1 }

  test('have their tasks on the same workers', async () => {
    const executor = make({ module: modules })
    assert.equal(await executor.run('basic.double', [4]), 8)
    assert.equal(await executor.tasks['lazy.triple'](4), 12)
    const items = []
    for await (const item of executor.stream('lazy.countTo', [3])) items.push(item)
    assert.deepEqual(items, [1, 2, 3])
    const one = make({ module: modules }, options)
    assert.equal(await one.run('lazy.worker'), await one.run('lazy.worker'))
    assert.equal(await one.run('lazy.forkDouble', [21]), 42)
  })

  test('are mapped, filtered and sorted as one is', async () => {
    const executor = make({ module: modules })
    const expected = numbers(500).map((n) => 3 * n)
    for (let times = 0; times < 2; times++) {
      assert.deepEqual(await executor.map('lazy.triple', numbers(500)), expected)
      assert.deepEqual(await map(executor, 'lazy.triple', numbers(500)), expected)
    }
    assert.deepEqual(await filter(executor, 'lazy.triple', [0, 1, 2]), [1, 2])
    assert.deepEqual(await sort(executor, [3, 1, 2], { compare: 'lazy.byValue' }), [1, 2, 3])
  })

  test('are loaded by their first call, set up once, and taken down', async (t) => {
    const file = testFolder(t)('lines')
    const executor = make({ module: modules }, { ...options, workerData: { file } })
    await executor.ready
    assert.equal(await executor.run('basic.double', [1]), 2)
    assert.deepEqual(linesOf(file), [])
    await Promise.all([1, 2, 3].map((n) => executor.run('lazy.triple', [n])))
    const before = linesOf(file).filter((line) => line !== 'loaded') // once in a program, for those that run in its thread
    assert.deepEqual(before, ['set up'])
    await executor.close()
    assert.deepEqual(linesOf(file).slice(-2), ['set up', 'torn down'])
  })

  test('are taken down where they were being set up for a call that was given up', async (t) => {
    const file = testFolder(t)
    const workerData = { file: file('lines'), entered: file('entered'), goOn: file('go-on') }
    const executor = make({ module: modules }, { ...options, workerData })
    const controller = new AbortController()
    const { signal } = controller
    const call = rejection(executor.run('lazy.triple', [1], { signal, gracePeriod: Infinity }))
    await fileExists(workerData.entered)
    controller.abort()
    await call
    const closed = executor.close()
    touch(workerData.goOn)
    await closed
    assert.deepEqual(linesOf(workerData.file).slice(-2), ['set up', 'torn down'])
  })

  test('are all taken down, though one fails at that', async (t) => {
    const file = testFolder(t)('lines')
    const failing = { setup: taskModule('setup.js'), ...modules }
    const executor = make({ module: failing }, { ...options, workerData: { file, failsLate: true } })
    await executor.run('setup.connected')
    await executor.run('lazy.triple', [1])
    await executor.close()
    assert.equal(linesOf(file).at(-1), 'torn down')
  })

  test('that cannot be set up fail their own calls alone, until they can', async (t) => {
    const broken = testFolder(t)('broken')
    touch(broken)
    const executor = make({ module: modules }, { ...options, workerData: { broken } })
    const error = await rejection(executor.run('lazy.triple', [1]))
    assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.match(error.message, /lazy\.js.*no connection/s)
    assert.equal(await executor.run('basic.double', [1]), 2)
    rmSync(broken)
    assert.equal(await executor.run('lazy.triple', [1]), 3)
  })

  test('whose file is missing fail their own calls alone', async () => {
    const absentModule = { ...modules, none: taskModule('no-such-file.js') }
    const executor = make({ module: absentModule }, options)
    assert.equal((await rejection(executor.run('none.task'))).code, 'TW_ERR_START_FAILED')
    assert.equal(await executor.run('basic.double', [1]), 2)
  })

  test('know no other names', async () => {
    const executor = make({ module: modules })
    await executor.run('basic.double', [1])
    for (const name of ['double', 'basic.missing', 'lazy.setup', 'other.double', '.double', 'toString.call'])
      assert.equal((await rejection(executor.run(name))).code, 'TW_ERR_TASK_NOT_FOUND', name)
  })
})

test('executors that take one module refuse several by name', () => {
  const queue = { queue: 'none', connection: { host: '127.0.0.1', port: 1 } }
  for (const create of [adaptive, byProfile, (module) => bullmq(module, queue)])
    assert.throws(
      () => create(modules),
      ({ code, message }) => code === 'TW_ERR_INVALID_OPTION' && /one module/.test(message),
    )
  for (const wrong of [{}, { 'a.b': modules.basic }, { '': modules.basic }, { a: './relative.js' }, { a: 5 }])
    assert.throws(() => inline(wrong), { code: 'TW_ERR_INVALID_OPTION' })
})
