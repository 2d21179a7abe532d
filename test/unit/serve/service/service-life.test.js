// The states of a service: what ends it, and what is not done any more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceLife } from '../../../../build/serve/service/service-life.js'

/** Its instances end when the test says so. */
function lifeOf() {
  let release
  const gone = new Promise((resolve) => (release = resolve))
  const counts = { ends: 0 }
  const end = () => {
    counts.ends++
    return gone
  }
  return { life: new ServiceLife('web', end), release, counts }
}

test('a stop: stopping until the instances are gone, then stopped', async () => {
  const { life, release, counts } = lifeOf()
  assert.equal(life.state, 'starting')
  life.serve()
  assert.equal(life.state, 'serving')
  const stopped = life.stop()
  assert.deepEqual([life.state, life.isOpen, counts.ends], ['stopping', false, 1])
  assert.throws(() => life.assertOpen(), { code: 'TW_ERR_SERVICE_STOPPED' })
  release()
  await stopped
  await life.ended
  assert.equal(life.state, 'stopped')
})

test('it fails with an error for whoever waits for its end', async () => {
  const { life, release } = lifeOf()
  const error = new Error('too many crashes')
  const failed = life.fail(error)
  release()
  await failed
  await assert.rejects(life.ended, error)
  assert.equal(life.state, 'failed')
})

test('the first of stop and fail decides, and instances are ended once', async () => {
  const { life, release, counts } = lifeOf()
  const ends = [life.stop(), life.fail(new Error('later')), life.stop()]
  release()
  await Promise.all(ends)
  await life.ended
  assert.deepEqual([life.state, counts.ends], ['stopped', 1])
})

test('what is due later is not done after the end', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { life } = lifeOf()
  const done = []
  life.after(10, () => done.push('before'))
  life.after(30, () => done.push('due after the end'))
  t.mock.timers.tick(20)
  void life.stop()
  life.after(10, () => done.push('asked for after the end'))
  t.mock.timers.tick(100)
  assert.deepEqual(done, ['before'])
})

test('it cannot serve when it was stopped while it started', () => {
  const { life } = lifeOf()
  void life.stop()
  assert.throws(() => life.serve(), { code: 'TW_ERR_SERVICE_STOPPED' })
})
