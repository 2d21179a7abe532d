// Which worker gets a call: the one with the least work ahead of it, among those with room.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pickWorker } from '../../../dist/pool/pick-worker.js'

const task = {}
const slot = (name, { chargedUs = 0, running = 0, room = true } = {}) => ({
  name,
  chargedUs,
  running: new Map(Array.from({ length: running }, (_, i) => [i, {}])),
  hasRoomFor: (asked) => asked === task && room,
})
const picked = (...slots) => pickWorker(slots, task)?.name

test('without a worker that has room, none is picked', () => {
  assert.equal(picked(), undefined)
  assert.equal(picked(slot('full', { room: false })), undefined)
})

test('a full worker is passed over even when it has the least work', () => {
  assert.equal(picked(slot('full', { room: false }), slot('busy', { chargedUs: 900 })), 'busy')
})

test('the least work ahead wins, wherever it stands', () => {
  const slots = [slot('a', { chargedUs: 30 }), slot('b', { chargedUs: 10 }), slot('c', { chargedUs: 20 })]
  assert.equal(picked(...slots), 'b')
  assert.equal(picked(...slots.reverse()), 'b')
})

test('with equal work, the worker with fewer open calls wins', () => {
  assert.equal(picked(slot('a', { running: 5 }), slot('b', { running: 2 })), 'b')
})

test('the least work counts more than the number of open calls', () => {
  assert.equal(picked(slot('a', { chargedUs: 1 }), slot('b', { running: 100 })), 'b')
})

test('with all equal, the first one wins', () => {
  assert.equal(picked(slot('a'), slot('b'), slot('c')), 'a')
})
