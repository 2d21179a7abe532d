import { test } from 'node:test'
import assert from 'node:assert/strict'
import { noise } from '../noise.js'
import { bootstrapRatio } from '../../../../build/measure/stats/bootstrap.js'
import { compareFamily, isBeaten } from '../../../../build/measure/stats/compare.js'
import { createRandom } from '../../../../build/measure/stats/random.js'

const band = { delta: 0.05, low: 1 / 1.05, high: 1.05, floor: null, note: null }
const inline = [100, 102, 99, 101, 98, 100]
const wobble = [1, 0.99, 1.01, 1, 1.005, 0.995]

/** Samples that are `ratio` times inline, with a wobble of about 1 % between the rounds. */
function scaled(ratio, reference = inline) {
  return reference.map((sample, round) => sample * ratio * wobble[round % wobble.length])
}

function verdictsOf(cells, changes = {}) {
  const family = { inline, cells, band, usable: true, ...changes }
  return compareFamily(family, createRandom(1)).map(({ verdict }) => verdict)
}

for (const [ratio, verdict] of [
  [1.86, 'faster'],
  [1.1, 'faster'],
  [1.05, 'cannot-tell'],
  [1.0, 'same'],
  [0.99, 'same'],
  [0.952, 'cannot-tell'],
  [0.9, 'slower'],
  [0.02, 'slower'],
]) {
  test(`a ratio of ${ratio} with little noise is "${verdict}"`, () => {
    assert.deepEqual(verdictsOf([scaled(ratio)]), [verdict])
  })
}

test('an interval across the edge of the band cannot tell', () => {
  assert.deepEqual(verdictsOf([[150, 90, 160, 95, 170, 100]]), ['cannot-tell'])
})

test('a wider band calls the same figures no difference', () => {
  const wide = { ...band, delta: 0.2, low: 1 / 1.2, high: 1.2 }
  assert.deepEqual(verdictsOf([scaled(1.12), scaled(0.9)], { band: wide }), ['same', 'same'])
})

test('in a band beyond 20 % nothing is called the same, since users would see such a difference', () => {
  const wide = { ...band, delta: 0.5, low: 1 / 1.5, high: 1.5 }
  assert.deepEqual(verdictsOf([scaled(1.2), scaled(1)], { band: wide }), ['cannot-tell', 'cannot-tell'])
})

test('five rounds give no verdict, however clear they are', () => {
  const five = inline.slice(0, 5)
  const verdicts = verdictsOf([scaled(5, five), scaled(1, five), scaled(0.1, five)], { inline: five })
  assert.deepEqual(verdicts, ['cannot-tell', 'cannot-tell', 'cannot-tell'])
})

test('failed rounds count as not run, in either cell', () => {
  const oneFailed = scaled(1.86).with(2, null)
  assert.deepEqual(verdictsOf([oneFailed]), ['cannot-tell'], 'five of six rounds are left')
  const [comparison] = compareFamily(
    { inline: [...inline, 100, NaN], cells: [[...oneFailed, 186, 999]], band, usable: true },
    createRandom(1),
  )
  assert.equal(comparison.verdict, 'faster')
  assert.equal(comparison.distribution.rounds, 6)
})

test('a cell without any round has no ratio and no verdict', () => {
  const [comparison] = compareFamily({ inline, cells: [[null, null]], band, usable: true }, createRandom(1))
  assert.equal(comparison.verdict, 'cannot-tell')
  assert.equal(comparison.ratio.value, NaN)
})

test('an unusable machine gives no verdict but keeps the figures', () => {
  const [comparison] = compareFamily({ inline, cells: [scaled(1.86)], band, usable: false }, createRandom(1))
  assert.equal(comparison.verdict, 'cannot-tell')
  assert.ok(comparison.ratio.low > 1.8)
})

test('a borderline cell that is faster alone is not among many', () => {
  const borderline = [109, 116, 106, 114, 106, 112].map((sample, round) => (sample * inline[round]) / 100)
  assert.deepEqual(verdictsOf([borderline]), ['faster'])
  const crowd = Array.from({ length: 6 }, () => scaled(1))
  assert.equal(verdictsOf([borderline, ...crowd])[0], 'cannot-tell')
})

