// Which calls a worker leaves to others, by what all of them say of themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WORKERS } from '../../../../../build/runtime/shared-memory/layout/queue-layout.js'
import {
  createQueueMemory,
  queueViews,
} from '../../../../../build/runtime/shared-memory/layout/queue-memory.js'
import { FairShare } from '../../../../../build/runtime/shared-memory/worker/fair-share.js'

/** Shares of so many workers; numbers are the calls that wait in each, null: it takes none. */
function workers(...waiting) {
  const views = queueViews(createQueueMemory())
  Atomics.store(views.control, WORKERS, waiting.length)
  return waiting.map((calls, index) => {
    const share = new FairShare(views, index)
    if (calls !== null) share.tell(calls)
    return share
  })
}

test('one in which no call waits takes whatever it finds', () => {
  const [own] = workers(0, 0, 0)
  assert.equal(own.mayTake(0, 1), true)
})

test('one in which a call waits leaves the next one to a worker that has none', () => {
  const [own] = workers(1, 0)
  assert.equal(own.mayTake(1, 1), false)
  assert.equal(own.mayTake(1, 2), true, 'two are one for each')
  assert.equal(own.mayTake(2, 1), false)
})

test('one that is alone, or beside others that take none, takes all', () => {
  assert.equal(workers(5)[0].mayTake(5, 1), true)
  assert.equal(workers(5, null, null)[0].mayTake(5, 1), true)
})

test('of eight calls each of two takes four', () => {
  const taken = [0, 0]
  const shares = workers(0, 0)
  for (let queued = 8; queued > 0;) {
    const index = shares.findIndex((share, i) => share.mayTake(taken[i], queued))
    shares[index].tell(++taken[index])
    queued--
  }
  assert.deepEqual(taken, [4, 4])
})

test('of many calls one may take some more than its share, and no worker leaves a call that nobody may take', () => {
  for (const waiting of [
    [100, 90, 110],
    [1, 1, 1],
    [0, 0, 0],
    [7, 0, 0],
  ])
    for (let queued = 1; queued < 50; queued++) {
      const able = workers(...waiting).filter((share, i) => share.mayTake(waiting[i], queued))
      assert.ok(able.length > 0, `${waiting} and ${queued}`)
    }
  assert.equal(workers(110, 100)[0].mayTake(110, 20), true)
  assert.equal(workers(200, 100)[0].mayTake(200, 20), false)
})

test('a worker is known to have nothing to do', () => {
  const [own, other] = workers(1, 0)
  assert.equal(own.isAnyFree, true)
  other.tellBusy()
  assert.equal(own.isAnyFree, false)
  other.tell(1)
  assert.equal(own.isAnyFree, false)
  assert.equal(other.isAnyFree, false)
})
