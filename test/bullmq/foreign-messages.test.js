// Whoever can publish in the store can disturb nobody: what is no message of ours reaches neither caller nor worker.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Redis } from 'ioredis'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { openQueue } from '../helpers/queues.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'

const FOREIGN = ['', '{', 'null', '5', '[]', '{}', '{"type":"failed","id":"ID","reason":5}', '{"type":"done","id":"ID"}', '{"type":"here","worker":5}', '{"type":"cancel","id":"ID","reason":{}}', '{"type":"who"}'] // prettier-ignore

test('messages that nobody of ours has sent change nothing', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis(t)
  const queue = openQueue(t, redis)
  const path = testFolder(t)
  await queue.worker().ready
  const caller = queue.caller()
  const call = caller.tasks.waitUntil(path('started'), path('release'))
  await fileExists(path('started'))
  const client = new Redis(redis.url)
  client.on('error', () => {}) // it may notice that the store is gone
  t.after(() => client.disconnect())
  const channels = await client.call('PUBSUB', 'CHANNELS', `bull:${queue.queue}:threadwise:*`)
  assert.equal(channels.length, 2)
  const keys = await client.keys(`bull:${queue.queue}:*-*`)
  const [, , job] = keys.map((key) => key.split(':')).find(({ length }) => length === 3) // its lock has a key too
  for (const channel of channels)
    for (const text of FOREIGN) assert.equal(await client.publish(channel, text.replace('ID', job)), 1)
  touch(path('release'))
  assert.equal(await call, 'released')
  assert.equal(await caller.tasks.add(2, 3), 5)
  assert.ok(caller.size >= 1)
})
