// How long an instance has taken no connection: only while one is in flight, and from the last one that it took.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createAcceptWatch } from '../../../../build/serve/primary/accept-watch.js'
import { waitUntil } from '../../../helpers/waiting.js'

const LIMIT_MS = 60

function counted() {
  let overs = 0
  const wait = createAcceptWatch(LIMIT_MS, () => overs++)
  const alive = setInterval(() => {}, 1000) // its timer keeps no process alive
  return { wait, overs: () => overs, end: () => clearInterval(alive) }
}

test('one that is not taken is told, again after each further limit', async () => {
  const { wait, overs, end } = counted()
  wait.given()
  assert.equal(wait.isOver, false)
  await waitUntil(() => overs() >= 2)
  assert.equal(wait.isOver, true)
  wait.taken(0)
  assert.equal(wait.isOver, false)
  end()
})

test('as long as some are taken, nothing is told; and none is in flight for ever', async () => {
  const { wait, overs, end } = counted()
  for (const endAt = Date.now() + 4 * LIMIT_MS; Date.now() < endAt;) {
    wait.given()
    await delay(1)
    wait.taken(1)
  }
  wait.taken(0)
  const before = overs()
  await delay(3 * LIMIT_MS)
  assert.equal(overs(), before)
  end()
})
