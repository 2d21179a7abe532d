import { test } from 'node:test'
import assert from 'node:assert/strict'
import { logRatio } from '../../../../build/measure/stats/ratio-estimator.js'
import { dropWarmUp } from '../../../../build/measure/stats/warm-up-end.js'
import { combine } from '../../../../build/measure/stats/random-effects.js'
import { sequentialBound } from '../../../../build/measure/stats/sequential-bound.js'
import { createRandom } from '../../../../build/measure/stats/random.js'

const near = (actual, expected, tolerance) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not within ${tolerance} of ${expected}`)

function noisyPairs(count, ratio, { seed = 1, noise = 0.1 } = {}) {
  const random = createRandom(seed)
  const one = () => 1 + noise * (random() + random() + random() + random() - 2)
  return Array.from({ length: count }, () => ({ rate: 1000 * ratio * one(), base: 1000 * one() }))
}

test('the ratio is that of the sums, so what comes in every tenth window counts', () => {
  const pairs = Array.from({ length: 20 }, (_, i) => ({ rate: i % 10 === 0 ? 0 : 100, base: 50 }))
  near(Math.exp(logRatio(pairs).value), 1.8, 1e-12) // the median of the ratios would be 2
})

test('too few pairs, or rates of nothing, say nothing', () => {
  assert.equal(logRatio(noisyPairs(3, 1)), null)
  assert.equal(logRatio(Array.from({ length: 9 }, () => ({ rate: 0, base: 1 }))), null)
})

test('the variance covers what repeated series show', () => {
  const values = Array.from({ length: 300 }, (_, i) => logRatio(noisyPairs(40, 1.5, { seed: i + 1 })))
  const spread = Math.sqrt(values.reduce((sum, { value }) => sum + (value - Math.log(1.5)) ** 2, 0) / 300)
  const told = Math.sqrt(values.reduce((sum, { variance }) => sum + variance, 0) / 300)
  assert.ok(told > 0.9 * spread && told < 1.5 * spread, `${told} against ${spread}`)
})

test('neighbours that are alike make the variance larger', () => {
  const apart = noisyPairs(60, 1.2)
  const alike = Array.from({ length: 60 }, (_, i) => apart[10 * Math.floor(i / 10)])
  assert.ok(logRatio(alike).variance > 3 * logRatio(apart).variance)
})

test('a warm-up at the head is cut, a steady series is not', () => {
  const steady = noisyPairs(60, 1.3)
  assert.equal(dropWarmUp(steady), steady)
  const rising = steady.map(({ rate, base }, i) => ({ rate: i < 15 ? rate / 2 : rate, base }))
  const rest = dropWarmUp(rising)
  assert.ok(rest.length <= 45 && rest.length >= 30, `${rest.length} of 45 are left`)
})

test('one process leaves the spread between processes open, further ones narrow it', () => {
  const one = { value: 0.3, variance: 0.0001 }
  const alone = combine([one])
  near(alone.mean, 0.3, 1e-9)
  near(alone.sd, Math.sqrt(0.0001 + 0.05 ** 2), 0.002) // E[tau^2] of a half-normal is its scale squared
  const four = combine([one, one, one, one])
  assert.ok(four.sd < alone.sd / 3)
  assert.equal(combine([]), null)
})

test('the mixture agrees with its integral over tau, computed finely', () => {
  const processes = [
    { value: 0.25, variance: 0.0009 },
    { value: 0.35, variance: 0.0004 },
  ]
  const fine = integral(processes, 0.05)
  const { mean, sd, tau } = combine(processes, 0.05)
  near(mean, fine.mean, 1e-4)
  near(sd, fine.sd, 2e-4)
  near(tau, fine.tau, 2e-4)
})

/** The same posterior over a grid of 20,000 points, by the density of the normal, not by precisions. */
function integral(processes, scale) {
  let [weight, first, second, spread] = [0, 0, 0, 0]
  for (let i = 0; i < 20_000; i++) {
    const tau = ((i + 0.5) / 20_000) * 8 * scale
    const totals = processes.map(({ variance }) => variance + tau * tau)
    const v = 1 / totals.reduce((sum, total) => sum + 1 / total, 0)
    const m = v * processes.reduce((sum, { value }, j) => sum + value / totals[j], 0)
    const density = processes.reduce(
      (product, { value }, j) =>
        (product * Math.exp(-((value - m) ** 2) / (2 * totals[j]))) / Math.sqrt(totals[j]),
      1,
    )
    const w = Math.exp(-((tau / scale) ** 2) / 2) * density * Math.sqrt(v)
    weight += w
    first += w * m
    second += w * (v + m * m)
    spread += w * tau
  }
  const mean = first / weight
  return { mean, sd: Math.sqrt(second / weight - mean * mean), tau: spread / weight }
}

test('the bound of a test that is looked at all the time', () => {
  near(sequentialBound(0.05, 1), 2.2414, 1e-4)
  near(sequentialBound(0.05, 0.25), 2 * 2.2414, 2e-4)
  assert.equal(sequentialBound(0.05, 0.001), sequentialBound(0.05, 0.05))
})
