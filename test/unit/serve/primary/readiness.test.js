// What an instance must do before it is ready, in which order, and what is said when it does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InstanceChannel } from '../../../../build/serve/primary/instance-channel.js'
import { waitUntilReady } from '../../../../build/serve/primary/readiness.js'
import { fakeInstanceProcess } from '../../../helpers/fake-instance-process.js'

const plain = {
  isGated: false,
  waitReady: false,
  listenTimeoutMs: null,
  health: null,
  readyTimeoutMs: 10_000,
}
const full = { ...plain, isGated: true, waitReady: true, health: '/health' }
const never = new Promise(() => {})

function start(settings, reply, gone = never) {
  const instance = fakeInstanceProcess(reply)
  const channel = new InstanceChannel(instance.worker)
  return { ...instance, ready: waitUntilReady({ channel, gone }, settings) }
}

test('without options it is ready when it listens', async () => {
  const { worker, sent, ready } = start(plain)
  worker.emit('listening')
  await ready
  assert.deepEqual(sent, [])
})

test('one that has not listened in time counts as one that need not', async () => {
  const { ready } = start({ ...plain, listenTimeoutMs: 10 })
  await ready
})

test('it listens, says that it is ready, is healthy, and then gets its port', async () => {
  let checks = 0
  const { say, sent, ready } = start(full, ({ threadwise }) =>
    threadwise === 'check'
      ? { threadwise: 'checked', isHealthy: ++checks === 3, answer: 'it answered with status 503' }
      : { threadwise: 'opened', problem: null },
  )
  say('ready') // it may come first
  await new Promise(setImmediate)
  assert.deepEqual(sent, [])
  say({ threadwise: 'listens' })
  await ready
  assert.deepEqual(sent, ['check', 'check', 'check', 'open'])
})

const isUnhealthy = () => ({ threadwise: 'checked', isHealthy: false, answer: 'it answered with status 503' })
const late = [
  ['it did not listen', full, [], undefined],
  [`it listened, but did not call process.send('ready')`, full, [{ threadwise: 'listens' }], undefined],
  ['its health check /health gave no answer', full, [{ threadwise: 'listens' }, 'ready'], undefined],
  ['its health check /health did not succeed (it answered with status 503)', full, [{ threadwise: 'listens' }, 'ready'], isUnhealthy],
  ['it was healthy, but did not get its port', { ...full, waitReady: false, health: null }, [{ threadwise: 'listens' }], undefined],
] // prettier-ignore

for (const [missing, settings, messages, reply] of late) {
  test(`at the limit: ${missing}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { say, ready } = start({ ...settings, readyTimeoutMs: 50 }, reply)
    messages.forEach(say)
    for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate) // it does all that it can do
    t.mock.timers.tick(50)
    await assert.rejects(ready, {
      message: `${missing} within 50 ms (readyTimeout)${missing.startsWith('it did not') ? '; an app without a port needs portless' : ''}`,
    })
  })
}

test('it ends, cannot be held back, or does not get its port: that is the reason', async () => {
  const ended = start(full, undefined, Promise.resolve('with exit code 1'))
  await assert.rejects(ended.ready, { message: 'it ended with exit code 1' })
  const unable = start(full)
  unable.say({ threadwise: 'unable', reason: 'no such hook' })
  await assert.rejects(unable.ready, { message: 'no such hook' })
  const settings = { ...full, waitReady: false, health: null }
  const noPort = start(settings, () => ({ threadwise: 'opened', problem: 'listen failed with EADDRINUSE' }))
  noPort.say({ threadwise: 'listens' })
  await assert.rejects(noPort.ready, { message: 'listen failed with EADDRINUSE' })
})
