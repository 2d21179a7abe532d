// Many large copies: each thread collects those that were dropped, long before V8 would by itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PerformanceObserver, constants } from 'node:perf_hooks'
import { threads } from '../../dist/index.js'
import { setTimeout as delay } from 'node:timers/promises'

const module = new URL('../fixtures/collections.js', import.meta.url)
const MB = 1024 * 1024
const CALLS = 320

/** How often the young generation was collected, here and in the only worker, while 320 MB went each way. */
async function collectionsOf(options) {
  let here = 0
  const observer = new PerformanceObserver((list) => {
    here += list
      .getEntries()
      .filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MINOR).length
  })
  observer.observe({ entryTypes: ['gc'] })
  const pool = threads(module, { size: 1, ...options })
  try {
    await pool.run('watchCollections')
    const bytes = new Uint8Array(MB).fill(7)
    for (let i = 0; i < CALLS; i++) assert.equal((await pool.run('echo', [bytes])).length, MB)
    await delay(50) // observers are told a moment later
    return { here, there: await pool.run('collections') }
  } finally {
    observer.disconnect()
    await pool.close()
  }
}

test('threads collect oftener than V8 would by itself, as by message', async () => {
  const byMessage = await collectionsOf({ transport: 'message' })
  const { here, there } = await collectionsOf({})
  // 40 for the copies; by itself V8 collects after 64 MB, on Node 20 after 32.
  assert.ok(here > 1.25 * byMessage.here, `${here} here, by message ${byMessage.here}`)
  assert.ok(there > 1.25 * byMessage.there, `${there} in the worker, by message ${byMessage.there}`)
})
