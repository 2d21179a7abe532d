// The wake-up and claim protocol of the shared queue, in all interleavings: nobody sleeps while there is something to do,
// no call is run or settled twice, whoever dies. The model is in queue-model.js.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { explore } from './explore.js'
import { queueModel } from './queue-model.js'

function twice({ ran, settled }) {
  const again = ran.findIndex((count) => count > 1)
  if (again >= 0) return `call ${again} ran twice`
  const settledTwice = settled.findIndex((count) => count > 1)
  return settledTwice >= 0 ? `call ${settledTwice} was settled twice` : undefined
}

/** Nobody moves any more although a call is open. */
const isStuck = ({ settled }) => settled.includes(0)

describe('every call is settled once', () => {
  // Larger ones were walked through by hand: two workers, one call and a death are 2.5 million states.
  const systems = [
    { workers: 1, tasks: 1 },
    { workers: 1, tasks: 2 },
    { workers: 2, tasks: 1 },
    { workers: 1, tasks: 1, deaths: 1 },
    { workers: 1, tasks: 2, deaths: 1 },
    { workers: 1, tasks: 2, starts: true },
    { workers: 2, tasks: 1, starts: true, spins: false },
    { workers: 1, tasks: 1, deaths: 1, starts: true },
    { workers: 2, tasks: 2, cpus: 1, spins: false, futex: false },
    { workers: 2, tasks: 2, cpus: 1, spins: false, futex: false, kinds: ['blocks', 'short'] },
    { workers: 2, tasks: 2, cpus: 1, spins: false, futex: false, kinds: ['waits', 'short'] },
  ]
  for (const system of systems) {
    test(JSON.stringify(system), { timeout: 110_000 }, () => {
      const { states, ends, violation, state } = explore(queueModel(system), twice, isStuck)
      assert.equal(violation, undefined, JSON.stringify(state))
      assert.deepEqual(ends.filter(isStuck), [])
      assert.ok(ends.length > 0 && states > 100, `${states} states, ${ends.length} ends`)
    })
  }
})

describe('the model notices a protocol without', () => {
  const flawed = {
    'main does not look again': { workers: 1, tasks: 1 },
    'a dry worker does not wake main': { workers: 1, tasks: 1 },
    'a worker does not look before the futex': { workers: 1, tasks: 1, spins: false },
    'a worker does not look before the event loop': { workers: 1, tasks: 1 },
    'main does not look when a worker is up': { workers: 1, tasks: 1, starts: true },
    'main does not count anew before it sleeps': {
      cpus: 1,
      spins: false,
      futex: false,
      kinds: ['blocks', 'short'],
    },
    'a worker at a long call does not hand over': {
      cpus: 1,
      spins: false,
      futex: false,
      kinds: ['blocks', 'short'],
    },
    'an occupied worker does not hand over': {
      cpus: 1,
      spins: false,
      futex: false,
      kinds: ['waits', 'short'],
    },
    'main does not let it go on': { cpus: 1, spins: false, futex: false },
    'an occupied worker does not say that it takes again': {
      workers: 1,
      cpus: 1,
      spins: false,
      kinds: ['waits', 'short'],
    },
  }
  for (const [flaw, system] of Object.entries(flawed)) {
    test(flaw, () => {
      const { ends } = explore(queueModel({ ...system, flaws: [flaw] }), twice, isStuck)
      assert.ok(ends.some(isStuck))
    })
  }
})
