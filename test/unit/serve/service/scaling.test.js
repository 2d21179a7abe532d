// When a rule wants more or fewer instances, on looks that are made up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScalingRule } from '../../../../build/serve/service/scaling-rule.js'
import { startScaling } from '../../../../build/serve/service/scaling.js'
import { nextTurn } from '../../../helpers/waiting.js'

process.env.THREADWISE_CPUS = '16' // what this machine has, decides nothing here

const settings = { min: 1, max: 4, up: 0.8, down: 0.3, queue: Infinity, everyMs: 5000 }

/** The number of instances after each look; `see` gives what is seen with so many. */
function run(looks, wanted, see, { budget = 16, ...rest } = {}) {
  const rule = createScalingRule({ ...settings, ...rest }, budget)
  return Array.from({ length: looks }, (_, i) => {
    const seen = typeof see === 'function' ? see(wanted, i) : see
    const { busy, open = 0 } = typeof seen === 'number' ? { busy: seen } : seen
    return (wanted = rule.next({ wanted, busy, open, cpus: busy * wanted }))
  })
}

test('one more after two busy looks, then a rest of two', () => {
  assert.deepEqual(run(13, 1, 0.9), [1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4])
})

test('one busy look is none', () => {
  assert.deepEqual(new Set(run(50, 1, (_, i) => (i % 2 ? 1 : 0.5))), new Set([1]))
})

test('no more where the CPU budget is used up', () => {
  assert.deepEqual(new Set(run(50, 2, 1, { budget: 2 })), new Set([2]))
  assert.equal(run(50, 1, 1, { budget: 2 }).at(-1), 2)
})

test('one less after twelve quiet looks, down to the least', () => {
  const seen = run(60, 4, 0.05, { min: 2 })
  assert.equal(seen.indexOf(3), 11)
  assert.equal(seen.indexOf(2), 25)
  assert.equal(seen.at(-1), 2)
})

test('one more with too many open requests, though nobody is busy, as long as there is CPU time', () => {
  assert.deepEqual(run(6, 1, { busy: 0.1, open: 21 }, { queue: 20 }), [1, 2, 2, 2, 2, 3])
  assert.deepEqual(new Set(run(50, 2, { busy: 0.1, open: 1e6 }, { min: 2 })), new Set([2]))
  assert.deepEqual(
    new Set(run(50, 2, { busy: 0.96, open: 99 }, { queue: 20, budget: 2, up: 1 })),
    new Set([2]),
  )
})

test('not less where the others would have too many', () => {
  assert.deepEqual(new Set(run(50, 2, { busy: 0.1, open: 12 }, { queue: 20 })), new Set([2]))
  assert.equal(run(50, 2, { busy: 0.1, open: 10 }, { queue: 20 }).at(-1), 1)
})

test('a busy moment begins the count of quiet looks anew', () => {
  assert.deepEqual(new Set(run(100, 2, (_, i) => (i % 11 ? 0.05 : 0.5))), new Set([2]))
})

test('not less where one less would be busy', () => {
  assert.deepEqual(new Set(run(50, 2, 0.42, { down: 0.5 })), new Set([2]))
  assert.equal(run(50, 2, 0.38, { down: 0.5 }).at(-1), 1)
})

test('no load makes it go up and down for ever', () => {
  for (let load = 0.05; load < 5; load += 0.05) {
    const seen = run(400, 1, (wanted) => Math.min(1, load / wanted))
    assert.equal(new Set(seen.slice(200)).size, 1, `a load of ${load}: ${seen.slice(200)}`)
  }
})

/** Instances whose use a test sets, and timers that it fires. */
function fakeService(...instances) {
  const events = []
  const pending = []
  const service = {
    events,
    instances: { active: new Set(instances), wanted: instances.length },
    after: (delayMs, action) => pending.push({ delayMs, action }),
    emit: (event) => events.push(event),
    scale: async (to) => void (service.instances.wanted = to),
    async look() {
      await nextTurn()
      pending.splice(0).forEach(({ action }) => action())
      await nextTurn()
    },
    pending,
  }
  return service
}

function fakeInstance(share, open = 0) {
  const sum = { activeMs: 0, idleMs: 0, cpuMs: 0, open }
  return {
    state: 'serving',
    async usage() {
      if (share === null) return null
      sum.activeMs += share * 1000
      sum.idleMs += (1 - share) * 1000
      return { ...sum }
    },
  }
}

test('looks, emits an event and scales; one timer at a time', async () => {
  const service = fakeService(fakeInstance(0.9), fakeInstance(0.8))
  const scaling = startScaling(settings, service)
  assert.equal(scaling.busy, null)
  await service.look()
  assert.ok(Math.abs(scaling.busy - 0.85) < 0.001)
  assert.deepEqual(service.pending.map(({ delayMs }) => delayMs), [5000]) // prettier-ignore
  await service.look()
  await service.look()
  assert.deepEqual(service.events, [
    { type: 'scaling', from: 2, to: 3, found: 'they are busy 85 % of the time' },
  ])
})

test('an instance that does not answer is busy; one that is new does not count yet', async () => {
  const service = fakeService(fakeInstance(null), fakeInstance(0.5))
  const scaling = startScaling(settings, service)
  await service.look()
  assert.equal(scaling.busy, 0.75)
  service.instances.active.add(fakeInstance(0))
  await service.look()
  assert.equal(scaling.busy, 0.75)
})

test('open requests are in the event where they count, without those of an instance that does not answer', async () => {
  const service = fakeService(fakeInstance(0.1, 20), fakeInstance(0.1, 30), fakeInstance(null))
  const scaling = startScaling({ ...settings, queue: 24 }, service)
  for (let looks = 0; looks < 3; looks++) await service.look()
  assert.equal(scaling.open, 25)
  const found = 'they are busy 40 % of the time, with 25 requests open in each'
  assert.deepEqual(service.events, [{ type: 'scaling', from: 3, to: 4, found }])
})
