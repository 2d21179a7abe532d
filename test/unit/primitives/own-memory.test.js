// Where there is no /proc Node cannot tell the resident memory, and throws.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processes, threads } from 'threadwise'
import { ownMemory, residentBytes } from '../../../build/primitives/own-memory.js'

function withoutProc(t) {
  const error = Object.assign(new Error('ENOENT: no such file or directory, uv_resident_set_memory'), {
    code: 'ENOENT',
  })
  const fail = () => {
    throw error
  }
  const { memoryUsage } = process
  t.after(() => (process.memoryUsage = memoryUsage))
  process.memoryUsage = Object.assign(fail, { rss: fail })
}

test('what is known is told, and what is not is null', (t) => {
  assert.ok(ownMemory().rss > 0)
  withoutProc(t)
  const { rss, heapUsed, external } = ownMemory()
  assert.deepEqual([rss, heapUsed > 0, external > 0], [null, true, true])
  assert.equal(residentBytes(), null)
})

for (const make of [threads, processes])
  for (const options of [{}, { size: 1 }])
    test(`a pool works (${make === threads ? 'threads' : 'processes'}, ${JSON.stringify(options)})`, async (t) => {
      withoutProc(t)
      const pool = make(new URL('../../fixtures/tasks/basic.js', import.meta.url), options)
      assert.equal(await pool.tasks.add(1, 2), 3)
      await pool.close()
    })
