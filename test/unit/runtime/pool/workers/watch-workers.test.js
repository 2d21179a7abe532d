// Which workers are asked for a sign of life, and when one is taken for silent: by looks, however late they come.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LifeSigns } from '../../../../../build/runtime/pool/workers/life-signs.js'
import { WorkerWatch } from '../../../../../build/runtime/pool/workers/watch-workers.js'
import { fakeTimers, pass } from '../../../../helpers/fake-timers.js'

/** A worker that has nothing to do, and could take calls. */
function idleWorker(own) {
  const worker = { pings: 0, silences: 0, state: 'up', computes: false, waits: false, owes: false, ...own }
  worker.life = new LifeSigns({ send: () => worker.pings++ })
  worker.onSilence = () => worker.silences++
  return worker
}

/** Looks at it so many times, each so late. */
async function lookAt(t, worker, { times, ms = 500 }) {
  for (let i = 0; i < times; i++) await pass(t, ms)
  return worker
}

function watch(t, worker, isBusy = () => true) {
  fakeTimers(t)
  new WorkerWatch({ slots: () => [worker], isBusy }).start()
}

for (const [how, ms] of [
  ['in time', 500],
  ['late', 60_000],
])
  // prettier-ignore
  test(`one that does not answer is silent after four looks that come ${how}`, async (t) => {
    const worker = idleWorker()
    watch(t, worker)
    await lookAt(t, worker, { times: 1, ms })
    assert.equal(worker.pings, 0, 'it may just be about to take a call')
    await lookAt(t, worker, { times: 4, ms })
    assert.deepEqual([worker.pings, worker.silences], [1, 0])
    await lookAt(t, worker, { times: 1, ms })
    assert.deepEqual([worker.pings, worker.silences], [1, 1])
  })

test('one that answers is asked again and again, as long as calls are open', async (t) => {
  const worker = idleWorker()
  let isBusy = true
  watch(t, worker, () => isBusy)
  for (let i = 0; i < 6; i++) {
    await lookAt(t, worker, { times: 4 })
    if (worker.life.isAsked) worker.life.onPong()
  }
  assert.ok(worker.pings > 3)
  assert.equal(worker.silences, 0)
  isBusy = false
  await lookAt(t, worker, { times: 2 })
  const { pings } = worker
  await lookAt(t, worker, { times: 10 })
  assert.equal(worker.pings, pings)
})

for (const state of [{ computes: true }, { waits: true }, { state: 'starting' }])
  test(`${JSON.stringify(state)}: it is let alone`, async (t) => {
    const worker = idleWorker(state)
    watch(t, worker)
    await lookAt(t, worker, { times: 20 })
    assert.deepEqual([worker.pings, worker.silences], [0, 0])
  })
