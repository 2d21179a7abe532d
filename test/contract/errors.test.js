// Errors of the user's tasks arrive as they were thrown, on every executor.
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { isThreadwiseError } from 'threadwise'
import { describeExecutors, rejection } from '../helpers/executors.js'

describeExecutors('errors', (make, { isPool, kind }) => {
  const executor = make('throws.js')

  test('name, message, code, own fields and the chain of causes survive', async () => {
    const error = await rejection(executor.tasks.throwCustom())
    assert.ok(error instanceof Error)
    assert.equal(error.name, 'ValidationError')
    assert.equal(error.message, 'bad email')
    assert.equal(error.code, 'E_VALIDATION')
    assert.equal(error.field, 'email')
    assert.deepEqual(error.details, { min: 3, at: new Date(0) })
    assert.ok(error.cause instanceof TypeError)
    assert.equal(error.cause.message, 'not a string')
    assert.deepEqual(error.cause.cause, { plain: true })
    assert.equal(isThreadwiseError(error), false)
    assert.equal(Object.keys(error).includes('cause'), false)
  })

  test('the stack shows the failing line, and then the caller', async () => {
    async function theCaller() {
      await executor.tasks.throwCustom()
    }
    const { stack } = await rejection(theCaller())
    assert.match(stack, /^ValidationError: bad email\n/)
    assert.match(stack, /at throwCustom .*throws\.js/)
    assert.match(stack, /at (async )?theCaller .*errors\.test\.js/)
    assert.ok(stack.indexOf('throwCustom') < stack.indexOf('theCaller'))
  })

  test('a time limit that has passed shows the caller', async () => {
    const busy = make('basic.js', { size: 1, concurrency: 1, tasksPerWorker: 1 })
    const waiting = make('basic.js', {
      size: 1,
      concurrency: 1,
      tasksPerWorker: 1,
      maxQueue: 0,
      whenFull: 'wait',
    })
    async function theCaller(pool, options) {
      await pool.run('later', ['done', 2000], options)
    }
    const outcomes = [busy.run('later', ['done', 100]), waiting.run('later', ['done', 100])]
    const late = [
      theCaller(busy, { timeout: 1 }),
      theCaller(make('basic.js'), { timeout: 1 }),
      theCaller(busy, { queueTimeout: 1, timeout: 1 }),
      theCaller(waiting, { queueTimeout: 1, timeout: 1 }),
    ]
    for (const { stack, code } of await Promise.all(late.map(rejection))) {
      assert.match(code, /^TW_ERR_(QUEUE_)?TIMEOUT$/)
      assert.match(stack, /at async theCaller .*errors\.test\.js/)
    }
    await Promise.all(outcomes)
  })

  test('a program whose built-ins are frozen gets the error of its task, and that of ours', async (t) => {
    if (executor.capabilities.remote) return t.skip('the client of Redis writes to Error itself')
    const execArgv = kind === 'processes' ? ['--frozen-intrinsics', '--no-warnings'] : undefined
    const frozen = make('throws.js', { size: 1, ...(execArgv && { execArgv }) })
    const own = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')
    Object.defineProperty(Error, 'stackTraceLimit', { ...own, writable: false })
    t.after(() => Object.defineProperty(Error, 'stackTraceLimit', own))
    assert.equal((await rejection(frozen.tasks.throwCustom())).code, 'E_VALIDATION')
    assert.equal((await rejection(frozen.run('noSuchTask'))).code, 'TW_ERR_TASK_NOT_FOUND')
  })

  test('a rejected promise is an error like a thrown one', async () => {
    const error = await rejection(executor.tasks.rejectCustom())
    assert.equal(error.name, 'ValidationError')
    assert.equal(error.message, 'bad email later')
  })

  test('built-in error classes of another realm become those of this one', async (t) => {
    if (!isPool) return t.skip('nothing is copied')
    const own = make('throws.js')
    const error = await rejection(own.tasks.foreignTypeError())
    assert.ok(error instanceof TypeError)
    assert.equal(error.name, 'TypeError')
  })

  test('built-in error classes stay what they are', async () => {
    assert.ok((await rejection(executor.tasks.throwBuiltIn())) instanceof TypeError)
    const aggregate = await rejection(executor.tasks.throwAggregate())
    assert.ok(aggregate instanceof AggregateError)
    assert.ok(aggregate.errors[0] instanceof RangeError)
    assert.equal(aggregate.errors[1], 'two')
    const abort = await rejection(executor.tasks.throwAbort())
    assert.ok(abort instanceof DOMException)
    assert.equal(abort.name, 'AbortError')
  })

  test('errors of the system keep their code, errno and path', async () => {
    const error = await rejection(executor.tasks.throwSystem())
    assert.equal(error.code, 'ENOENT')
    assert.equal(error.path, resolve('/does/not/exist')) // on Windows with a drive
    assert.equal(error.syscall, 'open')
  })

  test('anything can be thrown', async () => {
    for (const value of [undefined, null, 'text', 42, { a: [1] }]) {
      assert.deepEqual(await rejection(executor.tasks.throwValue(value)), value)
    }
    const thrown = await rejection(executor.tasks.throwFunction())
    if (isPool) assert.match(thrown, /thrown/)
    else assert.equal(typeof thrown, 'function')
  })

  test('a circular cause is kept circular, and a field that cannot travel does not hide the error', async () => {
    const circular = await rejection(executor.tasks.throwCircular())
    assert.equal(circular.cause, circular)
    const error = await rejection(executor.tasks.throwWithFunctionField())
    assert.equal(error.message, 'has a function')
    assert.equal(error.ok, 1)
  })

  test('the executor works on after errors', async () => {
    await rejection(executor.tasks.throwCustom())
    assert.equal((await rejection(executor.tasks.throwValue(1))) + 1, 2)
  })
})

