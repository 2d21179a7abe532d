// Axes with ticks that a person would choose.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logScale } from '../../../../../build/measure/report/plots/axis-scale.js'

const ranges = [
  [0.9, 1.1],
  [0.75, 2],
  [218, 778],
  [0.029, 1],
  [1, 1],
  [0.5, 300],
  [1e-6, 1e9],
  [9.4, 36.1],
]

test('Every scale has two to six ticks, inside it and in order.', () => {
  for (const range of ranges) {
    const { ticks, low, high } = logScale(range, 6)
    assert.ok(ticks.length >= 2 && ticks.length <= 6, `${range}: ${ticks.map(({ value }) => value)}`)
    ticks.forEach(({ value, at }, index) => {
      assert.ok(value >= low && value <= high)
      assert.ok(index === 0 || at > ticks[index - 1].at)
    })
  }
})

test('Twice and half are equally far from 1.', () => {
  const { at } = logScale([0.2, 5])
  assert.ok(Math.abs(at(2) - at(1) - (at(1) - at(0.5))) < 0.05)
})

test('Values outside are held at the edge, and equal values do not fill the axis with noise.', () => {
  const scale = logScale([100, 101])
  assert.equal(scale.at(1), 0)
  assert.equal(scale.at(1e6), 100)
  assert.ok(scale.at(101) - scale.at(100) < 5)
})

test('Without any usable value there is still a scale.', () => {
  for (const values of [[], [NaN, null, 0, -1, Infinity]]) assert.ok(Number.isFinite(logScale(values).at(1)))
})

test('Ticks carry no dust of binary fractions.', () => {
  for (const range of ranges) {
    for (const { value } of logScale(range).ticks) assert.equal(value, Number(value.toPrecision(3)))
  }
})
