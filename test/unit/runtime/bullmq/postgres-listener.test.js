// A client of PostgreSQL that listens, on a server that is away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPatience } from '../../../../build/runtime/bullmq/connection/patience.js'
import { PostgresListener } from '../../../../build/runtime/bullmq/connection/postgres-listener.js'

test('who waits for a channel is told when the connection is ended before the server can be reached', async () => {
  const client = {
    connect: () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
    on() {},
    connection: { stream: { destroy() {} } },
  }
  const problems = []
  const patience = createPatience((problem) => problems.push(problem))
  const listener = new PostgresListener(
    () => client,
    patience,
    () => {},
  )
  const subscribed = listener.subscribe('channel', () => {})
  const alive = setTimeout(() => patience.end(), 20) // its pauses keep no process alive
  await assert.rejects(subscribed, /Connection is closed/)
  clearTimeout(alive)
  assert.ok(problems.length > 0)
})