describeExecutors('calls that cannot be made', (make) => {
  const executor = make('basic.js')

  test('wrong arguments of run reject, never throw', async () => {
    const wrong = [
      () => executor.run(42, []),
      () => executor.run('add', 'not a list'),
      () => executor.run('add', [], 5),
      () => executor.run('add', [], { signal: {} }),
      () => executor.run('add', [], { timeout: -1 }),
      () => executor.run('add', [], { timeout: NaN }),
      () => executor.run('add', [], { gracePeriod: '1' }),
      () => executor.run('add', [], { transfer: 'x' }),
      () => executor.map('double', 7),
    ]
    for (const call of wrong) {
      const error = await rejection(call())
      assert.ok(isThreadwiseError(error), String(error))
      assert.match(error.code, /^TW_ERR_INVALID_(OPTION|CALL)$/)
    }
  })

  test('arguments that cannot be cloned fail only their own call', async (t) => {
    if (!executor.capabilities.copies) {
      assert.equal(typeof (await executor.tasks.echo(() => {})), 'function')
      return t.diagnostic(`${executor.kind} shares arguments: nothing is cloned`)
    }
    const outcomes = await Promise.allSettled([
      executor.tasks.add(1, 2),
      executor.tasks.echo(() => {}),
      executor.tasks.add(3, 4),
      executor.tasks.echo(Symbol('s')),
      executor.tasks.add(5, 6),
    ])
    assert.deepEqual(
      outcomes.map(({ value, reason }) => value ?? reason.code),
      [3, 'TW_ERR_NOT_CLONEABLE', 7, 'TW_ERR_NOT_CLONEABLE', 11],
    )
    assert.match(outcomes[1].reason.message, /An argument of task "echo"/)
  })

  test('results that cannot be cloned fail only their own call', async (t) => {
    if (!executor.capabilities.copies) return t.skip(`${executor.kind} shares results: nothing is cloned`)
    const outcomes = await Promise.allSettled([
      executor.tasks.add(1, 2),
      executor.tasks.uncloneable(),
      executor.tasks.promiseOfUncloneable(),
      executor.tasks.add(3, 4),
    ])
    assert.deepEqual(
      outcomes.map(({ value, reason }) => value ?? reason.code),
      [3, 'TW_ERR_NOT_CLONEABLE', 'TW_ERR_NOT_CLONEABLE', 7],
    )
    assert.match(outcomes[1].reason.message, /The result of task "uncloneable"/)
  })
})
