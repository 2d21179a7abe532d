// Errors cross the boundary as they were thrown: round trips through the structured clone.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isThreadwiseError, ThreadwiseError } from '../../../../build/errors/errors.js'
import { decodeThrown, encodeThrown } from '../../../../build/runtime/wire/serialize-error.js'
import { plainValues } from '../../../helpers/plain-values.js'
import { createRandom } from '../../../../build/measure/stats/random.js'

const roundTrip = (thrown, callerStack) => decodeThrown(structuredClone(encodeThrown(thrown)), callerStack)

describe('anything that is thrown arrives', () => {
  for (const value of plainValues) {
    test(`a plain value: ${Object.prototype.toString.call(value)} ${typeof value}`, () => {
      assert.deepEqual(roundTrip(value), value)
    })
  }

  test('what cannot be cloned arrives as its text', () => {
    assert.equal(roundTrip(Symbol('why')), 'Symbol(why)')
    assert.match(
      roundTrip(function reason() {}),
      /function reason/,
    )
    assert.equal(roundTrip({ f() {}, toString: () => 'my text' }), 'my text')
    assert.equal(roundTrip(Object.assign(Object.create(null), { f() {} })), '[object Object]')
  })
})

describe('an error', () => {
  for (const Type of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
    test(`of class ${Type.name} stays one, with message and stack`, () => {
      const error = new Type('message')
      const back = roundTrip(error)
      assert.equal(Object.getPrototypeOf(back), Type.prototype)
      assert.deepEqual([back.name, back.message, back.stack], [error.name, error.message, error.stack])
      assert.deepEqual(Object.keys(back), [])
    })
  }

  test('of a subclass keeps its name, its fields and the nearest built-in class', () => {
    class ParseError extends SyntaxError {
      name = 'ParseError'
      line = 3
      token = { text: '}', at: new Date(0) }
    }
    const back = roundTrip(new ParseError('unexpected'))
    assert.ok(back instanceof SyntaxError)
    assert.equal(String(back), 'ParseError: unexpected')
    assert.deepEqual({ ...back }, { name: 'ParseError', line: 3, token: { text: '}', at: new Date(0) } })
  })

  test('whose name is a getter of its class keeps the name, hidden as it was', () => {
    class Hidden extends Error {
      get name() {
        return 'HiddenError'
      }
    }
    const back = roundTrip(new Hidden('x'))
    assert.equal(back.name, 'HiddenError')
    assert.deepEqual(Object.keys(back), [])
  })

  test('without a message, or with an empty stack, arrives so', () => {
    const error = new Error()
    error.stack = ''
    const back = roundTrip(error)
    assert.equal(back.message, '')
    assert.equal(back.stack, '')
  })

  test('keeps a cause of any kind, hidden; and has none when it had none', () => {
    assert.equal('cause' in roundTrip(new Error('x')), false)
    for (const cause of [undefined, null, 0, 'text', { plain: [1] }]) {
      const back = roundTrip(new Error('x', { cause }))
      assert.ok('cause' in back)
      assert.deepEqual(back.cause, cause)
      assert.deepEqual(Object.keys(back), [])
    }
  })

  test('whose causes go in a circle arrives with the circle', () => {
    const a = new Error('a')
    const b = new TypeError('b', { cause: a })
    a.cause = b
    const back = roundTrip(a)
    assert.equal(back.cause.cause, back)
    assert.ok(back.cause instanceof TypeError)
  })

  test('that is its own cause and its own field arrives', () => {
    const error = new Error('self')
    error.cause = error
    error.me = error
    const back = roundTrip(error)
    assert.equal(back.cause, back)
    assert.equal(back.me, back)
  })

  test('that appears twice is one error', () => {
    const shared = new Error('shared')
    const back = roundTrip(new AggregateError([shared, shared], 'both', { cause: shared }))
    assert.equal(back.errors[0], back.errors[1])
    assert.equal(back.errors[0], back.cause)
  })

  test('of class AggregateError keeps its errors, whatever they are', () => {
    const back = roundTrip(new AggregateError([new RangeError('one'), 'two', undefined], 'all'))
    assert.ok(back instanceof AggregateError)
    assert.ok(back.errors[0] instanceof RangeError)
    assert.deepEqual(back.errors.slice(1), ['two', undefined])
    assert.deepEqual(Object.keys(back), [])
  })

  test('of class DOMException keeps its name and code', () => {
    const back = roundTrip(new DOMException('gone', 'AbortError'))
    assert.ok(back instanceof DOMException)
    assert.deepEqual([back.name, back.message, back.code], ['AbortError', 'gone', 20])
  })

  test('of threadwise is recognised, with its code and cause', () => {
    const back = roundTrip(new ThreadwiseError('TW_ERR_CLOSED', {}, { cause: new Error('why') }))
    assert.ok(isThreadwiseError(back))
    assert.ok(back instanceof ThreadwiseError)
    assert.equal(back.code, 'TW_ERR_CLOSED')
    assert.equal(back.name, 'ThreadwiseError')
    assert.match(back.message, /was closed/)
    assert.equal(back.cause.message, 'why')
  })

  test('of the user is not taken for one of threadwise, whatever its code says', () => {
    const back = roundTrip(Object.assign(new Error('x'), { code: 'TW_ERR_CLOSED' }))
    assert.equal(isThreadwiseError(back), false)
  })

  test('of another realm is an error too', async () => {
    const { runInNewContext } = await import('node:vm')
    const back = roundTrip(runInNewContext('new TypeError("elsewhere")'))
    assert.ok(back instanceof Error)
    assert.equal(String(back), 'TypeError: elsewhere')
  })

  test('with fields that cannot be cloned arrives with their texts in their place', () => {
    const error = Object.assign(new Error('x'), { socket: { write() {} }, retry: () => 1, code: 'E' })
    const back = roundTrip(error)
    assert.equal(back.code, 'E')
    assert.equal(back.socket, '[object Object]')
    assert.match(back.retry, /=> 1/)
  })

  test('with a field that throws when it is read arrives without it', () => {
    const error = new Error('x')
    Object.defineProperty(error, 'bad', { enumerable: true, get: () => { throw new Error('no') } }) // prettier-ignore
    Object.defineProperty(error, 'cause', { get: () => { throw new Error('no') } }) // prettier-ignore
    const back = roundTrip(error)
    assert.equal(back.message, 'x')
    assert.equal(back.bad, undefined)
  })

  test('keeps own fields called errors that are no list, as validation libraries have them', () => {
    const back = roundTrip(Object.assign(new Error('invalid'), { errors: { email: 'is missing' } }))
    assert.deepEqual(back.errors, { email: 'is missing' })
  })

  test('shows an own list called errors in logs as before', () => {
    const back = roundTrip(Object.assign(new Error('invalid'), { errors: ['email is missing'] }))
    assert.deepEqual({ ...back }, { errors: ['email is missing'] })
  })
})

