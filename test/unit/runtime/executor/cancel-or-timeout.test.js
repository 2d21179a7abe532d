// The two ways in which a caller ends a call early: a signal, and a timeout on the run time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchCancellation } from '../../../../build/runtime/executor/cancel-or-timeout.js'
import { nextTurn } from '../../../helpers/waiting.js'
import { fakeTimers, replaceTimer } from '../../../helpers/fake-timers.js'

function watch(t, options) {
  fakeTimers(t)
  const reasons = []
  const watched = watchCancellation('render', options, (reason) => reasons.push(reason))
  return { ...watched, reasons, tick: (ms) => t.mock.timers.tick(ms) }
}

test('an abort gives the reason of the signal, once', (t) => {
  const controller = new AbortController()
  const { reasons } = watch(t, { signal: controller.signal })
  controller.abort('stop')
  controller.abort('again')
  assert.deepEqual(reasons, ['stop'])
})

test('the timeout runs from start()', (t) => {
  const { reasons, start, tick } = watch(t, { timeout: 100 })
  tick(1000)
  start()
  tick(99)
  assert.deepEqual(reasons, [])
  tick(1)
  assert.equal(reasons.length, 1)
  assert.equal(reasons[0].code, 'TW_ERR_TIMEOUT')
  assert.match(reasons[0].message, /Task "render" ran longer than its timeout of 100 ms/)
})

test('a second start() does not start the clock again', (t) => {
  const { reasons, start, tick } = watch(t, { timeout: 100 })
  start()
  tick(60)
  start()
  tick(60)
  assert.equal(reasons.length, 1)
})

test('release ends the clock, however often start() was called', (t) => {
  const { reasons, start, release, tick } = watch(t, { timeout: 100 })
  start()
  start()
  release()
  tick(1000)
  assert.deepEqual(reasons, [])
})

test('a timeout of 0 ends the call as soon as it has started', (t) => {
  const { reasons, start, tick } = watch(t, { timeout: 0 })
  start()
  tick(1)
  assert.equal(reasons.length, 1)
})

test('the abort ends the timeout, and the timeout ends the watch over the signal', (t) => {
  const controller = new AbortController()
  const aborted = watch(t, { signal: controller.signal, timeout: 100 })
  aborted.start()
  controller.abort('stop')
  aborted.tick(1000)
  assert.deepEqual(aborted.reasons, ['stop'])
  t.mock.timers.reset()

  const other = new AbortController()
  const late = watch(t, { signal: other.signal, timeout: 100 })
  late.start()
  late.tick(100)
  other.abort('stop')
  assert.equal(late.reasons.length, 1)
})

test('after release nothing happens any more', (t) => {
  const controller = new AbortController()
  const { reasons, start, release, tick } = watch(t, { signal: controller.signal, timeout: 100 })
  start()
  release()
  controller.abort()
  tick(1000)
  assert.deepEqual(reasons, [])
})
test('one signal can watch over very many calls without a warning', async (t) => {
  const warnings = []
  const note = ({ name }) => name !== 'ExperimentalWarning' && warnings.push(name) // that is of the mocked timers
  process.on('warning', note)
  t.after(() => process.off('warning', note))
  const { signal } = new AbortController()
  const watches = Array.from({ length: 1000 }, () => watchCancellation('a', { signal }, assert.fail))
  await nextTurn()
  for (const { release } of watches) release()
  assert.deepEqual(warnings, [])
})

for (const timeout of [Infinity, 2 ** 31]) {
  const title = `a timeout of ${timeout} is longer than a timer can wait, and so never ends a call`
  test(title, (t) => {
    const timers = []
    replaceTimer(t, (callback, ms) => timers.push(ms))
    watchCancellation('render', { timeout }, assert.fail).start()
    for (const ms of timers) assert.ok(ms < 2 ** 31, `a timer of ${ms} ms fires after 1 ms`)
  })
}
