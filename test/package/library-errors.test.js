// What libraries throw arrives whole: fields that are hidden too, and of what cannot travel each leaf as its text, nothing else.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { processes, threads } from 'threadwise'
import { makers } from '../fixtures/tasks/library-errors.js'
import { all } from '../helpers/streams.js'

const module = new URL('../fixtures/tasks/library-errors.js', import.meta.url)
const executors = {
  threads: threads(module, { size: 1 }),
  'threads by message': threads(module, { size: 1, transport: 'message' }),
  processes: processes(module, { size: 1 }),
}
after(() => Promise.all(Object.values(executors).map((executor) => executor.close())))

/** What programs ask of them. */
const checks = {
  'axios: an answer of 404'({ name, code, status, response, config, request }) {
    assert.deepEqual([name, code, status], ['AxiosError', 'ERR_BAD_REQUEST', 404])
    assert.deepEqual([response.status, response.data], [404, { why: 'gone' }])
    assert.equal(response.headers['x-id'], '7')
    assert.equal(response.config, config)
    assert.match(config.url, /^http:/)
    assert.equal(config.headers['x-sent'], 'yes')
    assert.match(config.validateStatus, /status/)
    assert.equal(request, '[ClientRequest]')
  },
  'axios: no connection': ({ name, code, config, cause }) => {
    assert.deepEqual([name, code, config.method], ['Error', 'ECONNREFUSED', 'get'])
    assert.ok(cause === undefined || cause.code === 'ECONNREFUSED')
  },
  'undici: no connection': ({ code }) => assert.equal(code, 'ECONNREFUSED'),
  'fetch: no connection': (error) => {
    assert.ok(error instanceof TypeError && error.cause instanceof Error)
    assert.ok(error.cause.message.length > 0)
  },
  'zod: a wrong input': ({ name, issues }) => {
    assert.equal(name, 'ZodError')
    assert.deepEqual([issues[0].path, issues[0].code], [['user', 'age'], 'invalid_type'])
  },
  'pg: no connection': ({ code, port }) => assert.deepEqual([code, port], ['ECONNREFUSED', 1]),
  'pg: an answer of the database': ({ code, constraint, detail, length }) => {
    assert.deepEqual([code, constraint, length], ['23505', 'users_email_key', 100])
    assert.match(detail, /already exists/)
  },
  'Prisma: a known error': ({ name, code, meta, clientVersion, batchRequestIdx }) => {
    assert.deepEqual([name, code, clientVersion], ['PrismaClientKnownRequestError', 'P2002', '7.0.0'])
    assert.deepEqual([meta, batchRequestIdx], [{ target: ['email'] }, 3])
  },
  'Prisma: a wrong query': ({ name }) => assert.equal(name, 'PrismaClientValidationError'),
  'AWS: an answer of S3': ({ name, $fault, $metadata, $response }) => {
    assert.deepEqual([name, $fault], ['NoSuchKey', 'client'])
    assert.deepEqual($metadata, { httpStatusCode: 404, attempts: 1 })
    assert.equal($response.statusCode, 404)
  },
  AggregateError: (error) => {
    assert.ok(error instanceof AggregateError && error.errors[0] instanceof TypeError)
    assert.match(error.errors[1].plain, /=>/)
  },
  SuppressedError: ({ error }) => assert.ok(error instanceof TypeError),
  DOMException: (error) => {
    assert.ok(error instanceof DOMException)
    assert.deepEqual([error.name, error.code], ['DataCloneError', 25])
  },
  'WebAssembly.CompileError': (error) => assert.ok(error instanceof WebAssembly.CompileError),
  'WebAssembly.LinkError': (error) => assert.ok(error instanceof WebAssembly.LinkError),
  'an object that is no error': ({ status, retry, socket }) => {
    assert.equal(status, 500)
    assert.match(retry, /=>/)
    assert.equal(socket.get('a'), 'Symbol(s)')
  },
  'a text': (text) => assert.equal(text, 'only a text'),
  nothing: (value) => assert.equal(value, undefined),
}
/** Only what is thrown may lose parts: values are refused. */
const onlyThrown = ['an object that is no error']

function isWhole(name, made, error) {
  checks[name](error)
  if (!(made instanceof Error)) return
  assert.ok(error instanceof Error)
  assert.equal(error.name, made.name)
  for (const key of Object.getOwnPropertyNames(made)) {
    assert.ok(Object.hasOwn(error, key), `own ${key}`)
    assert.equal(isShown(error, key), isShown(made, key), `${key} is shown, or hidden`)
  }
}

const isShown = (object, key) => Object.prototype.propertyIsEnumerable.call(object, key)
const thrownBy = (promise) => promise.then(() => assert.fail('it has not failed'), (thrown) => thrown) // prettier-ignore

for (const [kind, executor] of Object.entries(executors))
  describe(kind, () => {
    for (const [name, make] of Object.entries(makers))
      test(name, async () => {
        const made = await make()
        isWhole(name, made, await thrownBy(executor.run('fail', [name])))
        isWhole(name, made, await thrownBy(executor.run('failByFork', [name])))
        if (onlyThrown.includes(name)) return
        isWhole(name, made, await thrownBy(executor.run('throwIt', [made])))
        isWhole(name, made, (await executor.run('give', [name])).error)
        isWhole(name, made, (await all(executor.stream('items', [name])))[0])
        let reported
        await executor.run('report', [name], { onProgress: (value) => (reported = value) })
        isWhole(name, made, reported)
      })
  })