test('a verdict of faster or slower never contradicts the printed interval', () => {
  const random = createRandom(11)
  for (let run = 0; run < 60; run++) {
    const cells = [0.8, 0.93, 1, 1.07, 1.12, 1.3].map((ratio) =>
      inline.map((sample) => sample * ratio * Math.exp(noise(random, 0.03))),
    )
    for (const { ratio, verdict, p } of compareFamily({ inline, cells, band, usable: true }, random, 1000)) {
      if (verdict === 'faster') assert.ok(ratio.low >= band.high && p <= 0.05)
      if (verdict === 'slower') assert.ok(ratio.high <= band.low && p <= 0.05)
      if (verdict === 'same') assert.ok(ratio.low >= band.low && ratio.high <= band.high)
    }
  }
})

/** Runs of `rounds` rounds in which every cell is `truth` times inline, with 3 % noise on each trial. */
function simulate({ runs, rounds, truths, band: runBand, seed }) {
  const random = createRandom(seed)
  const trial = (truth) => truth * Math.exp(noise(random, 0.03))
  return Array.from({ length: runs }, () => {
    const reference = Array.from({ length: rounds }, () => trial(1))
    const cells = truths.map((truth) => reference.map(() => trial(truth)))
    return compareFamily({ inline: reference, cells, band: runBand, usable: true }, random, 300)
  })
}

const hasAlarm = (run) => run.some(({ verdict }) => verdict === 'faster' || verdict === 'slower')

test('equal cells raise a false alarm in at most 5 % of runs', () => {
  const runs = simulate({ runs: 1000, rounds: 6, truths: [1, 1, 1, 1, 1, 1], band, seed: 5 })
  assert.ok(runs.filter(hasAlarm).length <= 50)
})

test('the correction alone keeps false alarms at 5 %, without the help of the band', () => {
  const none = { delta: 0, low: 1, high: 1, floor: null, note: null }
  const runs = simulate({ runs: 1000, rounds: 6, truths: [1, 1, 1, 1, 1, 1], band: none, seed: 6 })
  const alarms = runs.filter(hasAlarm).length
  assert.ok(alarms <= 50, `${alarms} of 1000`)
  assert.ok(alarms > 0, 'a test that never errs would have no power either')
})

test('cells on the edge of the band raise a false alarm in at most 5 % of runs', () => {
  const runs = simulate({ runs: 600, rounds: 8, truths: [1.05, 1.05, 1.05, 1 / 1.05], band, seed: 7 })
  assert.ok(runs.filter(hasAlarm).length <= 30)
})

test('a true 1.86x is always found in a family of seven with six rounds', () => {
  const truths = [1.86, 1, 1, 1, 1, 1, 0.5]
  const runs = simulate({ runs: 200, rounds: 6, truths, band, seed: 8 })
  assert.equal(runs.filter(([first]) => first.verdict === 'faster').length, 200)
  assert.equal(runs.filter((run) => run[6].verdict === 'slower').length, 200)
})

test('a cell is beaten when its interval lies below that of the best by more than the band', () => {
  const distributionOf = (ratio) =>
    bootstrapRatio(
      wobble.map((factor) => Math.log(ratio * factor)),
      createRandom(1),
    )
  assert.equal(isBeaten(distributionOf(1.2), distributionOf(1.86)), true)
  assert.equal(isBeaten(distributionOf(1.86), distributionOf(1.2)), false)
  assert.equal(
    isBeaten(distributionOf(1.8), distributionOf(1.86)),
    false,
    'a smaller one within the band may win',
  )
  assert.equal(isBeaten(distributionOf(1.6), distributionOf(1.86), { delta: 0.2 }), false)
})

test('what was measured once is never beaten', () => {
  const once = bootstrapRatio([Math.log(0.1)], createRandom(1))
  const best = bootstrapRatio([0.6, 0.61, 0.6], createRandom(1))
  assert.equal(isBeaten(once, best), false)
})
