// The answer of a diagnosis, and its table of functions.

import type { DoctorResult, DoctorTrace } from '../../results/doctor-result.js'
import { describeCost } from '../figures/describe-cost.js'
import { formatMs } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { labTable } from './html-table.js'

export function doctorAnswer({ sentence, steps, predictions, cost }: DoctorResult): Markup {
  const items = steps.map((step) => markup`<li>${step}</li>`)
  const gains = predictions.map(({ task, busyNow, busyThen, cannotTell }) =>
    busyThen === null
      ? markup`<li>${task}: what it would gain cannot be told, ${cannotTell}.</li>`
      : markup`<li>${task}: the event loop is busy ${percent(busyNow)} of the time, then ${percent(busyThen.low)} to ${percent(busyThen.high)}.</li>`,
  )
  return markup`<section class="answer"><h1>Which of your functions should move?</h1><p class="sentence lead">${sentence}</p>${cost && markup`<p>${describeCost(cost)}</p>`}${items.length > 0 && markup`<h3>What to do</h3><ol>${items}</ol>`}${gains.length > 0 && markup`<h3>If it moves</h3><ul class="reasons">${gains}</ul>`}</section>\n`
}

export function doctorTables({ functions }: DoctorResult): Markup | null {
  if (functions.length === 0) return null
  const rows = functions.map((row) => [
    row.name,
    percent(row.share),
    percent(row.inclusiveShare),
    row.callMs,
    row.callsPerSecond,
    row.verdict ?? 'cannot tell',
  ])
  const columns = ['function', 'share', 'with what it calls', 'ms a call', 'calls/s', 'can it move?']
  const reasons = functions.map(
    ({ name, file, line, reasons: found }) =>
      markup`<li><b>${name}</b> <code>${file}:${line}</code>${found.map((reason) => markup`<br>${reason.replace(/^cannot tell: /, '')}`)}</li>`,
  )
  return markup`${labTable({ title: 'By their share of the busy time', columns, rows })}<h3>Where they are, and why</h3><ul class="plain reasons">${reasons}</ul>`
}

export function longestTurns({ turns }: DoctorTrace): Markup | null {
  if (turns.length === 0) return null
  const rows = turns.map(({ ms, parts }) => [
    formatMs(ms),
    parts.map((part) => `${part.name} ${formatMs(part.ms)}`).join(' + '),
  ])
  return labTable({ title: 'Without a pause', columns: ['for', 'made of'], rows })
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}