describe('the stack of the caller', () => {
  test('is appended to the thrown error only', () => {
    const error = new Error('x', { cause: new Error('why') })
    const back = roundTrip(error, '    at caller')
    assert.equal(back.stack, `${error.stack}\n    at caller`)
    assert.equal(back.cause.stack, error.cause.stack)
  })

  test('is left out when something other than an error was thrown', () => {
    assert.equal(roundTrip('text', '    at caller'), 'text')
    assert.deepEqual(roundTrip({ a: 1 }, '    at caller'), { a: 1 })
  })
})

/** A random error: classes, names, fields, causes and lists of errors, nested, with errors that appear again. */
function randomError(random, depth, known) {
  const pick = (list) => list[Math.floor(random() * list.length)]
  if (known.length > 0 && random() < 0.15) return pick(known)
  const Type = pick([Error, TypeError, RangeError, AggregateError])
  const message = `message ${Math.floor(random() * 1000)}`
  const error = Type === AggregateError ? new AggregateError([], message) : new Type(message)
  known.push(error)
  const value = () =>
    depth > 0 && random() < 0.6
      ? randomError(random, depth - 1, known)
      : pick([1, null, 'text', [1, { a: 2 }]])
  for (const key of ['code', 'path', 'detail']) if (random() < 0.4) error[key] = value()
  if (random() < 0.2) error.name = 'CustomError'
  if (random() < 0.5)
    Object.defineProperty(error, 'cause', { value: value(), writable: true, configurable: true })
  if (Type === AggregateError) error.errors = Array.from({ length: Math.floor(random() * 3) }, value)
  return error
}

/** Walks both at once: each error of one side must stand where exactly one error of the other stands. */
function assertSame(a, b, pairs = new Map()) {
  if (!(a instanceof Error)) return assert.deepEqual(b, a)
  if (pairs.has(a)) return assert.equal(b, pairs.get(a))
  pairs.set(a, b)
  assert.equal(Object.getPrototypeOf(b), Object.getPrototypeOf(a))
  for (const key of ['name', 'message', 'stack']) assert.equal(b[key], a[key])
  assert.deepEqual(Object.keys(b).sort(), Object.keys(a).sort())
  assert.equal('cause' in b, 'cause' in a)
  for (const key of [...Object.keys(a), 'cause']) if (key !== 'name') assertSame(a[key], b[key], pairs)
  assert.equal(b.errors?.length, a.errors?.length)
  a.errors?.forEach((inner, i) => assertSame(inner, b.errors[i], pairs))
}

test('500 random errors, nested in each other, arrive the same', () => {
  for (let seed = 0; seed < 500; seed++) {
    const error = randomError(createRandom(seed), 4, [])
    try {
      assertSame(error, roundTrip(error))
    } catch (failure) {
      throw new Error(`seed ${seed} does not survive`, { cause: failure })
    }
  }
})
