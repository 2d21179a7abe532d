// How good the machine was: the verdict on it, the reasons, and what it rests on.

import type { NoiseFacts } from '../../results/result.js'
import { formatCpuLimit, formatPercent } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { factList } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'
import { badge } from '../markup/verdict-badge.js'

export function noisePanel(noise: NoiseFacts): Markup {
  const reasons = noise.reasons.map((reason) => markup`<li>${reason}</li>`)
  return markup`<p class="state">Machine: ${badge(noise.verdict, noise.verdict)}</p>${reasons.length > 0 ? markup`<ul class="plain">${reasons}</ul>` : null}${factList(
    [
      ['time taken by the hypervisor', typeset(formatPercent(noise.stealPercent))],
      ['other processes meanwhile', typeset(formatCpuLimit(noise.otherCpus))],
      ['windows left out for that', typeset(formatPercent(noise.disturbedPercent))],
      ['time some task waited for a CPU', typeset(formatPercent(noise.pressurePercent))],
    ],
  )}`
}
