// Errors arrive whole: thrown, rejected, as results, within results, and as arguments; on every executor.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isNativeError } from 'node:util/types'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { plainValues } from '../helpers/plain-values.js'
import { makers } from '../fixtures/tasks/whole-errors.js'

/** Windows has a number of its own for it, and a drive in each path. */
const ENOENT = globalThis.process?.platform === 'win32' ? -4058 : -2

/** What must hold for each kind, wherever it arrives. `isShared`: it is the very object. */
const checks = {
  aggregate(error) {
    assert.ok(error instanceof AggregateError)
    const [one, inner, plain] = error.errors
    assert.ok(one instanceof TypeError && inner instanceof AggregateError)
    assert.deepEqual([error.message, one.message, plain], ['outer', 'one', { plain: true }])
    assert.ok(inner.errors[0] instanceof RangeError)
    assert.deepEqual([inner.errors[0].code, ...inner.errors.slice(1)], ['E_TWO', 'text', null])
    assert.equal(error.cause, inner)
    assert.deepEqual(Object.keys(error), [])
  },
  domException(error) {
    assert.ok(error instanceof DOMException && error instanceof Error)
    assert.deepEqual([error.name, error.message, error.code], ['TimeoutError', 'too long', 23])
  },
  domWithCause(error) {
    assert.ok(error instanceof DOMException)
    assert.deepEqual([error.name, error.code], ['AbortError', 20])
    assert.ok(error.cause instanceof TypeError)
  },
  circle(error) {
    assert.ok(error.cause instanceof TypeError)
    assert.equal(error.cause.cause, error)
    assert.equal(error.self, error)
    assert.equal(error.context.errors[0], error)
    assert.equal(error.context.errors[1], error.cause)
    assert.equal(error.context.map.get('a'), error)
  },
  chain(error) {
    let depth = 0
    let last = error
    for (; last.cause; last = last.cause) depth++
    assert.deepEqual([depth, last.message, last instanceof RangeError], [49, '0', true])
  },
  fields(error, isShared) {
    assert.ok(error instanceof SyntaxError)
    assert.equal(String(error), 'DeepError: fields')
    assert.equal(error.big, 2n ** 70n)
    assert.deepEqual([error.when, error.pattern], [new Date(5), /x/giu])
    assert.deepEqual(error.map, new Map([['k', new Set([1])]]))
    assert.deepEqual([...error.bytes], [1, 2, 3])
    assert.ok('nothing' in error && error.nil === null)
    const { inner, response } = error
    assert.ok(inner instanceof SyntaxError)
    assert.deepEqual(
      [inner.name, inner.message, inner.line, inner.cause],
      ['DeepError', 'inner', 3, 'a text'],
    )
    assert.equal(response.status, 404)
    assert.equal(response.failures[0], inner)
    assert.equal(response.failures[1].deep, inner)
    assert.ok(response.set.has(inner))
    if (isShared) return
    assert.match(error.retry, /=>/)
    assert.match(error.socket.write, /write/)
  },
  getters(error, isShared) {
    assert.deepEqual([error.message, error.ok], ['has getters', 1])
    if (!isShared) assert.equal(error.bad, undefined)
  },
  system(error) {
    assert.ok(error instanceof Error)
    assert.deepEqual(
      [error.code, error.errno, error.syscall, error.path.replace(/^[A-Z]:/, '').replaceAll('\\', '/')],
      ['ENOENT', ENOENT, 'open', '/does/not/exist'],
    )
  },
  frozen(error) {
    assert.deepEqual([error.message, error.code], ['frozen', 'E_ICE'])
  },
  withoutPrototype(error, isShared) {
    assert.equal(error.message, 'bare')
    if (!isShared) assert.ok(error instanceof Error)
  },
}

test('every maker has its check', () => assert.deepEqual(Object.keys(checks), Object.keys(makers)))

describeExecutors('whole errors', (make, { isPool }) => {
  const executor = make('whole-errors.js')

  test('in named properties of a list', async () => {
    for (const length of [0, 1, 32])
      checks.aggregate((await executor.run('returnNamed', ['aggregate', length])).error)
    const list = Object.assign([1], { error: makers.aggregate() })
    checks.aggregate((await executor.run('echo', [list])).error)
    checks.aggregate((await executor.map('echo', [list]))[0].error)
  })

  for (const [kind, check] of Object.entries(checks)) {
    describe(kind, () => {
      test('thrown and rejected', async () => {
        for (const task of ['throwOne', 'rejectOne']) {
          const error = await rejection(executor.run(task, [kind]))
          check(error, !isPool)
          if (kind !== 'getters' && kind !== 'frozen') assert.match(error.stack, /whole-errors\.js/)
        }
      })

      test('as a result, and within one', async () => {
        check(await executor.tasks.returnOne(kind), !isPool)
        const { list, map, outcome } = await executor.tasks.returnWithin(kind)
        check(list[0], !isPool)
        assert.equal(map.get(1).error, list[0])
        assert.equal(outcome.reason, list[0])
        if (kind !== 'domException' && kind !== 'domWithCause') assert.ok(isNativeError(list[0]))
      })

      test('as an argument', async () => {
        const error = makers[kind]()
        check(await executor.tasks.echo(error), !isPool)
        check((await executor.tasks.echo([{ error }]))[0].error, !isPool)
        check(await rejection(executor.tasks.throwValue(error)), !isPool)
      })
    })
  }

  test('values that are no errors', async () => {
    for (const value of plainValues) {
      let thrown
      await executor.tasks.throwValue(value).catch((reason) => (thrown = { reason }))
      assert.deepEqual(thrown, { reason: value })
    }
    const symbol = await executor.tasks.throwSymbol().catch((reason) => reason)
    assert.equal(String(symbol), 'Symbol(mine)')
    const mixed = await executor.tasks.throwMixed().catch((reason) => reason)
    assert.deepEqual(mixed.when, new Date(5))
    checks.fields(mixed.errors[0], !isPool)
  })

  test('many at once, each its own', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 300 }, (_, i) =>
        executor.tasks.throwValue(
          Object.assign(new RangeError(`n ${i}`), { i, list: [new Error(`in ${i}`)] }),
        ),
      ),
    )
    outcomes.forEach(({ reason }, i) => {
      assert.ok(reason instanceof RangeError)
      assert.deepEqual([reason.message, reason.i, reason.list[0].message], [`n ${i}`, i, `in ${i}`])
    })
  })
})
