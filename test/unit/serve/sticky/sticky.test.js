// Which place in a service gets the connections of an address.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSticky } from '../../../../build/serve/sticky/sticky.js'

const from = (address) => ({ getpeername: (out) => void (out.address = address) })
const addresses = Array.from({ length: 4000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`)

function serviceOf(...places) {
  const sticky = createSticky()
  const candidates = places.map((place) => ({ place, keys: new Set(['80']), listensOn(key) { return this.keys.has(key) } })) // prettier-ignore
  for (const candidate of candidates) sticky.add(candidate)
  return { sticky, candidates, choices: () => addresses.map((address) => sticky.choose('80', from(address))) }
}

test('each place gets its share', () => {
  const { candidates, choices } = serviceOf(0, 1, 2, 3)
  const all = choices()
  for (const candidate of candidates) {
    const count = all.filter((choice) => choice === candidate).length
    assert.ok(Math.abs(count - 1000) < 120, String(count)) // four standard deviations
  }
})

test('when one goes, only its clients move, and to all others', () => {
  const { sticky, candidates, choices } = serviceOf(0, 1, 2, 3)
  const before = choices()
  candidates[2].keys.clear()
  const after = choices()
  const moved = after.filter((choice, i) => choice !== before[i])
  assert.equal(moved.length, before.filter((choice) => choice === candidates[2]).length)
  assert.equal(new Set(moved).size, 3)
  sticky.remove(candidates[2])
  assert.deepEqual(choices(), after)
})

test('of two in the same place the later one gets them, as soon as it listens', () => {
  const { sticky, candidates, choices } = serviceOf(0, 1)
  const before = choices()
  const fresh = { place: 0, isOpen: false, listensOn: () => fresh.isOpen }
  sticky.add(fresh)
  assert.deepEqual(choices(), before)
  fresh.isOpen = true
  assert.deepEqual(choices(), before.map((choice) => (choice === candidates[0] ? fresh : choice))) // prettier-ignore
})

test('nobody is chosen for a connection without an address, and none that has refused', () => {
  const { sticky, candidates } = serviceOf(0, 1)
  assert.equal(sticky.choose('80', {}), undefined)
  assert.equal(sticky.choose('443', from('10.0.0.1')), undefined)
  const first = sticky.choose('80', from('10.0.0.1'))
  const other = candidates.find((candidate) => candidate !== first)
  assert.equal(sticky.choose('80', from('10.0.0.1'), new Set([first])), other)
  assert.equal(sticky.choose('80', from('10.0.0.1'), new Set(candidates)), undefined)
})

test('by cookie: clients without one go round, past instances that do not take their connections', () => {
  const sticky = createSticky('sid')
  const candidates = [0, 1, 2].map((place) => ({ place, count: 0, listensOn: () => true }))
  for (const candidate of candidates) sticky.add(candidate)
  const places = (count) => Array.from({ length: count }, () => sticky.choose('80', from('10.0.0.1')).place)
  assert.deepEqual(places(6), [0, 1, 2, 0, 1, 2])
  candidates[1].count = 1
  assert.deepEqual(places(4), [0, 2, 0, 2])
  assert.equal(sticky.choose('80', {}, new Set([candidates[0], candidates[2]])), candidates[1])
  assert.equal(sticky.choose('80', {}, new Set(candidates)), undefined)
})
