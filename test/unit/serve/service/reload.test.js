// Which instances a reload starts and lets go, and when it ends early, on a set of instances that a test controls.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replaceAll, replaceOne } from '../../../../build/serve/service/reload.js'
import { resize } from '../../../../build/serve/service/resize.js'

/** `onLaunch` gets each new instance before it is ready, and may throw. */
function instanceSet(count, onLaunch = () => {}) {
  let lastId = 0
  const create = () => ({ id: ++lastId, state: 'serving', readyAt: 1, gone: Promise.resolve('by SIGKILL') })
  const set = {
    wanted: count,
    active: new Set(Array.from({ length: count }, create)),
    retired: [],
    async launchReady(rest, old) {
      const instance = create()
      await onLaunch(instance, old, set)
      return instance
    },
    add: (instance) => void set.active.add(instance),
    async retire(instance) {
      set.active.delete(instance)
      set.retired.push(instance.id)
    },
    fail({ message }, rest) {
      throw new Error(`${message} ${rest}`)
    },
  }
  return set
}

const idsOf = (set) => [...set.active].map(({ id }) => id)

test('all are replaced, in their order', async () => {
  const set = instanceSet(3)
  await replaceAll(set)
  assert.deepEqual([set.retired, idsOf(set)], [[1, 2, 3], [4, 5, 6]]) // prettier-ignore
})

test('when a new one is not ready, the others go on', async () => {
  const set = instanceSet(3, ({ id }) => {
    if (id === 5) throw new Error('not ready')
  })
  await assert.rejects(replaceAll(set), { message: 'not ready' })
  assert.deepEqual(idsOf(set), [2, 3, 4])
})

test('when a new one ends soon after it is ready, no further one is replaced', async () => {
  const set = instanceSet(3, (instance, old) => {
    if (old.id === 1) instance.state = 'gone'
  })
  await assert.rejects(replaceAll(set), {
    message: /^it ended by SIGKILL, soon after it was ready 1 of 3 instances were replaced/,
  })
  assert.deepEqual(set.retired, [1])
})

test('one that has ended by itself is left to its replacement', async () => {
  const set = instanceSet(2)
  const [first] = set.active
  set.active.delete(first)
  assert.equal(await replaceOne(set, first, ''), null)
  assert.deepEqual([set.retired, idsOf(set)], [[], [2]]) // prettier-ignore
})

test('when the old one dies while its replacement starts, there is none too many', async () => {
  const set = instanceSet(2, (instance, old, { active }) => {
    active.delete(old)
    active.add({ id: 9, state: 'serving' }) // what was started in its place
  })
  const [first] = set.active
  const fresh = await replaceOne(set, first, '')
  assert.equal(set.active.size, 2)
  assert.ok(set.active.has(fresh))
})

test('a reload starts those that are missing, too', async () => {
  const set = instanceSet(2)
  set.wanted = 3 // one died, and is not due yet
  await replaceAll(set)
  assert.deepEqual(idsOf(set), [3, 4, 5])
})

test('fewer: those that do not serve yet go first', async () => {
  const set = instanceSet(3)
  const [first] = set.active
  first.readyAt = null
  await resize(set, 2)
  assert.deepEqual([set.retired, set.wanted], [[1], 2]) // prettier-ignore
})

test('more: when one is not ready, the number is what was reached', async () => {
  const set = instanceSet(1, ({ id }) => {
    if (id === 3) throw new Error('not ready')
  })
  await assert.rejects(resize(set, 4), { message: 'not ready' })
  assert.deepEqual([set.wanted, idsOf(set)], [2, [1, 2]]) // prettier-ignore
})

test('one that is ready stays, where another one was started meanwhile and is not', async () => {
  const set = instanceSet(0, (instance, old, all) => {
    all.active.add({ id: 100, state: 'starting', readyAt: null, gone: Promise.resolve('') })
  })
  set.wanted = 1
  await replaceAll(set)
  assert.deepEqual([idsOf(set), set.retired], [[1], [100]])
})
