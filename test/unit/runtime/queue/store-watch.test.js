// Who is silent: the store, or the workers behind it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STORE_LOOK_MS, StoreWatch } from '../../../../build/runtime/queue/store-watch.js'
import { fakeClock } from '../../../helpers/fake-timers.js'
import { nextTurn } from '../../../helpers/waiting.js'

/** What is told first of a store that answers, or does not, while no worker answers. */
async function told(pass, look) {
  let who
  const tell = (name) => () => (who ??= name)
  const times = { workerTimeout: STORE_LOOK_MS / 2, storeTimeout: 1.5 * STORE_LOOK_MS }
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
    pass(STORE_LOOK_MS)
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

test('workers that have told of themselves a moment ago are not asked with each call', (t) => {
  const pass = fakeClock(t)
  let asked = 0
  const nothing = () => {}
  const watch = new StoreWatch({
    ...{ workerTimeout: 1e6, storeTimeout: 1e6, look: async () => {}, replace: nothing },
    ...{ askWorkers: () => asked++, onStoreSilent: nothing, onNoWorker: nothing },
  })
  const call = () => (watch.start(), watch.stop())
  call()
  call()
  assert.equal(asked, 2, 'nobody has told')
  watch.noteWorker({ id: 'a', places: 2, isClosing: false })
  call()
  call()
  assert.deepEqual([asked, watch.places], [2, 2])
  pass(STORE_LOOK_MS)
  call()
  assert.equal(asked, 3)
})
