// Each call is a resource of its own for tracers, as in piscina.
import assert from 'node:assert/strict'
import { createHook, executionAsyncId } from 'node:async_hooks'
import { test } from 'node:test'
import { Piscina } from 'threadwise/piscina'
import { taskModule } from '../../../helpers/executors.js'

test('a call is a Piscina.Task from run() until it has settled, and settles in its scope', async (t) => {
  const seen = new Map()
  const of = (id) => seen.get(id)
  const hook = createHook({
    init: (id, type) => type === 'Piscina.Task' && seen.set(id, []),
    before: (id) => of(id)?.push('before'),
    promiseResolve: () => of(executionAsyncId())?.push('settles'),
    after: (id) => of(id)?.push('after'),
    destroy: (id) => of(id)?.push('destroy'),
  })
  const pool = new Piscina({ filename: taskModule('basic.js').href, name: 'echo' })
  t.after(() => pool.destroy())
  hook.enable()
  t.after(() => hook.disable())
  await pool.run(1)
  await assert.rejects(pool.run(2, { name: 'missing' }))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(
    [...seen.values()],
    [1, 2].map(() => ['before', 'settles', 'after', 'destroy']),
  )
})
