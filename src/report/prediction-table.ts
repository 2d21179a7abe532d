// The table of all predictions of a variant, each with the word that says how far it can be trusted.

import type { Prediction } from '../measure/result.js'
import { compareConfigurations, configurationName } from './cell-groups.js'
import { textMark } from './executor-mark.js'
import { formatCount, formatPlain, formatRange, formatRatio } from './format-number.js'
import { markup, type Markup } from './markup.js'
import { scrollBox } from './page.js'
import { typeset } from './typeset.js'
import { badge } from './verdict-badge.js'

export function predictionTable(predictions: Prediction[]): Markup {
  const rows = [...predictions]
    .sort((a, b) => a.cpus - b.cpus || compareConfigurations(a, b))
    .map(({ throughput, ratio, label, cpus, ...one }) => {
      const calls = typeset(formatRange(throughput.pessimistic, throughput.bound, formatCount))
      const times = typeset(formatRange(ratio.pessimistic, ratio.bound, formatRatio))
      return markup`<tr><th scope="row">${textMark(one.executor)} ${configurationName(one)}</th><td class="num">${formatPlain(cpus)}</td><td class="num">${calls}</td><td class="num">${times}</td><td>${badge(label, label)}</td></tr>\n`
    })
  const head = markup`<thead><tr><th scope="col">executor</th><th scope="col" class="num">CPUs</th><th scope="col" class="num">calls/s, worst to most</th><th scope="col" class="num">times inline, worst to most</th><th scope="col">label</th></tr></thead>`
  return scrollBox('Predictions', markup`<table class="data">${head}<tbody>${rows}</tbody></table>`)
}
