// Which worker gets a call: the one with the least work ahead of it, among those with room.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pickWorker } from '../../../../../build/runtime/pool/dispatch/pick-worker.js'

const cost = {}
const slot = (
  name,
  { chargedUs = 0, running = 0, room = true, lane = 0, ownCallMs = -1, silentMs = 0 } = {},
) => ({
  name,
  lane,
  load: { chargedUs, silentMs },
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

test('a worker that runs a call from the shared queue comes after one that does not', () => {
  assert.equal(picked(slot('own', { ownCallMs: 0 }), slot('free', { running: 9 })), 'free')
  assert.equal(picked(slot('own', { ownCallMs: 0 }), slot('busy', { chargedUs: 500 })), 'own')
  assert.equal(picked(slot('own', { ownCallMs: 100 }), slot('busy', { chargedUs: 500 })), 'busy')
})

test('of two that run such calls the one whose call has begun later comes first', () => {
  assert.equal(picked(slot('a', { ownCallMs: 100 }), slot('b', { ownCallMs: 3 })), 'b')
  assert.equal(picked(slot('a', { ownCallMs: 100, lane: 1 })), 'a')
})

test('one that runs such a call comes before one that has not been heard of for long', () => {
  const silent = slot('silent', { chargedUs: 10, silentMs: 400 })
  assert.equal(picked(silent, slot('own', { ownCallMs: 1, running: 5 })), 'own')
  assert.equal(picked(silent, slot('own', { ownCallMs: 900 })), 'silent')
})
