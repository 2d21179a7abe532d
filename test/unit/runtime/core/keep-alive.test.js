// What keeps a program alive while calls are open.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeepAlive } from '../../../../build/runtime/core/lifecycle.js'

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('a timer does, while it is needed, also where a test has replaced setInterval', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const before = timers()
  const keepAlive = createKeepAlive()
  keepAlive.set(true)
  assert.equal(timers(), before + 1)
  keepAlive.set(false)
  assert.equal(timers(), before)
  keepAlive.end()
})
