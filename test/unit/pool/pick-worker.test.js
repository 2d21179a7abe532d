// Which worker gets a call: the one with the least work ahead of it, among those with room.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pickWorker } from '../../../dist/pool/pick-worker.js'

const cost = {}
const slot = (
  name,
  { chargedUs = 0, running = 0, room = true, lane = 0, busy = running, ownCallMs = -1 } = {},
) => ({
  name,
  lane,
  load: { chargedUs, busy },
  view: { ownCallMs },
  running: new Map(Array.from({ length: running }, (_, i) => [i, {}])),
  hasRoomFor: (asked) => asked === cost && room,
})
const picked = (...slots) => pickWorker(slots, cost)?.name

test('without a worker that has room, none is picked', () => {
  assert.equal(picked(), undefined)
  assert.equal(picked(slot('full', { room: false })), undefined)
})

test('a full worker is passed over even when it has the least work', () => {
  assert.equal(picked(slot('full', { room: false }), slot('busy', { chargedUs: 900 })), 'busy')
})

test('the least work ahead wins, wherever it stands', () => {
  const slots = [slot('a', { chargedUs: 90 }), slot('b', { chargedUs: 30 }), slot('c', { chargedUs: 60 })]
  assert.equal(picked(...slots), 'b')
  assert.equal(picked(...slots.reverse()), 'b')
})

test('with equal work, the worker with fewer open calls wins', () => {
  assert.equal(picked(slot('a', { running: 5 }), slot('b', { running: 2 })), 'b')
})

test('the least work counts more than the number of open calls', () => {
  assert.equal(picked(slot('a', { chargedUs: 25 }), slot('b', { running: 100 })), 'b')
})

test('where the work hardly differs, the worker with fewer open calls wins', () => {
  assert.equal(picked(slot('a', { chargedUs: 3, running: 2 }), slot('b', { chargedUs: 9, running: 1 })), 'b')
})

test('with all equal, the first one wins', () => {
  assert.equal(picked(slot('a'), slot('b'), slot('c')), 'a')
})

test('with a lane, its worker is picked or none', () => {
  const [idle, busy] = [slot('idle'), slot('busy', { chargedUs: 500, lane: 1 })]
  assert.equal(pickWorker([idle, busy], cost, { lane: 1 }).name, 'busy')
  assert.equal(pickWorker([idle, slot('full', { lane: 1, room: false })], cost, { lane: 1 }), undefined)
  assert.equal(pickWorker([idle], cost, { lane: 1 }), undefined)
})

test('a worker that runs a call from the shared queue comes after the others', () => {
  assert.equal(picked(slot('own', { ownCallMs: 0 }), slot('free', { chargedUs: 900, running: 9 })), 'free')
  assert.equal(picked(slot('own', { ownCallMs: 0 }), slot('full', { running: 9, room: false })), undefined)
  assert.equal(picked(slot('own', { ownCallMs: 0 }), slot('starting', { room: false })), 'own')
  assert.equal(picked(slot('a', { ownCallMs: 4, chargedUs: 90 }), slot('b', { ownCallMs: 0 })), 'b')
})

test('one that has run such a call for long gets none, unless no other may', () => {
  const long = slot('long', { ownCallMs: 5, lane: 1 })
  assert.equal(picked(long, slot('own', { ownCallMs: 1, chargedUs: 900 })), 'own')
  assert.equal(picked(long, slot('long too', { ownCallMs: 1000 })), undefined)
  assert.equal(picked(long), 'long')
  assert.equal(pickWorker([slot('free'), long], cost, { lane: 1 }).name, 'long')
})
