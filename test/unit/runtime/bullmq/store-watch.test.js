// Who is silent: the store, or the workers behind it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOOK_MS, StoreWatch } from '../../../../build/runtime/bullmq/store-watch.js'

/** Resolves with what is told first of a store that answers, or does not, while no worker answers. */
function told(look, times) {
  return new Promise((resolve) => {
    const tell = (who) => () => {
      watch.stop()
      resolve(who)
    }
    const options = { look, askWorkers() {}, onStoreSilent: tell('store'), onNoWorker: tell('workers') }
    const watch = new StoreWatch({ ...options, ...times })
    watch.start()
    setTimeout(tell('nobody'), 6 * LOOK_MS)
  })
}

test('no worker is told only while the store answers: else nobody could hear one', async () => {
  const times = { workerTimeout: LOOK_MS / 2, storeTimeout: 1.5 * LOOK_MS }
  const [answering, silent] = await Promise.all([
    told(async () => {}, times),
    told(() => new Promise(() => {}), times),
  ])
  assert.deepEqual([answering, silent], ['workers', 'store'])
})
