import { test } from 'node:test'
import assert from 'node:assert/strict'
import { assertClose } from '../oracle.js'
import { noiseBand } from '../../../../build/measure/stats/noise-band.js'
import { createRandom } from '../../../../build/measure/stats/random.js'

const inline = [100, 100, 100, 100, 100, 100]

test('two equal measurements that agree give the minimum of 5 %', () => {
  const band = noiseBand(inline, [101, 99, 100, 100, 101, 99], createRandom(1))
  assert.equal(band.delta, 0.05)
  assert.equal(band.high, 1.05)
  assertClose(band.low, 1 / 1.05, 1e-15)
  assert.ok(band.floor > 0 && band.floor < 0.05)
  assert.equal(band.note, null)
})

test('a noisy task widens its own band', () => {
  const band = noiseBand(inline, [110, 90, 115, 88, 108, 92], createRandom(1))
  assert.equal(band.delta, band.floor)
  assert.ok(band.delta > 0.08 && band.delta < 0.25, `${band.delta}`)
})

test('the band is the same whichever of the two measurements was faster', () => {
  const again = [80, 82, 81, 80, 79, 81]
  const slower = noiseBand(inline, again, createRandom(1))
  const faster = noiseBand(again, inline, createRandom(1))
  assertClose(slower.delta, faster.delta, 0.01)
  assert.ok(slower.delta > 0.23)
})

test('a silly floor is capped and the note says so', () => {
  const band = noiseBand(inline, [400, 20, 300, 30, 900, 10], createRandom(1))
  assert.equal(band.delta, 0.5)
  assert.match(band.note, /may differ by .* capped at 50 %/)
})

test('without two rounds in common the band is its minimum and the note says so', () => {
  for (const again of [[], [null, null, 100], [NaN, 0, null]]) {
    const band = noiseBand(inline, again, createRandom(1))
    assert.equal(band.delta, 0.05)
    assert.equal(band.floor, null)
    assert.match(band.note, /not measured/)
  }
})
