// How long an instance has taken no connection: only while one is in flight, and from the last one that it took.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAcceptWatch } from '../../../../build/serve/primary/accept-watch.js'
import { fakeClock } from '../../../helpers/fake-timers.js'

const LIMIT_MS = 60

function counted(t) {
  const pass = fakeClock(t)
  let overs = 0
  const watch = createAcceptWatch(LIMIT_MS, () => overs++)
  return { watch, pass, overs: () => overs }
}

test('one that is not taken is told, again after each further limit', (t) => {
  const { watch, pass, overs } = counted(t)
  watch.given()
  pass(LIMIT_MS - 1)
  assert.deepEqual([watch.isOver, overs()], [false, 0])
  pass(1)
  assert.deepEqual([watch.isOver, overs()], [true, 1])
  pass(LIMIT_MS)
  assert.equal(overs(), 2)
  watch.taken(0)
  assert.equal(watch.isOver, false)
})

test('as long as some are taken, nothing is told; and none is in flight for ever', (t) => {
  const { watch, pass, overs } = counted(t)
  for (let taken = 0; taken < 10; taken++) {
    watch.given()
    pass(LIMIT_MS - 1)
    watch.taken(1)
  }
  watch.taken(0)
  pass(3 * LIMIT_MS)
  assert.equal(overs(), 0)
})
