// Messages of an instance are awaited by their kind, and requests get their reply.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { InstanceChannel } from '../../../../build/serve/primary/instance-channel.js'
import { fakeInstanceProcess } from '../../../helpers/fake-instance-process.js'

function channelOf(reply) {
  const instance = fakeInstanceProcess(reply)
  return { ...instance, channel: new InstanceChannel(instance.worker) }
}

test('the next message of a kind, whatever else comes', async () => {
  const { channel, say } = channelOf()
  const opened = channel.next('opened')
  for (const foreign of [null, 'hello', { threadwise: 'left' }, { cmd: 'other' }]) say(foreign)
  say({ threadwise: 'opened', problem: null })
  assert.deepEqual(await opened, { threadwise: 'opened', problem: null })
})

test('one that came before anybody awaited it is there with its content', async () => {
  const { channel, worker, say } = channelOf()
  say('ready')
  worker.emit('listening')
  say({ threadwise: 'limitReached', limit: 'maxRequests', found: '10 requests' })
  await channel.next('ready')
  await channel.next('listening')
  assert.equal((await channel.next('limitReached')).found, '10 requests')
})

test('a request resolves with its reply', async () => {
  const used = { activeMs: 1, idleMs: 2, cpuMs: 3, open: 0 }
  const { channel, sent } = channelOf(() => ({ threadwise: 'usage', usage: used }))
  const { usage } = await channel.request({ threadwise: 'usage' }, 'usage', 10_000)
  assert.deepEqual([usage, sent], [used, ['usage']]) // prettier-ignore
})

test('a request without a reply resolves with undefined after its limit, and a late reply is not that of the next one', async () => {
  let count = 0
  const answer = (text) => ({ threadwise: 'checked', isHealthy: true, answer: text })
  const { channel, say } = channelOf(() => (++count === 2 ? answer('new') : undefined))
  const check = { threadwise: 'check', path: '/' }
  assert.equal(await channel.request(check, 'checked', 1), undefined)
  // Whoever waited for it gets it; the second comes before anybody awaits it.
  say(answer('late'))
  say(answer('later'))
  assert.equal((await channel.request(check, 'checked', 10_000)).answer, 'new')
})

test('the end of the instance ends all requests, and those after it', async () => {
  const { channel, sent } = channelOf()
  const open = [
    channel.request({ threadwise: 'ping' }, 'pong', 1e6),
    channel.request({ threadwise: 'load' }, 'load', 1e6),
  ]
  channel.close()
  assert.deepEqual(await Promise.all(open), [undefined, undefined])
  assert.equal(await channel.request({ threadwise: 'ping' }, 'pong', 1e6), undefined)
  assert.deepEqual([sent, channel.isClosed], [['ping', 'load'], true]) // prettier-ignore
})

describe('a message of ours that no instance of ours sends is an error, and is not kept', () => {
  const bad = {
    'an unknown kind': { threadwise: 'news' },
    'a name that all objects have': { threadwise: 'toString' },
    'no text': { threadwise: 'unable', reason: 5 },
    'a load without its figures': { threadwise: 'load', load: {} },
    'a figure that is none': { threadwise: 'usage', usage: { activeMs: 'x', idleMs: 0, cpuMs: 0, open: 0 } },
    'an unknown limit': { threadwise: 'limitReached', limit: 'mood', found: 'x' },
  }
  for (const [name, message] of Object.entries(bad)) {
    test(name, () => {
      const { say } = channelOf()
      assert.throws(() => say(message), /a message of threadwise that it does not send/)
    })
  }
})
