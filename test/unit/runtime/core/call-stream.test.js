// The caller's side of a stream, with a call that the test answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCallStream } from '../../../../build/runtime/core/call-stream.js'
import { STOPPED } from '../../../../build/runtime/core/call-listener.js'
import { collectGarbage } from '../../../helpers/collect-garbage.js'
import { outcome } from '../../../helpers/fake-runtime.js'
import { nextTurn } from '../../../helpers/waiting.js'

const end = { done: true, value: undefined }

/** A stream; `log` says what it asked of its call, and `call` answers it. */
function open({ window = 4, onProgress } = {}) {
  const log = []
  const call = { log }
  const start = (listener) => {
    log.push('start')
    call.listener = listener
    listener.connect({
      grant: (count) => log.push(count),
      stop: () => log.push('stop'),
      fail: (reason) => log.push(['fail', reason]),
    })
    return new Promise((resolve, reject) => Object.assign(call, { resolve, reject }))
  }
  return { stream: createCallStream({ name: 'task', window, onProgress, start }), call, log }
}

const values = async (promises) => (await Promise.all(promises)).map(({ value }) => value)

test('the call starts at the first next(), and once', async () => {
  const { stream, log, call } = open()
  await nextTurn()
  assert.deepEqual(log, [])
  const nexts = [stream.next(), stream.next()]
  assert.deepEqual(log, ['start'])
  call.listener.items([1, 2, 3])
  assert.deepEqual(await values(nexts), [1, 2])
})

test('credit goes back by halves of the window, for what was taken and not for what was received', async () => {
  const { stream, log, call } = open({ window: 4 })
  const first = stream.next()
  call.listener.items([0, 1, 2, 3])
  await first
  assert.deepEqual(log, ['start'])
  await stream.next()
  assert.deepEqual(log, ['start', 2])
  call.listener.items([4, 5])
  assert.deepEqual(await values(Array.from({ length: 4 }, () => stream.next())), [2, 3, 4, 5])
  assert.deepEqual(log, ['start', 2, 2, 2])
})

test('with a window of 0 credit is what waits', async () => {
  const { stream, log, call } = open({ window: 0 })
  const nexts = [stream.next(), stream.next()]
  assert.deepEqual(log, ['start', 1, 1])
  call.listener.items([1])
  call.listener.items([2])
  assert.deepEqual(await values(nexts), [1, 2])
  assert.deepEqual(log, ['start', 1, 1])
})

test('what was received comes before the end, and before an error, which comes once', async () => {
  for (const reason of [undefined, new Error('no')]) {
    const { stream, call } = open()
    const first = stream.next()
    call.listener.items([1, 2])
    if (reason) call.reject(reason)
    else call.resolve()
    await nextTurn()
    assert.deepEqual(await values([first, stream.next()]), [1, 2])
    if (reason) assert.deepEqual(await outcome(stream.next()), { error: reason })
    assert.deepEqual(await stream.next(), end)
  }
})

test('an error that nobody asks for is no unhandled rejection, and return() forgets it', async () => {
  const { stream, call } = open()
  const first = stream.next()
  call.listener.items([1])
  await first
  call.reject(new Error('nobody sees this'))
  await nextTurn()
  assert.deepEqual(await stream.return(), end)
  assert.deepEqual(await stream.next(), end)
})

test('return() drops what was received, and waits for the end of the call', async () => {
  const { stream, call, log } = open()
  const nexts = [stream.next(), stream.next()]
  call.listener.items([1])
  const returned = stream.return()
  assert.deepEqual(log, ['start', 'stop'])
  call.listener.items([2])
  assert.equal(await outcome(returned), 'open')
  call.resolve()
  assert.deepEqual(await returned, end)
  assert.deepEqual(await values(nexts), [1, undefined])
  assert.deepEqual(log, ['start', 'stop'])
})

test('return() rejects with the error of the call, but not when the time to wait for it is over', async () => {
  for (const reason of [new Error('in finally'), STOPPED]) {
    const { stream, call } = open()
    const first = stream.next()
    const returned = stream.return()
    const again = stream.return()
    call.reject(reason)
    assert.deepEqual(await outcome(returned), reason === STOPPED ? { value: end } : { error: reason })
    assert.deepEqual(await Promise.all([first, again, stream.next()]), [end, end, end])
  }
})

test('an iterator that was thrown away stops its call, once those who wait have their item', async () => {
  const { log, call, first } = (() => {
    const { stream, call, log } = open()
    return { log, call, first: stream.next() }
  })()
  for (let i = 0; i < 5; i++) {
    await nextTurn()
    collectGarbage()
  }
  await nextTurn()
  assert.deepEqual(log, ['start'])
  call.listener.items([1, 2])
  assert.deepEqual(await first, { done: false, value: 1 })
  assert.deepEqual(log, ['start', 'stop'])
})

test('what onProgress throws fails the call', async () => {
  const reason = new Error('in the callback')
  const onProgress = () => {
    throw reason
  }
  const { stream, call, log } = open({ onProgress })
  void stream.next()
  call.listener.progress(1)
  assert.deepEqual(log, ['start', ['fail', reason]])
})
