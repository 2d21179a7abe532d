// What threadwise/task and threadwise/parallel have for contexts where they run in Node.
import assert from 'node:assert/strict'
import { AsyncLocalStorage, AsyncResource, createHook } from 'node:async_hooks'
import { test } from 'node:test'
import { inline } from 'threadwise'
import { map } from 'threadwise/parallel'
import { enterLater } from '../../../../../build/runtime/web/shims/async-scope-anywhere.js'

test('contexts are those of where it was made, and what a callback enters ends with it', () => {
  const storage = new AsyncLocalStorage()
  const enter = storage.run('made', enterLater)
  assert.equal(enter(() => storage.getStore()), 'made') // prettier-ignore
  enter(() => storage.enterWith('left behind'))
  assert.equal(enter(() => storage.getStore()), 'made') // prettier-ignore
})

test('a test runner takes nothing of it for a handle that is open', async () => {
  const open = []
  const isOpen = (resource) => resource instanceof AsyncResource && resource.hasRef?.() !== false
  const init = (id, type, trigger, resource) => void (isOpen(resource) && open.push(type))
  const hook = createHook({ init }).enable()
  try {
    assert.deepEqual(await map(inline({ double: (n) => 2 * n }), 'double', [1, 2, 3]), [2, 4, 6])
  } finally {
    hook.disable()
  }
  assert.deepEqual(open, [])
})
