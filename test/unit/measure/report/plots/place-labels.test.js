// Labels in a plot of unknown width.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeLabels } from '../../../../../build/measure/report/plots/place-labels.js'

const point = (x, y, text, radius = 7) => ({ x, y, text, radius })

test('A point that stands alone has its label on the right.', () => {
  const [label] = placeLabels([point(50, 100, '4')], 230)
  assert.equal(label.anchor, 'start')
  assert.equal(label.text, '4')
})

test('A point at the right edge has its label on the left.', () => {
  assert.equal(placeLabels([point(100, 100, '16')], 230)[0].anchor, 'end')
})

test('Points without a text get no label, and crowded points lose theirs rather than overlap.', () => {
  assert.deepEqual(placeLabels([point(50, 100, '')], 230), [])
  const crowd = Array.from({ length: 30 }, (_, index) =>
    point(50 + (index % 5), 100 + Math.floor(index / 5) * 4, '12'),
  )
  const labels = placeLabels(crowd, 230)
  assert.ok(labels.length < crowd.length)
})

test('No two labels overlap on a phone or on a wide screen.', () => {
  const points = Array.from({ length: 12 }, (_, index) =>
    point((index * 37) % 100, 20 + ((index * 53) % 190), String(index)),
  )
  const labels = placeLabels(points, 230)
  assert.ok(labels.length > 6)
  for (const width of [260, 640]) {
    const boxes = labels.map(({ x, y, dx, anchor, text }) => {
      const from = (x / 100) * width + dx
      const left = { start: from, end: from - text.length * 7, middle: from - (text.length * 7) / 2 }[anchor]
      return { left, right: left + text.length * 7, y }
    })
    boxes.forEach((a, i) =>
      boxes.slice(i + 1).forEach((b) => {
        assert.ok(
          a.right <= b.left || b.right <= a.left || Math.abs(a.y - b.y) >= 11,
          `${width}: ${JSON.stringify([a, b])}`,
        )
      }),
    )
  }
})
