// How good the machine was: the verdict on it, the reasons, and what it rests on.

import type { NoiseFacts } from '../../results/result.js'
import { round } from '../plots/axis-scale.js'
import { finite, formatCpus, formatMs, formatPercent } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { factList, figure } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'
import { badge } from '../markup/verdict-badge.js'

const height = 40

export function noisePanel(noise: NoiseFacts): Markup {
  const reasons = noise.reasons.map((reason) => markup`<li>${reason}</li>`)
  return markup`<p class="state">Machine: ${badge(noise.verdict, noise.verdict)}</p>${reasons.length > 0 ? markup`<ul class="plain">${reasons}</ul>` : null}${factList(
    [
      ['time taken by the hypervisor', typeset(formatPercent(noise.stealPercent))],
      ['other processes before the run', typeset(formatCpus(noise.otherCpus))],
      ['time some task waited for a CPU', typeset(formatPercent(noise.pressurePercent))],
      ['slower in a slow round than in the median one', typeset(formatPercent(noise.speedDriftPercent))],
    ],
  )}${calibrationBars(noise.calibrationMs)}`
}

function calibrationBars(calibrationMs: number[]): Markup | null {
  const times = calibrationMs.map((time) => finite(time) ?? 0)
  const most = Math.max(...times)
  if (times.length < 2 || most <= 0) return null
  const caption = `The same loop was timed before each of the ${times.length} rounds: bars of one height mean that the speed of the CPU did not change.`
  const column = 100 / times.length
  const bars = times.map((time, index) => {
    const tall = round((time / most) * height)
    const title = `round ${index + 1}: ${typeset(formatMs(time))}`
    return markup`<rect x="${round((index + 0.3) * column)}%" width="${round(column * 0.4)}%" y="${round(height - tall)}" height="${tall}"><title>${title}</title></rect>`
  })
  const plot = markup`<svg class="rounds" width="100%" height="${height}" aria-hidden="true">${bars}</svg>`
  return figure('Calibration loop before each round', caption, plot)
}
