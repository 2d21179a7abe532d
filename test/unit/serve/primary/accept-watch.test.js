// How long an instance has taken no connection: only while one is in flight, and from the last one that it took.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createAcceptWatch } from '../../../../build/serve/primary/accept-watch.js'
import { waitUntil } from '../../../helpers/waiting.js'

const LIMIT_MS = 60

function counted() {
  let overs = 0
  const watch = createAcceptWatch(LIMIT_MS, () => overs++)
  const alive = setInterval(() => {}, 1000) // its timer keeps no process alive
  return { watch, overs: () => overs, end: () => clearInterval(alive) }
}

test('one that is not taken is told, again after each further limit', async () => {
  const { watch, overs, end } = counted()
  watch.given()
  assert.equal(watch.isOver, false)
  await waitUntil(() => overs() >= 2)
  assert.equal(watch.isOver, true)
  watch.taken(0)
  assert.equal(watch.isOver, false)
  end()
})

test('as long as some are taken, nothing is told; and none is in flight for ever', async () => {
  const { watch, overs, end } = counted()
  for (const endAt = Date.now() + 4 * LIMIT_MS; Date.now() < endAt;) {
    watch.given()
    await delay(1)
    watch.taken(1)
  }
  watch.taken(0)
  const before = overs()
  await delay(3 * LIMIT_MS)
  assert.equal(overs(), before)
  end()
})
