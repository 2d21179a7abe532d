// Who is silent: the store, or the workers behind it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOOK_MS, StoreWatch } from '../../../../build/runtime/bullmq/store-watch.js'
import { fakeClock } from '../../../helpers/fake-timers.js'
import { nextTurn } from '../../../helpers/waiting.js'

/** What is told first of a store that answers, or does not, while no worker answers. */
async function told(pass, look) {
  let who
  const tell = (name) => () => (who ??= name)
  const times = { workerTimeout: LOOK_MS / 2, storeTimeout: 1.5 * LOOK_MS }
  const options = {
    look,
    replace() {},
    askWorkers() {},
    onStoreSilent: tell('store'),
    onNoWorker: tell('workers'),
  }
  const watch = new StoreWatch({ ...options, ...times })
  watch.start()
  for (let looks = 0; looks < 6 && who === undefined; looks++) {
    pass(LOOK_MS)
    await nextTurn()
  }
  watch.stop()
  return who
}

test('no worker is told only while the store answers: else nobody could hear one', async (t) => {
  const pass = fakeClock(t)
  assert.equal(await told(pass, async () => {}), 'workers')
  assert.equal(await told(pass, () => new Promise(() => {})), 'store')
})
