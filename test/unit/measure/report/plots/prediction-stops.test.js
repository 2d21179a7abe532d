// What a prediction line is drawn through.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { predictionStops } from '../../../../../build/measure/report/plots/prediction-plot.js'

const read = (name) =>
  JSON.parse(readFileSync(new URL(`../../../../fixtures/results/${name}.json`, import.meta.url), 'utf8'))

test('Each limit has the best measured size, and further CPU counts what is predicted.', () => {
  const { cells, predictions } = read('cpu-bound')
  const stops = predictionStops('threads', cells, predictions)
  assert.deepEqual(
    stops.map(({ cpus, name, label }) => [cpus, name, label]),
    [
      [0.6, 'threads 1', 'measured'],
      [1, 'threads 1', 'measured'],
      [2, 'threads 2', 'measured'],
      [4, 'threads 4', 'extrapolated'],
      [8, 'threads 8', 'guess'],
    ],
  )
})

test('A measured value beats a higher prediction for the same CPU count.', () => {
  const { cells, predictions } = read('cpu-bound')
  const bold = { ...predictions[0], cpus: 2, throughput: { pessimistic: 9e6, bound: 9e7 } }
  const stop = predictionStops('threads', cells, [bold]).find(({ cpus }) => cpus === 2)
  assert.equal(stop.label, 'measured')
})
