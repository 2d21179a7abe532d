// When an instance counts as one that hangs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilHang } from '../../../../build/serve/primary/hang-watch.js'
import { InstanceChannel } from '../../../../build/serve/primary/instance-channel.js'
import { fakeInstanceProcess } from '../../../helpers/fake-instance-process.js'

const LIMIT_MS = 40

/** Watched while its loop turns: its own timers do not keep the process. */
async function watch(reply) {
  const instance = fakeInstanceProcess(reply)
  const channel = new InstanceChannel(instance.worker)
  const awake = setInterval(() => {}, 1000)
  await untilHang(channel, LIMIT_MS).finally(() => clearInterval(awake))
  return instance.sent.length
}

test('it is asked as long as it replies', async () => {
  let pings = 0
  const sent = await watch(() => (++pings <= 3 ? { threadwise: 'pong' } : undefined))
  assert.ok(sent >= 4)
})

test('it is asked again when this process was held up itself', async () => {
  let pings = 0
  const sent = await watch(() => {
    if (++pings === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * LIMIT_MS)
  })
  assert.ok(sent >= 2, `asked ${sent} times`)
})

test('one that is gone is not asked again', async () => {
  const { worker, sent } = fakeInstanceProcess()
  const channel = new InstanceChannel(worker)
  channel.close()
  await untilHang(channel, LIMIT_MS)
  assert.deepEqual(sent, [])
})
