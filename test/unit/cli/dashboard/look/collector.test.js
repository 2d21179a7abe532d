// The collector looks while somebody watches, and tells what has changed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCollector, loadOf, statusOf } from '../../../../helpers/dashboard.js'

const rows = (seen) => seen.tracked.map(({ row }) => row)
const texts = (collector) => collector.events.after(0).map(({ kind, of, text }) => `${kind} ${of} ${text}`)

test('looks at nothing while nobody watches, and once for two who ask at the same time', async () => {
  const { collector, asked } = fakeCollector({ services: () => [statusOf('web')] })
  assert.deepEqual(asked, [])
  const [one, other] = await Promise.all([collector.look(), collector.look()])
  assert.equal(one, other)
  assert.deepEqual(asked, ['inspect'])
})

test('all who watch see the same look; who has left sees none', async () => {
  const { collector } = fakeCollector({ services: () => [statusOf('web')] })
  const seen = await new Promise((resolve) => {
    const leave = collector.watch((first) => {
      leave()
      resolve(first)
    })
  })
  assert.equal(collector.isWatched, false)
  assert.equal(rows(seen)[0].figures.perSecond, 3)
  assert.equal(rows(seen)[0].serving, 2)
})

test('a service that cannot be listed now does not end the watch', async () => {
  let count = 0
  const { collector } = fakeCollector({
    services: () => {
      if (++count === 1) throw new Error('no folder')
      return [statusOf('web')]
    },
  })
  const leave = await new Promise((resolve) => {
    const end = collector.watch(() => resolve(end))
  })
  leave()
  assert.equal(count, 2)
})

test('tells what changes in services without a log, of full queues, and of services that have ended', async () => {
  let services = [statusOf('web')]
  let pools = [{ pid: process.pid, thread: 0, name: 'render', kind: 'threads', size: 1, queued: 0, running: 0, completed: 0, failed: 0, refused: 5, waitP99: null, runP99: null }] // prettier-ignore
  const { collector } = fakeCollector({ services: () => services, pools: () => pools })
  await collector.look()
  assert.deepEqual(texts(collector), [])
  const crashed = statusOf('web', { crashes: 1, lastProblem: 'Instance 2 (process 9) ended by SIGKILL.' })
  crashed.instances = [crashed.instances[0], { ...crashed.instances[1], id: 3, pid: 5, state: 'starting', load: null }] // prettier-ignore
  services = [crashed]
  pools = [{ ...pools[0], refused: 8 }]
  await collector.look()
  services = []
  await collector.look()
  assert.deepEqual(texts(collector), [
    'instance web instance 3 (process 5) is starting',
    'instance web instance 2 (process 40001) has ended',
    'death web Instance 2 (process 9) ended by SIGKILL.',
    `queue render the queue of this pool of process ${process.pid} is full: 3 calls were turned away`,
    'service web the service: ended',
  ])
})

test('the history of a service is kept when it comes again, and the ring has a fixed size', async () => {
  let services = [statusOf('web', { load: loadOf({ perSecond: 7 }) })]
  const { collector } = fakeCollector({ services: () => services })
  await collector.look()
  services = []
  await collector.look()
  services = [statusOf('web')]
  const [service] = (await collector.look()).tracked
  const { perSecond } = service.past()
  assert.equal(perSecond.length, 600)
  assert.ok(perSecond.some((value) => value !== null))
})
