// move(): what is marked is moved by every way that a value can take, or refused where it is sent; nothing is lost on the way.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { move } from 'threadwise'
import { contentOf, isGone, makers } from '../fixtures/tasks/moved.js'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { all } from '../helpers/streams.js'

const onlyMovable = ['a port', 'a stream']

/** How a value leaves a task. */
const outward = {
  'a result': (executor, name) => executor.tasks.give(name),
  'a result after a promise': (executor, name) => executor.tasks.giveLater(name),
  'an item': async (executor, name) => (await all(executor.stream('items', [name])))[0],
  progress: (executor, name) =>
    new Promise((resolve, reject) => executor.run('report', [name], { onProgress: resolve }).catch(reject)),
  'the result of a fork': (executor, name) => executor.tasks.giveByFork(name),
}
/** What of these cannot travel is told by its text. */
const thrown = {
  'an error': (executor, name) => rejection(executor.tasks.fail(name)),
  'an error after a promise': (executor, name) => rejection(executor.tasks.failLater(name)),
  'something thrown that is no error': (executor, name) => executor.tasks.throwPlain(name).catch((it) => it),
  'the error of a fork': (executor, name) => rejection(executor.tasks.failByFork(name)),
}
/** How it comes into one. */
const inward = {
  'an argument': (executor, value) => executor.tasks.contentOfInner(value),
  'one of several arguments': (executor, value) => executor.run('contentOfInner', [value, 2]),
  'an input of map': async (executor, value) => (await executor.map('contentOfInner', [value]))[0],
  'an argument of a stream': async (executor, value) => (await all(executor.stream('contents', [value])))[0],
  'an argument of a call with progress': (executor, value) =>
    executor.run('contentOfInner', [value], { onProgress() {} }),
}

describeExecutors('moved values', (make, { kind, isPool }) => {
  const executor = make('moved.js', { size: 2 })
  const isMoved = isPool && kind !== 'processes'

  for (const [name, makeValue] of Object.entries(makers)) {
    const isRefused = kind === 'processes' && onlyMovable.includes(name)
    const expected = () => contentOf(makeValue())

    describe(name, () => {
      for (const [way, receive] of Object.entries(outward))
        test(`as ${way}`, async () => {
          if (!isRefused)
            return assert.equal(await contentOf((await receive(executor, name)).inner), await expected())
          const error = await rejection(receive(executor, name))
          assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
          assert.match(error.message, /\.inner is a \w+, which only threads can be given/)
        })

      for (const [way, receive] of Object.entries(thrown))
        test(`in ${way}`, async () => {
          const { inner } = await receive(executor, name)
          if (isRefused) assert.match(inner, /MessagePort|ReadableStream|EventTarget/)
          else assert.equal(await contentOf(inner), await expected())
        })

      for (const [way, send] of Object.entries(inward))
        test(`as ${way}`, async () => {
          const value = { inner: move(makeValue()) }
          if (isRefused) {
            const error = await rejection(send(executor, value))
            assert.match(error.message, /\.inner is a \w+, which only threads can be given/)
            return
          }
          assert.equal(await send(executor, value), await expected())
          if (isMoved && !onlyMovable.includes(name)) assert.ok(isGone(value.inner))
        })

      test('as an argument of a fork', async () => {
        if (!isRefused) {
          const { content, isGone } = await executor.tasks.sendByFork(name)
          assert.equal(content, await expected())
          if (isMoved) assert.ok(isGone)
          return
        }
        const error = await rejection(executor.tasks.sendByFork(name))
        assert.match(error.message, /args\[0\]\.inner is a \w+, which only threads can be given/)
      })
    })
  }

  test('a broadcast gives each worker its own', async () => {
    const bytes = { inner: move(new Uint8Array([1, 2, 3])) }
    assert.deepEqual([...new Set(await executor.broadcast('contentOfInner', [bytes]))], ['Uint8Array 3 1'])
    assert.equal(isGone(bytes.inner), false)
  })

  test('what cannot be moved is refused at the call', async () => {
    for (const [wrong, expected] of [
      [
        new Uint8Array(1e6),
        /transfer\[0\] must be its buffer: a view cannot be moved, got a view of 1000000 bytes/,
      ],
      [{}, /transfer\[0\] must be an ArrayBuffer, a MessagePort or a web stream, got an object/],
      [5, /transfer\[0\] must be .*, got 5/],
    ])
      for (const call of [
        executor.run('contentOfInner', [{}], { transfer: [wrong] }),
        executor.map('contentOfInner', [{}], { transfer: [wrong] }),
      ]) {
        const error = await rejection(call)
        assert.equal(error.code, 'TW_ERR_INVALID_OPTION')
        assert.match(error.message, expected)
      }
  })
})
